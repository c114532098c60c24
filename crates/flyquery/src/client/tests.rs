//! The client against a server that does what servers do: cuts streams, repeats itself, refuses, is away.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use domain::{DatasetId, JobId};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::*;
use crate::settings::{Environment, Override};

/// What the fake server was asked.
#[derive(Clone, Default)]
struct Seen {
    resumed_after: Arc<Mutex<Vec<Option<String>>>>,
    uploaded: Arc<AtomicUsize>,
}

async fn start(router: Router) -> (String, JoinSet<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { axum::serve(listener, router).await.expect("serves") });
    (url, tasks)
}

fn settings(url: &str) -> Arc<Settings> {
    let flag = Override { name: "SERVER", flag: "--server", text: url.to_owned() };
    Arc::new(Settings::load(&Environment::of([("HOME", "/h")], ""), &[flag]).expect("valid").settings)
}

fn router(seen: Seen) -> Router {
    Router::new()
        .route("/api/v1/version", get(async || Json(json!({"name": "flyquery", "version": "0"}))))
        .route("/api/v1/ingest-jobs/{id}/stream", get(stream))
        .route("/api/v1/datasets/{id}/files:async", post(upload))
        .with_state(seen)
}

/// What each connection tells before it is cut; the second starts over, as after a `reset`.
const CONNECTIONS: [std::ops::RangeInclusive<usize>; 3] = [1..=2, 1..=4, 5..=5];
const STAGES: [&str; 5] = ["queued", "running", "parsed", "embedded", "final"];

async fn stream(State(seen): State<Seen>, request: Request) -> Response {
    let after = request.headers().get("last-event-id").map(|id| id.to_str().expect("ASCII").to_owned());
    let mut resumed = seen.resumed_after.lock().expect("unpoisoned");
    let frames = CONNECTIONS[resumed.len()].clone().map(|id| {
        let stage = STAGES[id - 1];
        let data = json!({"id": id, "stage": stage, "status": "ok", "message": null, "payload": {}, "created_at": "t"});
        format!("id: {id}\nevent: {stage}\ndata: {data}\n\n")
    });
    let body = format!(": connected\n\n{}", frames.collect::<Vec<_>>().concat());
    resumed.push(after);
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

async fn upload(State(seen): State<Seen>, Path(_dataset): Path<Uuid>, request: Request) -> Response {
    let length = request.headers().get(header::CONTENT_LENGTH).is_some();
    let mut body = request.into_body().into_data_stream();
    while let Some(chunk) = body.next().await {
        seen.uploaded.fetch_add(chunk.expect("whole").len(), Ordering::SeqCst);
    }
    if length {
        (StatusCode::ACCEPTED, Json(json!({"job_id": Uuid::nil(), "file_id": Uuid::nil(), "status": "PENDING"})))
            .into_response()
    } else {
        let problem = json!({"code": "bad_request", "title": "No length"});
        (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "application/problem+json")], problem.to_string())
            .into_response()
    }
}

#[tokio::test]
async fn a_cut_stream_goes_on_without_gap_or_repeat() {
    let seen = Seen::default();
    let (url, _tasks) = start(router(seen.clone())).await;
    let session = Session::open(settings(&url)).await.expect("answers");
    let mut ids = Vec::new();
    follow(&session, JobId(Uuid::nil()), &mut |event| {
        if let StreamEvent::Ledger { id, .. } = event {
            ids.push(*id);
        }
    })
    .await
    .expect("ends");
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    let resumed = seen.resumed_after.lock().expect("unpoisoned").clone();
    assert_eq!(resumed, [None, Some("2".to_owned()), Some("4".to_owned())]);
}

#[tokio::test]
async fn a_file_is_sent_with_its_length_and_every_byte_is_told() {
    let seen = Seen::default();
    let (url, _tasks) = start(router(seen.clone())).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csv");
    std::fs::write(&path, vec![b'x'; 1_000_000]).expect("written");
    let server = Server::new(&url, &settings(&url)).expect("a client");
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    let sent = server.upload(DatasetId(Uuid::nil()), &path, move |bytes| {
        count.fetch_add(bytes as usize, Ordering::SeqCst);
    });
    sent.await.expect("accepted");
    assert_eq!(told.load(Ordering::SeqCst), 1_000_000);
    assert!(seen.uploaded.load(Ordering::SeqCst) > 1_000_000, "the file and its frame");
}

#[tokio::test]
async fn a_refusal_is_an_answer_and_silence_is_not() {
    let refuse = async || (StatusCode::NOT_FOUND, Json(json!({"code": "resource_not_found", "title": "No such"})));
    let (url, tasks) = start(Router::new().route("/api/v1/datasets/by-name/{name}", get(refuse))).await;
    let server = Server::new(&url, &settings(&url)).expect("a client");
    let refused = server.dataset("a/b").await.expect_err("refused");
    assert!(matches!(&refused, CliError::Refused(problem) if problem.code() == "resource_not_found"), "{refused}");
    drop(tasks);
    let away = Server::new("http://127.0.0.1:9", &settings(&url)).expect("a client").greet().await.expect_err("away");
    assert!(matches!(&away, CliError::Unreachable(text) if text.starts_with("cannot reach the server at")), "{away}");
}

#[tokio::test]
async fn another_product_on_the_port_is_not_taken_for_a_server() {
    let other = async || Json(json!({"name": "other", "version": "1"}));
    let (url, _tasks) = start(Router::new().route("/api/v1/version", get(other))).await;
    let server = Server::new(&url, &settings(&url)).expect("a client");
    assert!(matches!(server.greet().await, Err(CliError::Strange(text)) if text.contains("is not flyquery")));
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_told_as_such() {
    let broken = async || {
        let body = futures::stream::iter([Ok::<_, std::io::Error>("{"), Err(std::io::Error::other("cut"))]);
        Ok::<_, Infallible>(Response::new(Body::from_stream(body)))
    };
    let (url, _tasks) = start(Router::new().route("/api/v1/version", get(broken))).await;
    let server = Server::new(&url, &settings(&url)).expect("a client");
    let error = server.get::<Value>("/version", &[]).await.expect_err("broken");
    assert!(matches!(&error, CliError::Unreachable(text) if text.starts_with("lost the connection")), "{error}");
}

#[test]
fn a_server_of_this_machine_is_reached_without_a_proxy() {
    for base in ["http://127.0.0.1:8520", "http://localhost", "http://[::1]:1/x", "http://LOCALHOST:1"] {
        assert!(is_loopback(base), "{base}");
    }
    for base in ["http://example.com", "http://127.0.0.1.example.com", "http://10.0.0.1:8520"] {
        assert!(!is_loopback(base), "{base}");
    }
}

#[test]
fn names_become_one_segment_of_a_path() {
    assert_eq!(encode("a/b c:d"), "a%2Fb%20c%3Ad");
}
