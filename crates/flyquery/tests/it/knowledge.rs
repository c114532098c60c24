//! What is known of tables over time: drift, people's words, relations.

use std::time::Instant;

use serde_json::{Value, json};

use crate::server::{PATIENCE, Server, pause, text};

/// The object of a column of the table's current snapshot.
async fn column(server: &Server, table: &Value, name: &str) -> Value {
    let page = server.get(&format!("/api/v1/tables/{}/objects", text(&table["table_id"]))).await;
    let objects = page["items"].as_array().expect("items");
    let of_name = |o: &&Value| text(&o["qualified_name"]).rsplit('.').next() == Some(name) && o["kind"] == "COLUMN";
    objects.iter().find(of_name).unwrap_or_else(|| panic!("{name} is not in {page}")).clone()
}

fn before() -> Vec<u8> {
    let rows = (0..200).map(|i| format!("{i},city {},gone {},{}\n", i % 40, i * 7, i % 9));
    format!("id,town,gone,n\n{}", rows.collect::<String>()).into_bytes()
}

/// One column added (`came`), one removed (`gone`), one retyped (`n`), one renamed (`town` → `city`).
fn after() -> Vec<u8> {
    let rows = (0..300).map(|i| format!("{i},city {},note {i},{}.5\n", i % 45, i % 9));
    format!("id,city,came,n\n{}", rows.collect::<String>()).into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_upload_gives_exactly_its_four_changes_and_the_old_snapshot_still_answers() {
    let (server, dataset, _home) = Server::fresh(&[]).await;
    let first = server.ingest(&dataset, "places.csv", before()).await;
    let town = column(&server, &first, "town").await;
    let path = format!("/api/v1/schema-objects/{}", text(&town["id"]));
    let put = server.http.put(format!("{}{path}", server.url)).json(&json!({"description": "where it is"}));
    assert_eq!(put.send().await.expect("an answer").status(), 200);
    let second = server.ingest(&dataset, "places.csv", after()).await;
    assert_eq!(second["table_id"], first["table_id"]);
    let changes = server.get(&format!("/api/v1/tables/{}/changes", text(&first["table_id"]))).await;
    let items = changes["items"].as_array().expect("items");
    let seen: Vec<(&str, &str)> = items
        .iter()
        .map(|c| (c["change"].as_str().unwrap_or_default(), c["column_name"].as_str().unwrap_or_default()))
        .collect();
    let expected = [("TYPE_CHANGED", "n"), ("RENAMED", "town"), ("REMOVED", "gone"), ("ADDED", "came")];
    assert_eq!(seen, expected, "{changes}");
    assert_eq!(items[1]["after_json"]["column_name"], "city");
    assert_eq!(column(&server, &second, "city").await["description"], "where it is", "words go with the column");
    let body = json!({
        "dataset_id": dataset, "sql": "select count(gone), count(*) from places", "include_rows": true,
        "snapshot_pins": {"places": first["snapshot_id"]},
    });
    let (status, pinned) = server.post("/api/v1/sql:execute", &body).await;
    assert_eq!((status, &pinned["rows"]), (200, &json!([[200, 200]])), "{pinned}");
}

#[tokio::test(flavor = "multi_thread")]
async fn words_written_while_a_new_version_is_made_are_kept() {
    let point = "embed.before";
    let (server, dataset, _home) = Server::fresh(&[("FLYQUERY_TEST_FAILPOINTS", point)]).await;
    server.open_gate(point);
    let first = server.ingest(&dataset, "places.csv", before()).await;
    server.close_gate(point);
    let job = server.upload(&dataset, "places.csv", before()).await;
    let started = Instant::now();
    while !server.events(&job).await.iter().any(|event| event["stage"] == "pii_tagged") {
        assert!(started.elapsed() < PATIENCE, "the second version is not tagged");
        pause().await;
    }
    let id = text(&column(&server, &first, "town").await["id"]);
    let url = format!("{}/api/v1/schema-objects/{id}", server.url);
    let said = json!({"description": "the nearest town", "pii_tag": "LOCATION"});
    let put = server.http.put(url).json(&said);
    assert_eq!(put.send().await.expect("an answer").status(), 200);
    server.open_gate(point);
    assert_eq!(server.ended(&job).await["status"], "SUCCEEDED");
    let town = column(&server, &first, "town").await;
    assert_ne!(town["id"], id.as_str());
    assert_eq!((&town["description"], &town["description_source"]), (&said["description"], &json!("HUMAN")));
    assert_eq!((&town["pii_tag"], &town["samples"]), (&json!("LOCATION"), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_joins_others_is_related_to_them() {
    let (server, dataset, _home) = Server::fresh(&[]).await;
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples");
    for name in ["orders.csv", "products.csv", "customers.csv"] {
        let bytes = std::fs::read(format!("{samples}/{name}")).expect("a sample");
        server.ingest(&dataset, name, bytes).await;
    }
    let started = Instant::now();
    let passes = loop {
        let page = server.get("/api/v1/ingest-jobs?kind=RELATION_PASS").await;
        let jobs = page["items"].as_array().expect("items").clone();
        if !jobs.is_empty() && jobs.iter().all(|job| job["status"] == "SUCCEEDED") {
            break jobs;
        }
        assert!(started.elapsed() < PATIENCE, "no pass over the relations ends: {page}");
        pause().await;
    };
    assert!(passes.len() <= 2, "one for each table that joined others: {passes:?}");
    let relations = server.get(&format!("/api/v1/datasets/{dataset}/relations")).await;
    let mut ends: Vec<String> = relations["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|r| {
            format!(
                "{}.{} → {}.{}",
                text(&r["from_table_name"]),
                text(&r["from_column_name"]),
                text(&r["to_table_name"]),
                text(&r["to_column_name"])
            )
        })
        .collect();
    ends.sort();
    assert_eq!(ends, ["orders.customer_id → customers.id", "orders.product_sku → products.sku"]);
}
