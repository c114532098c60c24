//! Walls between tenants and workspaces: what is another's answers 404, never 403.

use domain::JobKind;
use reqwest::Method;
use serde_json::json;

use crate::server::{Answer, Server};
use crate::{http_tests, seed};

http_tests! {
    async fn nothing_of_one_workspace_is_seen_from_another(db: TestDb) {
        let server = Server::start(db).await;
        let foreign = server.db.other_scope("globex").await;
        let sibling = server.db.other_scope("acme").await;
        let orders = seed::published(&server.db, "orders").await;
        let file = seed::file(&server.db).await;
        let job = seed::pending(&server.db, server.scope(), server.dataset(), JobKind::DescribePass).await;
        let paths = [
            format!("/api/v1/datasets/{}", server.dataset()),
            format!("/api/v1/datasets/{}/tables", server.dataset()),
            "/api/v1/datasets/by-name/sales".to_owned(),
            format!("/api/v1/tables/{}", orders.table),
            format!("/api/v1/tables/{}/rows", orders.table),
            format!("/api/v1/tables/{}/snapshots/{}", orders.table, orders.snapshot),
            "/api/v1/tables/by-name/orders".to_owned(),
            format!("/api/v1/schema-objects/{}", orders.column),
            format!("/api/v1/ingest-jobs/{}", job.id),
            format!("/api/v1/ingest-jobs/{}/events", job.id),
            format!("/api/v1/ingest-jobs/{}/stream", job.id),
        ];
        for scope in [&foreign, &sibling] {
            let ask = |method: Method, path: &str| {
                server.bare(method, path).header("X-Tenant-Id", scope.tenant.as_str())
                    .header("X-Workspace-Id", scope.workspace.to_string())
            };
            for path in &paths {
                Answer::of(ask(Method::GET, path)).await.problem(404, "resource_not_found");
            }
            for path in ["/api/v1/datasets", "/api/v1/tables", "/api/v1/ingest-jobs"] {
                assert_eq!(Answer::of(ask(Method::GET, path)).await.ok(200)["total"], 0, "{path}");
            }
            let cancel = format!("/api/v1/ingest-jobs/{}:cancel", job.id);
            Answer::of(ask(Method::POST, &cancel)).await.problem(404, "resource_not_found");
            let dataset = format!("/api/v1/datasets/{}", server.dataset());
            Answer::of(ask(Method::DELETE, &dataset)).await.problem(404, "resource_not_found");
            Answer::of(ask(Method::PUT, &dataset).json(&json!({"name": "mine"}))).await.problem(404, "resource_not_found");
            for body in [json!({"job_kind": "REPARSE", "file_id": file}),
                json!({"job_kind": "SAMPLE_REFRESH", "table_id": orders.table}),
                json!({"job_kind": "DESCRIBE_PASS", "dataset_id": server.dataset()})] {
                let post = ask(Method::POST, "/api/v1/ingest-jobs").json(&body);
                Answer::of(post).await.problem(404, "resource_not_found");
            }
            server.search.finds.lock().expect("no panic").push(orders.column);
            let found = Answer::of(ask(Method::GET, "/api/v1/schema-objects:search?q=amount")).await.ok(200);
            assert_eq!(found, json!({"items": []}));
            let sql = json!({"dataset_id": server.dataset(), "sql": "select 1"});
            Answer::of(ask(Method::POST, "/api/v1/sql:execute").json(&sql)).await.problem(404, "resource_not_found");
        }
    }

    async fn a_foreign_workspace_is_not_found_by_header_path_or_filter(db: TestDb) {
        let server = Server::start(db).await;
        let foreign = server.db.other_scope("globex").await;
        let path = format!("/api/v1/workspaces/{}", foreign.workspace);
        server.get(&path).await.problem(404, "resource_not_found");
        server.put(&path, &json!({"name": "mine"})).await.problem(404, "resource_not_found");
        server.get(&format!("/api/v1/datasets?workspace_id={}", foreign.workspace)).await.problem(404, "workspace_not_found");
        let header = server.bare(Method::GET, "/api/v1/datasets").header("X-Tenant-Id", "acme")
            .header("X-Workspace-Id", foreign.workspace.to_string());
        Answer::of(header).await.problem(404, "workspace_not_found");
        assert_eq!(server.get("/api/v1/workspaces").await.ok(200)["total"], 1);
    }
}
