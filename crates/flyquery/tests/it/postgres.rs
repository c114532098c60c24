//! The same whole way on PostgreSQL: upload, stages, drift, relations, search, SQL, an end in order.

use serde_json::json;
use test_support::FreshPostgres;

use crate::server::{Server, text};

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_way_works_on_postgres() {
    let database = FreshPostgres::create().await;
    let home = tempfile::tempdir().expect("a folder");
    let server = Server::start_on_postgres(&home.path().join("data"), &database.url()).await;
    let dataset = server.dataset("d").await;
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples");
    for name in ["customers.csv", "orders.csv"] {
        let bytes = std::fs::read(format!("{samples}/{name}")).expect("a sample");
        let job = server.upload(&dataset, name, bytes).await;
        let row = server.ended(&job).await;
        assert_eq!(row["status"], "SUCCEEDED", "{row}");
    }
    let first = b"id,town\n1,Bergen\n2,Porto\n3,Nice\n4,Boston\n5,Dresden\n".to_vec();
    let second = String::from_utf8(first.clone()).expect("text").replace("town", "city").into_bytes();
    let mut table = String::new();
    for bytes in [first, second] {
        let (status, body) = server.upload_any(&dataset, "files", "places.csv", bytes).await;
        assert_eq!(status, 200, "{body}");
        table = text(&body["tables"][0]["table_id"]);
    }
    let changes = server.get(&format!("/api/v1/tables/{table}/changes")).await;
    let only = &changes["items"][0];
    assert_eq!(
        (&changes["total"], &only["change"], &only["column_name"]),
        (&json!(1), &json!("RENAMED"), &json!("town"))
    );
    let relations = server.get(&format!("/api/v1/datasets/{dataset}/relations")).await;
    assert_eq!(relations["items"][0]["from_column_name"], "customer_id", "{relations}");
    let found = server.get("/api/v1/schema-objects:search?q=custmer+emial&top_k=1").await;
    assert_eq!(found["items"][0]["object"]["qualified_name"], "d.customers.email", "{found}");
    let joined = "select count(*) from orders o join customers c on c.id = o.customer_id";
    assert_eq!(server.sql(&dataset, joined).await, json!([[150]]));
    assert_eq!(server.terminate().code(), Some(0));
    database.remove().await;
}
