//! A refused upload sees its status, not a reset: whatever kind of client sends, and however much.

use std::sync::atomic::Ordering;

use futures::StreamExt;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::doubles::FakeIngest;
use crate::http_tests;
use crate::server::{Answer, Server, settings};

const BODY: usize = 64 << 20;
const PART: &str = "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n";

fn head(server: &Server, length: Option<usize>, extra: &str) -> String {
    let size = length.map_or("Transfer-Encoding: chunked".to_owned(), |n| format!("Content-Length: {n}"));
    format!(
        "POST /api/v1/datasets/{}/files:async HTTP/1.1\r\nHost: x\r\nX-Tenant-Id: acme\r\nX-Workspace-Id: main\r\n\
         Content-Type: multipart/form-data; boundary=B\r\n{size}\r\n{extra}\r\n",
        server.dataset()
    )
}

/// A client that sends everything before it reads anything.
async fn stubborn(server: &Server, head: String, pieces: impl Iterator<Item = Vec<u8>>) -> String {
    let mut stream = TcpStream::connect(server.address).await.expect("connects");
    stream.write_all(head.as_bytes()).await.expect("sends the head");
    for piece in pieces {
        stream.write_all(&piece).await.expect("sends the body to its end: no reset");
    }
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("reads the answer: no reset");
    String::from_utf8_lossy(&answer).into_owned()
}

fn pieces() -> impl Iterator<Item = Vec<u8>> {
    std::iter::once(PART.as_bytes().to_vec()).chain((0..BODY >> 20).map(|_| vec![b'x'; 1 << 20]))
}

http_tests! {
    async fn a_client_that_only_sends_reads_413_after_64_megabytes(db: TestDb) {
        let server = Server::start(db).await;
        let answer = stubborn(&server, head(&server, Some(PART.len() + BODY), ""), pieces()).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(answer.contains("\"code\":\"file_too_large\"") && answer.to_lowercase().contains("connection: close"));
        assert_eq!(server.ingest.seen.aborted.load(Ordering::SeqCst), 1);
        assert!(server.ingest.seen.bytes.load(Ordering::SeqCst) < 4 << 20, "the port stopped early");
    }

    async fn a_chunked_body_is_read_on_too(db: TestDb) {
        let server = Server::start(db).await;
        let chunked = pieces().map(|piece| {
            let mut framed = format!("{:x}\r\n", piece.len()).into_bytes();
            framed.extend(piece);
            framed.extend(b"\r\n");
            framed
        });
        let answer = stubborn(&server, head(&server, None, ""), chunked.chain([b"0\r\n\r\n".to_vec()])).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    }

    async fn a_length_over_the_cap_is_refused_before_the_port_hears_of_it(db: TestDb) {
        let small = flyquery_api::ApiSettings { max_file_bytes: 1 << 20, ..settings() };
        let server = Server::with(db, small, FakeIngest::default()).await;
        let answer = stubborn(&server, head(&server, Some(PART.len() + BODY), ""), pieces()).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
        assert!(server.ingest.seen.targets.lock().expect("no panic").is_empty());
    }

    async fn refusals_by_header_alone_are_seen_as_well(db: TestDb) {
        let server = Server::start(db).await;
        let head = head(&server, Some(PART.len() + BODY), "").replace("acme", "globex");
        let answer = stubborn(&server, head, pieces()).await;
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    }

    async fn a_client_that_waits_for_100_continue_sends_nothing(db: TestDb) {
        let small = flyquery_api::ApiSettings { max_file_bytes: 1 << 20, ..settings() };
        let server = Server::with(db, small, FakeIngest::default()).await;
        let head = head(&server, Some(PART.len() + BODY), "Expect: 100-continue\r\n");
        let answer = stubborn(&server, head, std::iter::empty()).await;
        assert!(answer.starts_with("HTTP/1.1 413 "), "no 100 before it: {answer}");
    }

    async fn reqwest_reads_the_status_of_a_refused_stream(db: TestDb) {
        let server = Server::start(db).await;
        let path = format!("/api/v1/datasets/{}/files", server.dataset());
        for sized in [true, false] {
            let chunks = futures::stream::iter((0..BODY >> 16).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 1 << 16])));
            let body = reqwest::Body::wrap_stream(chunks.boxed());
            let part = if sized { Part::stream_with_length(body, BODY as u64) } else { Part::stream(body) };
            let request = server.request(Method::POST, &path).multipart(Form::new().part("file", part.file_name("a.csv")));
            Answer::of(request).await.problem(413, "file_too_large");
        }
    }

    async fn a_client_that_goes_away_leaves_no_blob(db: TestDb) {
        let server = Server::start(db).await;
        let mut stream = TcpStream::connect(server.address).await.expect("connects");
        let start = head(&server, Some(PART.len() + BODY), "") + PART + "a,b\n1,";
        stream.write_all(start.as_bytes()).await.expect("sends");
        drop(stream);
        let gone = tokio::time::timeout(std::time::Duration::from_secs(20), server.ingest.seen.dropped.notified());
        gone.await.expect("the blob is dropped");
    }

    async fn a_good_upload_keeps_the_connection(db: TestDb) {
        let server = Server::start(db).await;
        let path = format!("/api/v1/datasets/{}/files:async", server.dataset());
        let part = Part::bytes(vec![b'x'; 900 << 10]).file_name("a.csv");
        let answer = Answer::of(server.request(Method::POST, &path).multipart(Form::new().part("file", part))).await;
        assert!(!answer.headers.contains_key("connection"));
        answer.ok(202);
    }

    async fn a_small_unread_body_keeps_the_connection(db: TestDb) {
        let server = Server::start(db).await;
        let request = server.request(Method::POST, "/api/v1/nowhere").body("x".repeat(10 << 10));
        let answer = Answer::of(request).await;
        assert!(!answer.headers.contains_key("connection"));
        answer.problem(404, "resource_not_found");
    }
}
