//! The live stream of a job: ten stages in order, resumable without gap or repeat.

use futures::StreamExt as _;
use serde_json::{Value, json};

use crate::server::{PATIENCE, Server, orders};

/// One frame of a stream.
#[derive(Debug, Clone, PartialEq)]
struct Frame {
    id: Option<i64>,
    event: String,
    data: Value,
}

/// Reads frames until `enough` says so or the stream ends.
async fn read(server: &Server, job: &str, after: Option<i64>, enough: impl Fn(&[Frame]) -> bool) -> Vec<Frame> {
    let mut request = server.http.get(format!("{}/api/v1/ingest-jobs/{job}/stream", server.url));
    if let Some(id) = after {
        request = request.header("Last-Event-ID", id.to_string());
    }
    let answer = request.send().await.expect("a stream");
    assert_eq!(answer.status(), 200);
    let deadline = tokio::time::Instant::now() + PATIENCE;
    let mut body = answer.bytes_stream();
    let (mut text, mut frames) = (String::new(), Vec::new());
    while let Some(chunk) = tokio::time::timeout_at(deadline, body.next()).await.expect("the stream goes on") {
        text.push_str(std::str::from_utf8(&chunk.expect("bytes")).expect("UTF-8"));
        while let Some(end) = text.find("\n\n") {
            let block: String = text.drain(..end + 2).collect();
            frames.extend(frame(&block));
        }
        if enough(&frames) {
            break;
        }
    }
    frames
}

fn frame(block: &str) -> Option<Frame> {
    let field = |name: &str| block.lines().find_map(|l| l.strip_prefix(name)).map(|v| v.trim_start().to_owned());
    let event = field("event:")?;
    let data = serde_json::from_str(&field("data:")?).expect("JSON");
    Some(Frame { id: field("id:").map(|id| id.parse().expect("a number")), event, data })
}

fn stored(frames: &[Frame]) -> Vec<&Frame> {
    frames.iter().filter(|f| f.id.is_some()).collect()
}

const ALL: [&str; 13] = [
    "queued",
    "running",
    "received",
    "parsed",
    "reconciled",
    "sampled",
    "profiled",
    "relations_proposed",
    "described",
    "pii_tagged",
    "embedded",
    "published",
    "final",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_opened_before_the_job_starts_shows_ten_stages_and_resumes_without_gap_or_repeat() {
    let home = tempfile::tempdir().expect("a folder");
    let env =
        [("FLYQUERY_INGEST_WORKER_CONCURRENCY", "1"), ("FLYQUERY_TEST_FAILPOINTS", "receive.before,sample.before")];
    let server = Server::start_with(&home.path().join("data"), &env).await;
    let dataset = server.dataset("d").await;
    // The only slot is taken by a first job that stands at a gate, so the second has not started. The first is then
    // cancelled, so that only the second comes to the other gate.
    let first = server.upload(&dataset, "first.csv", orders(10)).await;
    server.wait_at("receive.before");
    let job = server.upload(&dataset, "orders.csv", orders(1_000)).await;
    let waiting = read(&server, &job, None, |frames| !stored(frames).is_empty()).await;
    assert_eq!(waiting[0].event, "queued");
    assert_eq!(server.get(&format!("/api/v1/ingest-jobs/{job}")).await["status"], "PENDING");

    let (status, answer) = server.post(&format!("/api/v1/ingest-jobs/{first}:cancel"), &json!({})).await;
    assert_eq!(status, 200, "{answer}");

    let whole = async { read(&server, &job, None, |_| false).await };
    let pieces = async {
        server.open_gate("receive.before");
        // Cut after the third event, while the job still runs: it stops at the gate before `sample`.
        let cut = read(&server, &job, None, |frames| stored(frames).len() >= 3).await;
        let head: Vec<Frame> = stored(&cut).into_iter().take(3).cloned().collect();
        let row = server.get(&format!("/api/v1/ingest-jobs/{job}")).await;
        assert_ne!(row["status"], "SUCCEEDED");
        server.open_gate("sample.before");
        let tail = read(&server, &job, head[2].id, |_| false).await;
        let mut both = head;
        both.extend(stored(&tail).into_iter().cloned());
        both
    };
    let (whole, pieces) = futures::join!(whole, pieces);

    let names: Vec<&str> = stored(&whole).iter().map(|f| f.event.as_str()).collect();
    assert_eq!(names, ALL);
    let whole_ids: Vec<Option<i64>> = stored(&whole).iter().map(|f| f.id).collect();
    let piece_ids: Vec<Option<i64>> = pieces.iter().map(|f| f.id).collect();
    assert_eq!(piece_ids, whole_ids, "no gap, no repeat");
    assert!(whole_ids.is_sorted());
    let last = pieces.last().expect("frames");
    assert_eq!(last.data["stage"], "final");
    assert_eq!(last.data["status"], "ok");
    assert!(last.data["created_at"].as_str().is_some_and(|t| t.ends_with('Z')), "{}", last.data);
    assert_eq!(server.ended(&first).await["status"], "CANCELLED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_terminal_before_its_last_frame_is_seen() {
    let home = tempfile::tempdir().expect("a folder");
    let server = Server::start(&home.path().join("data")).await;
    let dataset = server.dataset("d").await;
    for n in 0..5 {
        let job = server.upload(&dataset, &format!("t{n}.csv"), orders(50)).await;
        let frames = read(&server, &job, None, |frames| frames.last().is_some_and(|f| f.event == "final")).await;
        assert_eq!(frames.last().expect("frames").event, "final");
        assert_eq!(server.get(&format!("/api/v1/ingest-jobs/{job}")).await["status"], "SUCCEEDED");
    }
}
