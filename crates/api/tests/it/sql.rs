//! `sql:execute`.

use serde_json::json;

use crate::server::Server;
use crate::{http_tests, seed};

http_tests! {
    async fn a_statement_answers_with_a_preview_and_rows_on_request(db: TestDb) {
        let server = Server::start(db).await;
        let orders = seed::published(&server.db, "orders").await;
        let body = json!({"dataset_id": server.dataset(), "sql": "select * from orders"});
        let plain = server.post("/api/v1/sql:execute", &body).await.ok(200);
        assert_eq!(json!([plain["execution_status"], plain["ast_classification"], plain["row_count"], plain["truncated"]]),
            json!(["OK", "SELECT", 12, false]));
        assert_eq!(plain["preview"].as_array().map(Vec::len), Some(10));
        assert_eq!(plain["preview"][1], json!({"id": 1, "amount": "1.50"}));
        assert_eq!(json!([plain["columns"], plain["rows"], plain["error"]]), json!([null, null, null]));
        assert_eq!(plain["snapshot_pins"], json!({"orders": orders.snapshot}));
        let body = json!({"dataset_id": server.dataset(), "sql": "select 1", "include_rows": true, "row_cap": 3});
        let full = server.post("/api/v1/sql:execute", &body).await.ok(200);
        assert_eq!(full["rows"], json!([[0, "0.50"], [1, "1.50"], [2, "2.50"]]));
        assert_eq!(json!([full["truncated"], full["columns"][0]["data_type"]]), json!([true, "BIGINT"]));
    }

    async fn refused_wrong_and_broken_statements_answer_200_with_their_reason(db: TestDb) {
        let server = Server::start(db).await;
        let run = |sql: &str| {
            let body = json!({"dataset_id": server.dataset(), "sql": sql});
            let server = &server;
            async move { server.post("/api/v1/sql:execute", &body).await.ok(200) }
        };
        let refused = run("drop table x").await;
        assert_eq!(json!([refused["execution_status"], refused["error"]["code"]]), json!(["REJECTED_BY_FIREWALL", "sql_error"]));
        let wrong = run("selct 1").await;
        assert_eq!(json!([wrong["execution_status"], wrong["ast_classification"], wrong["error"]["message"]]),
            json!(["FAILED", "UNKNOWN", "unknown word"]));
        let broken = run("crash").await;
        assert_eq!(broken["error"]["code"], "internal_error");
        assert!(!broken.to_string().contains("s3://secret"));
    }

    async fn pins_must_be_ready_snapshots_of_the_table(db: TestDb) {
        let server = Server::start(db).await;
        let orders = seed::published(&server.db, "orders").await;
        let tx = server.db.tx().await;
        let (newer, _) = seed::snapshot(&tx, &server.db, orders.table, "orders").await;
        tx.commit().await.expect("committed");
        let run = |pins: serde_json::Value| {
            let body = json!({"dataset_id": server.dataset(), "sql": "select 1", "snapshot_pins": pins});
            let server = &server;
            async move { server.post("/api/v1/sql:execute", &body).await }
        };
        assert_eq!(run(json!({})).await.ok(200)["snapshot_pins"]["orders"], json!(newer));
        let pinned = run(json!({"orders": orders.snapshot})).await.ok(200);
        assert_eq!(pinned["snapshot_pins"]["orders"], json!(orders.snapshot));
        for pins in [json!({"orders": server.dataset()}), json!({"others": orders.snapshot})] {
            run(pins).await.problem(422, "invalid_request");
        }
        run(json!({"orders": "x"})).await.problem(422, "validation_error");
    }

    async fn a_workspace_without_direct_sql_refuses(db: TestDb) {
        let server = Server::start(db).await;
        let workspace = format!("/api/v1/workspaces/{}", server.scope().workspace);
        server.put(&workspace, &json!({"allow_direct_sql": false})).await.ok(200);
        let body = json!({"dataset_id": server.dataset(), "sql": "select 1"});
        server.post("/api/v1/sql:execute", &body).await.problem(403, "direct_sql_forbidden");
        let empty = server.post("/api/v1/sql:execute", &json!({})).await;
        assert_eq!(empty.places(), ["/dataset_id", "/sql"]);
    }
}
