//! `kill -9` at every fail point, then a restart: the job resumes or runs again, and leaves exactly one whole table.

use crate::server::{Server, count, objects, orders};

/// Rows of the test file: several batches, so that there is an inside to be killed in.
const ROWS: usize = 40_000;

/// Where the process is killed: before each stage, after its work but before its commit, after the commit; inside
/// parse; inside the transaction that publishes; after it.
fn points() -> Vec<String> {
    let stages = ["parse", "reconcile", "sample", "profile", "relate", "describe", "tag_pii", "embed"];
    let mut points = vec!["receive.before".to_owned(), "receive.committed".to_owned()];
    for stage in stages {
        for place in ["before", "uncommitted", "committed"] {
            points.push(format!("{stage}.{place}"));
        }
    }
    points.extend(["parse.batch", "publish.before", "publish.uncommitted", "finish.committed"].map(str::to_owned));
    points
}

async fn killed_at(point: &str) {
    let home = tempfile::tempdir().expect("a folder");
    let dir = home.path().join("data");
    let server = Server::start_with(&dir, &[("FLYQUERY_TEST_FAILPOINTS", point)]).await;
    let dataset = server.dataset("d").await;
    let job = server.upload(&dataset, "orders.csv", orders(ROWS)).await;
    server.wait_at(point);
    server.kill();

    let server = Server::start(&dir).await;
    let row = server.ended(&job).await;
    assert_eq!(row["status"], "SUCCEEDED", "{point}: {row}");
    let events = server.events(&job).await;
    let terminal = events.iter().filter(|e| e["stage"] == "final" || e["stage"] == "error").count();
    assert_eq!(terminal, 1, "{point}: one terminal event");
    if point == "parse.committed" {
        let parsed = events.iter().filter(|e| e["stage"] == "parsed").count();
        assert_eq!(parsed, 1, "a committed parse is not done again");
    }
    let expected = serde_json::json!([[ROWS, ROWS, ROWS as u64 * (ROWS as u64 - 1) / 2]]);
    let rows = server.sql(&dataset, "select count(*), count(distinct id), sum(id) from orders").await;
    assert_eq!(rows, expected, "{point}");
    assert_eq!(server.terminate().code(), Some(0), "{point}");

    // The start sweeps; what is then in the store is the original and the one published table.
    let server = Server::start(&dir).await;
    assert_eq!(server.terminate().code(), Some(0), "{point}");
    let left = objects(&dir);
    assert_eq!(left.len(), 2, "{point}: {left:?}");
    assert_eq!(count(&dir, "select count(*) as n from flyquery_pending_objects").await, 0, "{point}");
    assert_eq!(count(&dir, "select count(*) as n from flyquery_schema_snapshots").await, 1, "{point}");
    let ready = "select count(*) as n from flyquery_schema_snapshots where status = 'READY'";
    assert_eq!(count(&dir, ready).await, 1, "{point}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_at_every_fail_point_leaves_one_whole_table() {
    let points = points();
    for pair in points.chunks(2) {
        futures::future::join_all(pair.iter().map(|point| killed_at(point))).await;
    }
}
