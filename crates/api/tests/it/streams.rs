//! Live streams: replay, resume, reset, follow, keep-alive, ends.

use std::time::Duration;

use domain::event::{EventStage, NewEvent, Progress};
use domain::{ErrorCode, Failure, JobKind, Stage};
use futures::StreamExt;
use futures::stream::BoxStream;
use jobs::{JobRow, Outcome};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::doubles::FakeIngest;
use crate::server::{Answer, Server, settings};
use crate::{http_tests, seed};

/// Longest a frame may take in a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// A client of a stream.
struct Reader {
    bytes: BoxStream<'static, reqwest::Result<bytes::Bytes>>,
    buffer: String,
    headers: reqwest::header::HeaderMap,
}

/// A frame or a comment.
#[derive(Debug, Default, PartialEq)]
struct Frame {
    id: Option<i64>,
    event: String,
    data: Value,
    comment: String,
}

impl Reader {
    async fn open(server: &Server, job: &JobRow, last: Option<String>) -> Self {
        let request = server.request(Method::GET, &format!("/api/v1/ingest-jobs/{}/stream", job.id));
        let request = match last {
            Some(last) => request.header("Last-Event-ID", last),
            None => request,
        };
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), 200);
        let headers = response.headers().clone();
        let mut reader = Self { bytes: response.bytes_stream().boxed(), buffer: String::new(), headers };
        assert_eq!(reader.next().await.expect("a first frame").comment, "connected");
        reader
    }

    /// The next frame; `None` when the stream has ended.
    async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(end) = self.buffer.find("\n\n") {
                let frame = parse(&self.buffer[..end]);
                self.buffer.drain(..end + 2);
                return Some(frame);
            }
            let chunk = timeout(PATIENCE, self.bytes.next()).await.expect("the stream goes on")?;
            self.buffer.push_str(std::str::from_utf8(&chunk.expect("no broken stream")).expect("UTF-8"));
        }
    }

    /// The next frame that is no comment.
    async fn event(&mut self) -> Option<Frame> {
        loop {
            let frame = self.next().await?;
            if frame.comment.is_empty() {
                return Some(frame);
            }
        }
    }

    /// Every event to the end.
    async fn rest(mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(frame) = self.event().await {
            frames.push(frame);
        }
        frames
    }
}

fn parse(text: &str) -> Frame {
    let mut frame = Frame::default();
    for line in text.lines() {
        match line.split_once(':').map(|(name, value)| (name, value.trim_start())) {
            Some(("", comment)) => comment.clone_into(&mut frame.comment),
            Some(("id", id)) => frame.id = id.parse().ok(),
            Some(("event", event)) => event.clone_into(&mut frame.event),
            Some(("data", data)) => frame.data = serde_json::from_str(data).expect("JSON"),
            _ => panic!("a line of no known kind: {line}"),
        }
    }
    frame
}

fn events(frames: &[Frame]) -> Vec<&str> {
    frames.iter().map(|frame| frame.event.as_str()).collect()
}

http_tests! {
    async fn an_ended_job_is_replayed_and_the_stream_ends(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        seed::stage(&server.db, &job, Stage::Describe, json!({"described": 2})).await;
        seed::succeed(&server.db, &job).await;
        let reader = Reader::open(&server, &job, None).await;
        for (name, value) in [("content-type", "text/event-stream"), ("cache-control", "no-cache"), ("x-accel-buffering", "no")] {
            assert_eq!(reader.headers[name], value, "{name}");
        }
        let frames = reader.rest().await;
        assert_eq!(events(&frames), ["queued", "running", "described", "final"]);
        let third = &frames[2];
        assert_eq!(third.data["id"], json!(third.id));
        assert_eq!(json!([third.data["stage"], third.data["status"], third.data["message"]]), json!(["described", "ok", null]));
        assert_eq!(third.data["payload"]["described"], 2);
        assert!(third.data["created_at"].as_str().is_some_and(|time| time.ends_with('Z')));
    }

    async fn a_stream_opened_before_the_job_runs_sees_everything_in_order(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        let mut first = Reader::open(&server, &job, None).await;
        let mut second = Reader::open(&server, &job, None).await;
        for reader in [&mut first, &mut second] {
            assert_eq!(reader.event().await.expect("a frame").event, "queued");
            assert_eq!(reader.event().await.expect("a frame").event, "running");
        }
        for (n, stage) in [Stage::Sample, Stage::Profile, Stage::Describe].into_iter().enumerate() {
            seed::stage(&server.db, &job, stage, json!({ "n": n })).await;
            assert_eq!(first.event().await.expect("a frame").data["payload"]["n"], n);
        }
        seed::succeed(&server.db, &job).await;
        assert_eq!(events(&first.rest().await), ["final"]);
        assert_eq!(events(&second.rest().await), ["sampled", "profiled", "described", "final"]);
    }

    async fn a_resumed_stream_has_no_gap_and_no_repeat(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        let mut seen = Vec::new();
        let stages = [Stage::Parse, Stage::Reconcile, Stage::Sample, Stage::Profile, Stage::Describe, Stage::Embed];
        for stage in stages {
            // A new connection for every event, each cut after it.
            seed::stage(&server.db, &job, stage, json!({})).await;
            let last = seen.last().map(|id: &i64| id.to_string());
            let mut reader = Reader::open(&server, &job, last).await;
            seen.push(reader.event().await.expect("a frame").id.expect("an id"));
        }
        seed::succeed(&server.db, &job).await;
        let rest = Reader::open(&server, &job, seen.last().map(ToString::to_string)).await.rest().await;
        seen.extend(rest.iter().filter_map(|frame| frame.id));
        let ledger = server.get(&format!("/api/v1/ingest-jobs/{}/events", job.id)).await.ok(200);
        let ids: Vec<i64> = ledger["items"].as_array().expect("a list").iter().filter_map(|e| e["id"].as_i64()).collect();
        assert_eq!(seen, ids);
        assert_eq!(ids.len(), stages.len() + 3);
    }

    async fn joining_at_any_moment_shows_the_whole_ledger(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        let mut readers = Vec::new();
        for n in 0..60 {
            seed::stage(&server.db, &job, Stage::Sample, json!({ "n": n })).await;
            if n % 3 == 0 {
                readers.push(Reader::open(&server, &job, None).await);
            }
        }
        seed::succeed(&server.db, &job).await;
        let ledger = server.get(&format!("/api/v1/ingest-jobs/{}/events", job.id)).await.ok(200);
        let ids: Vec<i64> = ledger["items"].as_array().expect("a list").iter().filter_map(|e| e["id"].as_i64()).collect();
        assert_eq!(ids.len(), 63);
        for reader in readers {
            let seen: Vec<i64> = reader.rest().await.iter().filter_map(|frame| frame.id).collect();
            assert_eq!(seen, ids);
        }
    }

    async fn after_id_does_what_the_header_does(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        seed::succeed(&server.db, &job).await;
        let frames = Reader::open(&server, &job, None).await.rest().await;
        let path = format!("/api/v1/ingest-jobs/{}/stream?after_id={}", job.id, frames[1].id.expect("an id"));
        let text = server.get(&path).await.ok(200);
        let text = text.as_str().expect("text");
        assert!(text.contains("event: final") && !text.contains("event: running") && !text.contains("reset"), "{text}");
        let wrong = server.get(&format!("/api/v1/ingest-jobs/{}/stream?after_id=x", job.id)).await;
        assert_eq!(wrong.places(), ["query/after_id"]);
    }

    async fn an_unknown_last_event_id_resets(db: TestDb) {
        let server = Server::start(db).await;
        let other = seed::running(&server.db).await;
        let job = seed::running(&server.db).await;
        seed::succeed(&server.db, &job).await;
        let foreign = Reader::open(&server, &other, None).await.event().await.expect("a frame").id.expect("an id");
        for last in ["garbage".to_owned(), "999999".to_owned(), foreign.to_string()] {
            let frames = Reader::open(&server, &job, Some(last)).await.rest().await;
            assert_eq!(events(&frames), ["reset", "queued", "running", "final"]);
            assert_eq!(frames[0].id, None);
        }
    }

    async fn a_cancelled_waiting_job_ends_its_stream(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::pending(&server.db, server.scope(), server.dataset(), JobKind::RelationPass).await;
        let mut reader = Reader::open(&server, &job, None).await;
        assert_eq!(reader.event().await.expect("a frame").event, "queued");
        let cancel = format!("/api/v1/ingest-jobs/{}:cancel", job.id);
        Answer::of(server.request(Method::POST, &cancel)).await.ok(200);
        let frames = reader.rest().await;
        assert_eq!(events(&frames), ["error"]);
        assert_eq!(frames[0].data["status"], "error");
        assert!(frames[0].data.to_string().contains("JOB_CANCELLED"));
    }

    async fn the_job_is_terminal_when_its_last_frame_is_seen(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        let reader = Reader::open(&server, &job, None).await;
        seed::finish(&server.db, &job, Outcome::Failed(Failure::new(ErrorCode::ParseError, "line 3"))).await;
        assert_eq!(events(&reader.rest().await), ["queued", "running", "error"]);
        let read = server.get(&format!("/api/v1/ingest-jobs/{}", job.id)).await.ok(200);
        assert_eq!(json!([read["status"], read["result_json"]["error_code"]]), json!(["FAILED", "PARSE_ERROR"]));
    }

    async fn progress_is_shown_without_an_id(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        let mut reader = Reader::open(&server, &job, None).await;
        reader.event().await.expect("queued");
        reader.event().await.expect("running");
        let progress = Progress { stage: "parse".into(), table: Some("orders".into()), rows: 10, bytes: 100, bytes_total: Some(200) };
        let beat = jobs::Beat { claim: job.claim(), progress: Some(progress) };
        jobs::heartbeat::beat(&server.db.db(), &[beat], Duration::from_mins(1)).await.expect("kept");
        let frame = reader.event().await.expect("a frame");
        assert_eq!((frame.event.as_str(), frame.id), ("progress", None));
        assert_eq!(frame.data, json!({"stage": "parse", "table": "orders", "rows": 10, "bytes": 100, "bytes_total": 200}));
        seed::succeed(&server.db, &job).await;
        assert_eq!(events(&reader.rest().await), ["final"]);
    }

    async fn silence_is_filled_with_comments(db: TestDb) {
        let quick = flyquery_api::ApiSettings { keep_alive: Duration::from_millis(30), ..settings() };
        let server = Server::with(db, quick, FakeIngest::default()).await;
        let job = seed::running(&server.db).await;
        let mut reader = Reader::open(&server, &job, None).await;
        let mut comments = 0;
        while comments < 3 {
            comments += usize::from(reader.next().await.expect("a frame").comment == "keep-alive");
        }
    }

    async fn a_vanished_ledger_still_ends_the_stream(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        let reader = Reader::open(&server, &job, None).await;
        seed::succeed(&server.db, &job).await;
        let tx = server.db.fleet().await.expect("a transaction");
        tx.execute("DELETE FROM flyquery_ingest_events WHERE ingest_job_id = $1", db::params![job.id]).await.expect("deleted");
        tx.commit().await.expect("committed");
        reader.rest().await;
        assert!(Reader::open(&server, &job, None).await.rest().await.is_empty());
    }

    async fn a_stream_longer_than_a_page_comes_whole(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        let many: Vec<NewEvent> = (0..700).map(|n| NewEvent::ok(EventStage::Sampled, json!({ "n": n }))).collect();
        seed::stage_with(&server.db, &job, Stage::Sample, &many).await;
        seed::succeed(&server.db, &job).await;
        let frames = Reader::open(&server, &job, None).await.rest().await;
        assert_eq!(frames.len(), 703);
        assert!(frames.windows(2).all(|pair| pair[0].id < pair[1].id));
    }

    async fn a_burst_larger_than_the_buffer_cuts_nobody_who_reads(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        let mut reader = Reader::open(&server, &job, None).await;
        reader.event().await.expect("queued");
        reader.event().await.expect("running");
        let many: Vec<NewEvent> = (0..900).map(|n| NewEvent::ok(EventStage::Sampled, json!({ "n": n }))).collect();
        seed::stage_with(&server.db, &job, Stage::Sample, &many).await;
        seed::succeed(&server.db, &job).await;
        let frames = reader.rest().await;
        assert_eq!(frames.len(), 901);
        assert!(frames.windows(2).all(|pair| pair[0].id < pair[1].id));
    }

    async fn a_client_that_does_not_read_is_cut_and_misses_nothing(db: TestDb) {
        let impatient = flyquery_api::ApiSettings { stream_stall: Duration::ZERO, ..settings() };
        let server = Server::with(db, impatient, FakeIngest::default()).await;
        let job = seed::running(&server.db).await;
        let mut reader = Reader::open(&server, &job, None).await;
        reader.event().await.expect("queued");
        reader.event().await.expect("running");
        let text = "x".repeat(100 << 10);
        for round in 0..8 {
            let many: Vec<NewEvent> =
                (0..100).map(|n| NewEvent::ok(EventStage::Sampled, json!({ "n": round * 100 + n, "text": text }))).collect();
            seed::stage_with(&server.db, &job, Stage::Sample, &many).await;
        }
        seed::succeed(&server.db, &job).await;
        let mut seen: Vec<i64> = Vec::new();
        let mut rounds = 0;
        let mut reading = Some(reader);
        while let Some(reader) = reading.take() {
            let frames = reader.rest().await;
            seen.extend(frames.iter().filter_map(|frame| frame.id));
            rounds += 1;
            assert!(rounds < 20, "it ends");
            if frames.last().is_none_or(|frame| frame.event != "final") {
                reading = Some(Reader::open(&server, &job, seen.last().map(ToString::to_string)).await);
            }
        }
        assert!(rounds > 1, "it was cut");
        assert_eq!(seen.len(), 801);
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]));
    }

    async fn streams_end_on_shutdown_and_the_tailer_with_them(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        let mut reader = Reader::open(&server, &job, None).await;
        reader.event().await.expect("queued");
        reader.event().await.expect("running");
        server.shutdown.cancel();
        assert!(reader.event().await.is_none());
        server.tasks.close();
        timeout(PATIENCE, server.tasks.wait()).await.expect("no task is left behind");
    }

    async fn the_tailer_stops_when_nobody_watches(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        let mut reader = Reader::open(&server, &job, None).await;
        reader.event().await.expect("queued");
        reader.event().await.expect("running");
        seed::stage(&server.db, &job, Stage::Describe, json!({})).await;
        reader.event().await.expect("described: the tailer runs");
        drop(reader);
        server.tasks.close();
        timeout(PATIENCE, server.tasks.wait()).await.expect("the tailer has ended by itself");
    }
}
