//! Versions of a table: uploads into it, re-reading a stored original, and queries that go on meanwhile.

use serde_json::{Value, json};

use crate::server::{Server, count, objects, text};

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_any_name_becomes_the_next_version_of_the_table_it_is_sent_to() {
    let (server, dataset, _home) = Server::fresh(&[]).await;
    let first = server.ingest(&dataset, "places.csv", b"id,town\n1,Porto\n".to_vec()).await;
    let id = &first["table_id"];
    let (status, second) = server.upload_into(&dataset, id, "export (3).csv", b"id,town\n1,Porto\n2,Nice\n").await;
    assert_eq!(status, 200, "{second}");
    assert_eq!((&second["n_columns"], &second["n_rows_actual"]), (&json!(2), &json!(2)));
    assert_eq!(second["status"], "SUCCEEDED");
    assert_eq!((&second["tables"][0]["table_id"], &second["tables"][0]["name"]), (id, &json!("places")));
    assert_eq!(second["tables"][0]["snapshot_id"], second["snapshot_id"]);
    assert_eq!(server.sql(&dataset, "select count(*) from places").await, json!([[2]]));

    // of several tables, the one of its name; nothing is made of the others
    let several = br#"{"other": [{"a": 1}], "places": [{"id": 1, "town": "Bergen"}]}"#;
    let (status, third) = server.upload_into(&dataset, id, "all.json", several).await;
    assert_eq!(status, 200, "{third}");
    assert_eq!(server.sql(&dataset, "select town from places").await, json!([["Bergen"]]));
    let tables = server.get(&format!("/api/v1/datasets/{dataset}/tables")).await;
    assert_eq!(tables["total"], 1, "{tables}");
    // from now on, the one that stands where the table came from
    let moved = br#"{"places2": [{"id": 2}], "places": [{"id": 1, "town": "Oslo"}, {"id": 2, "town": "Rome"}]}"#;
    let (status, fourth) = server.upload_into(&dataset, id, "all.json", moved).await;
    assert_eq!((status, &fourth["n_rows_actual"]), (200, &json!(2)), "{fourth}");
    let parquet = objects(&server.dir).iter().filter(|key| key.ends_with(".parquet")).count();
    assert_eq!(parquet, 4, "one for each version: {:?}", objects(&server.dir));

    let elsewhere = server.dataset("elsewhere").await;
    for (dataset, table) in [(&elsewhere, id.clone()), (&dataset, json!(uuid::Uuid::nil()))] {
        let (status, problem) = server.upload_into(dataset, &table, "a.csv", b"a\n1\n").await;
        assert_eq!((status, &problem["code"]), (404, &json!("resource_not_found")), "{problem}");
    }
    let (status, problem) = server.upload_into(&dataset, id, "a.csv", b"").await;
    assert_eq!((status, &problem["code"]), (422, &json!("EMPTY_FILE")), "{problem}");
    assert_eq!(server.sql(&dataset, "select count(*) from places").await, json!([[2]]), "the last version stands");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_original_is_read_again_without_a_second_row_or_blob() {
    let (server, dataset, _home) = Server::fresh(&[]).await;
    server.ingest(&dataset, "t.csv", b"v\nold\n".to_vec()).await;
    let files = server.get("/api/v1/ingest-jobs").await;
    let file = text(&files["items"][0]["file_id"]);
    let again = json!({"job_kind": "REPARSE", "dataset_id": dataset, "file_id": file});
    let reparse = async || {
        let (status, job) = server.post("/api/v1/ingest-jobs", &again).await;
        assert_eq!(status, 201, "{job}");
        server.ended(&text(&job["id"])).await
    };
    let sql = "SELECT COUNT(*) AS n FROM flyquery_files";
    let stored = "SELECT storage_used_bytes AS n FROM flyquery_workspaces";
    let (originals, used) = (objects(&server.dir).len(), count(&server.dir, stored).await);
    let job = reparse().await;
    assert_eq!((&job["status"], &job["job_kind"]), (&json!("SUCCEEDED"), &json!("REPARSE")), "{job}");
    assert_eq!(count(&server.dir, sql).await, 1, "no new file row");
    assert_eq!(objects(&server.dir).len(), originals + 1, "only the new version's Parquet came");
    assert_eq!(count(&server.dir, stored).await, used, "the original is not counted twice");
    let stages: Vec<Value> = server.events(&text(&job["id"])).await.into_iter().map(|e| e["stage"].clone()).collect();
    for stage in ["received", "parsed", "reconciled", "profiled", "published", "final"] {
        assert!(stages.contains(&json!(stage)), "{stage} is not in {stages:?}");
    }

    // a later file is current; reading the earlier one again does not push it aside (decision 40)
    server.ingest(&dataset, "t.csv", b"v\nnew\n".to_vec()).await;
    let job = reparse().await;
    assert_eq!(job["result_json"]["warnings"][0]["code"], "SUPERSEDED", "{job}");
    assert_eq!(server.sql(&dataset, "select v from t").await, json!([["new"]]));
}

/// Version `v`: `100 + v` rows that all say so.
fn version(v: usize) -> Vec<u8> {
    let rows = (0..100 + v).map(|i| format!("{v},{},{}\n", i * 3, (i + v) % 7));
    format!("v,x,y\n{}", rows.collect::<String>()).into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_beside_fifty_uploads_see_only_whole_versions() {
    let (server, dataset, _home) = Server::fresh(&[]).await;
    server.ingest(&dataset, "t.csv", version(0)).await;
    let uploads = async {
        for v in 1..=50 {
            server.ingest(&dataset, "t.csv", version(v)).await;
        }
    };
    let seen = async {
        let mut seen = Vec::new();
        loop {
            let rows = server.sql(&dataset, "select min(v), max(v), count(*), sum(x), sum(y) from t").await;
            let number = |i: usize| rows[0][i].as_u64().unwrap_or_else(|| panic!("{rows}"));
            let v = number(0);
            let n = 100 + v;
            let y: u64 = (0..n).map(|i| (i + v) % 7).sum();
            assert_eq!((number(1), number(2), number(3), number(4)), (v, n, 3 * n * (n - 1) / 2, y), "{rows}");
            seen.push(v);
            if v == 50 {
                return seen;
            }
        }
    };
    let ((), seen) = tokio::join!(uploads, seen);
    assert!(seen.is_sorted(), "a version came back: {seen:?}");
    let mut versions = seen;
    versions.dedup();
    assert!(versions.len() > 10, "the queries ran beside the uploads: {versions:?}");
}
