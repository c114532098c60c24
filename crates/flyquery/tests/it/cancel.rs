//! Cancelling at each stage boundary and inside parse leaves nothing but the original and one terminal frame.

use serde_json::{Value, json};

use crate::server::{Server, count, objects, orders};

const ROWS: usize = 120_000;

async fn cancelled_at(point: &str) -> (Value, Vec<Value>, tempfile::TempDir) {
    let home = tempfile::tempdir().expect("a folder");
    let dir = home.path().join("data");
    let server = Server::start_with(&dir, &[("FLYQUERY_TEST_FAILPOINTS", point)]).await;
    let dataset = server.dataset("d").await;
    let job = server.upload(&dataset, "orders.csv", orders(ROWS)).await;
    server.wait_at(point);
    let (status, answer) = server.post(&format!("/api/v1/ingest-jobs/{job}:cancel"), &json!({})).await;
    assert_eq!(status, 200, "{answer}");
    server.open_gate(point);
    let row = server.ended(&job).await;
    let events = server.events(&job).await;
    let tables = server.get(&format!("/api/v1/datasets/{dataset}/tables")).await;
    let listed = tables["items"].as_array().expect("items").len();
    assert_eq!(listed, usize::from(row["status"] == "SUCCEEDED"), "{point}");
    assert_eq!(server.terminate().code(), Some(0));
    (row, events, home)
}

async fn leaves_nothing(point: &str) {
    let (row, events, home) = cancelled_at(point).await;
    assert_eq!(row["status"], "CANCELLED", "{point}: {row}");
    let terminal: Vec<&Value> = events.iter().filter(|e| e["stage"] == "final" || e["stage"] == "error").collect();
    assert_eq!(terminal.len(), 1, "{point}: {terminal:?}");
    assert_eq!(terminal[0]["stage"], "error");
    assert_eq!(terminal[0]["payload_json"]["code"], "JOB_CANCELLED", "{point}");
    let dir = home.path().join("data");
    let left = objects(&dir);
    assert_eq!(left.len(), 1, "{point}: only the original stays: {left:?}");
    assert!(left[0].contains("/files/"), "{left:?}");
    for table in [
        "flyquery_schema_snapshots",
        "flyquery_tables",
        "flyquery_schema_objects",
        "flyquery_schema_search_docsize",
        "flyquery_pending_objects",
    ] {
        assert_eq!(count(&dir, &format!("select count(*) as n from {table}")).await, 0, "{point}: {table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_before_each_stage_leaves_nothing() {
    let stages = ["receive", "parse", "reconcile", "sample", "profile", "relate", "describe", "tag_pii", "embed"];
    for pair in stages.chunks(2) {
        let points: Vec<String> = pair.iter().map(|stage| format!("{stage}.before")).collect();
        futures::future::join_all(points.iter().map(|point| leaves_nothing(point))).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_inside_parse_leaves_nothing() {
    leaves_nothing("parse.batch").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_inside_embed_leaves_nothing() {
    leaves_nothing("embed.batch").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_after_the_last_stage_before_publish_still_wins() {
    leaves_nothing("embed.committed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn publish_can_not_be_cancelled_once_it_has_begun() {
    let point = "publish.uncommitted";
    let home = tempfile::tempdir().expect("a folder");
    let dir = home.path().join("data");
    let server = Server::start_with(&dir, &[("FLYQUERY_TEST_FAILPOINTS", point)]).await;
    let dataset = server.dataset("d").await;
    let job = server.upload(&dataset, "orders.csv", orders(10)).await;
    server.wait_at(point);
    // The publish transaction holds the job: the cancel has to wait for it, and then finds a job that is done.
    let path = format!("/api/v1/ingest-jobs/{job}:cancel");
    let none = json!({});
    let (cancelled, ()) = futures::join!(server.post(&path, &none), async { server.open_gate(point) });
    assert_eq!((cancelled.0, cancelled.1["status"].as_str()), (200, Some("SUCCEEDED")), "{}", cancelled.1);
    assert_eq!(server.ended(&job).await["status"], "SUCCEEDED");
}
