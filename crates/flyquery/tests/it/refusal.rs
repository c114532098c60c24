//! Refused while receiving: nothing stays. Rejected content: a FAILED file and job, the original kept. Either way the
//! client reads a status.

use serde_json::Value;

use crate::server::{PATIENCE, Server, count, objects, orders, pause, text};

async fn nothing_stayed(server: &Server) {
    assert_eq!(objects(&server.dir), Vec::<String>::new());
    for table in ["flyquery_files", "flyquery_ingest_jobs", "flyquery_pending_objects"] {
        assert_eq!(count(&server.dir, &format!("select count(*) as n from {table}")).await, 0, "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_over_the_cap_is_refused_and_leaves_nothing() {
    let (server, dataset, _home) = Server::fresh(&[("FLYQUERY_MAX_FILE_MB", "1")]).await;
    for route in ["files", "files:async"] {
        let (status, body) = server.upload_any(&dataset, route, "big.csv", vec![b'x'; 20 << 20]).await;
        assert_eq!((status, body["code"].as_str()), (413, Some("file_too_large")), "{body}");
    }
    nothing_stayed(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_workspace_refuses_and_leaves_nothing() {
    let (server, dataset, _home) = Server::fresh(&[("FLYQUERY_MAX_WORKSPACE_GB", "0.001")]).await;
    let (status, body) = server.upload_any(&dataset, "files:async", "big.csv", vec![b'x'; 4 << 20]).await;
    assert_eq!((status, body["code"].as_str()), (507, Some("workspace_quota_exceeded")), "{body}");
    nothing_stayed(&server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_body_is_refused_and_leaves_nothing() {
    let (server, dataset, _home) = Server::fresh(&[]).await;
    let url = format!("{}/api/v1/datasets/{dataset}/files:async", server.url);
    let body = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\nid,n\n1,2\n";
    let answer =
        server.http.post(url).header("content-type", "multipart/form-data; boundary=b").body(body).send().await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.status(), 400);
    assert_eq!(answer.headers()["content-type"], "application/problem+json");
    nothing_stayed(&server).await;
}

async fn rejected(server: &Server, dataset: &str, route: &str, name: &str, bytes: &[u8], code: &str) {
    let (status, body) = server.upload_any(dataset, route, name, bytes.to_vec()).await;
    assert_eq!((status, body["code"].as_str()), (422, Some(code)), "{body}");
    let job = server.get(&format!("/api/v1/ingest-jobs/{}", text(&body["job_id"]))).await;
    assert_eq!(job["status"], "FAILED");
    assert_eq!(job["result_json"]["error_code"], code, "{job}");
    assert_eq!(job["result_json"]["retriable"], false);
    let failed = "select count(*) as n from flyquery_files where status = 'FAILED'";
    assert!(count(&server.dir, failed).await > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_magic_and_empty_files_are_rejected_with_a_failed_job_and_the_blob_kept() {
    let (server, dataset, _home) = Server::fresh(&[]).await;
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";
    for route in ["files", "files:async"] {
        rejected(&server, &dataset, route, "picture.csv", png, "FORMAT_MISMATCH").await;
        rejected(&server, &dataset, route, "empty.csv", b"", "EMPTY_FILE").await;
    }
    let files = "select count(*) as n from flyquery_files where status = 'FAILED'";
    assert_eq!(count(&server.dir, files).await, 4);
    assert_eq!(objects(&server.dir).len(), 4, "the originals are kept");
    assert_eq!(count(&server.dir, "select count(*) as n from flyquery_pending_objects").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_without_rows_is_a_table_with_a_warning() {
    let (server, dataset, _home) = Server::fresh(&[]).await;
    let (status, body) = server.upload_any(&dataset, "files", "bare.csv", b"id,name\n".to_vec()).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["tables"][0]["n_rows_actual"], 0);
    let codes: Vec<&Value> = body["warnings"].as_array().expect("warnings").iter().map(|w| &w["code"]).collect();
    assert!(codes.contains(&&Value::from("HEADER_ONLY")), "{body}");
    assert_eq!(server.sql(&dataset, "select count(*) from bare").await, serde_json::json!([[0]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_upload_answers_with_the_settled_result() {
    let (server, dataset, _home) = Server::fresh(&[]).await;
    let (status, body) = server.upload_any(&dataset, "files", "orders.csv", orders(100)).await;
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["status"], "SUCCEEDED");
    assert_eq!(body["stages"].as_array().map(Vec::len), Some(10), "{body}");
    assert_eq!(body["tables"][0]["n_rows_actual"], 100);
    let job = server.get(&format!("/api/v1/ingest-jobs/{}", text(&body["job_id"]))).await;
    assert_eq!(job["status"], "SUCCEEDED");
    assert_eq!(job["table_id"], body["tables"][0]["table_id"]);
    assert_eq!(job["result_json"]["tables"], body["tables"]);
}

/// Sends a whole upload and closes the connection without waiting for the answer.
fn send_and_go(server: &Server, dataset: &str, name: &str, content: &[u8]) {
    use std::io::Write as _;
    let address = server.url.strip_prefix("http://").expect("http");
    let head = format!("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
    let body = [head.as_bytes(), content, b"\r\n--b--\r\n"].concat();
    let request = format!(
        "POST /api/v1/datasets/{dataset}/files:async HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut socket = std::net::TcpStream::connect(address).expect("a connection");
    socket.write_all(request.as_bytes()).expect("sent");
    socket.write_all(&body).expect("sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_after_its_last_byte_leaves_a_job_or_nothing() {
    let (server, dataset, _home) = Server::fresh(&[]).await;
    for n in 0..20 {
        send_and_go(&server, &dataset, &format!("t{n}.csv"), &orders(2_000));
    }
    let started = std::time::Instant::now();
    loop {
        let pending = count(&server.dir, "select count(*) as n from flyquery_pending_objects").await;
        let running = "select count(*) as n from flyquery_ingest_jobs where status in ('PENDING', 'RUNNING')";
        if pending == 0 && count(&server.dir, running).await == 0 {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{pending} objects belong to nobody");
        pause().await;
    }
    let files = count(&server.dir, "select count(*) as n from flyquery_files").await;
    let originals = objects(&server.dir).iter().filter(|key| key.contains("/files/")).count();
    assert_eq!(originals as i64, files, "every original has its row");
}
