//! What problems look like on the wire.

use domain::ErrorCode;
use reqwest::Method;
use serde_json::json;

use crate::http_tests;
use crate::server::{Answer, Server};

http_tests! {
    async fn problems_keep_their_shape(db: TestDb) {
        let server = Server::start(db).await;
        let ask = |method, path: &str| server.request(method, path).header("X-Correlation-Id", "corr-1");
        let unknown = "/api/v1/datasets/3fa85f64-5717-4562-b3fc-2c963f66afa6";
        insta::assert_json_snapshot!("unknown_id", Answer::of(ask(Method::GET, unknown)).await.body);
        insta::assert_json_snapshot!("unknown_route", Answer::of(ask(Method::GET, "/api/v2/x")).await.body);
        insta::assert_json_snapshot!("unknown_method", Answer::of(ask(Method::DELETE, "/api/v1/tables")).await.body);
        let body = json!({"name": 7, "default_locale": ""});
        let wrong = ask(Method::POST, "/api/v1/datasets").json(&body);
        insta::assert_json_snapshot!("wrong_body", Answer::of(wrong).await.body);
        let taken = ask(Method::POST, "/api/v1/datasets").json(&json!({"name": "sales"}));
        insta::assert_json_snapshot!("taken_name", Answer::of(taken).await.body);
        let bare = server.bare(Method::GET, "/api/v1/tables").header("X-Correlation-Id", "corr-1");
        insta::assert_json_snapshot!("no_tenant", Answer::of(bare).await.body);
    }

    async fn framework_refusals_are_problems_too(db: TestDb) {
        let server = Server::start(db).await;
        let method = Answer::of(server.request(Method::DELETE, "/api/v1/workspaces")).await;
        assert_eq!(method.headers["allow"], "POST,GET,HEAD");
        method.problem(405, "method_not_allowed");
        server.get("/").await.problem(404, "resource_not_found");
        server.get("/api/v1/datasets/by-name/%FF").await.problem(400, "bad_request");
        server.get("/api/v1/ingest-jobs/x/~cancel").await.problem(405, "method_not_allowed");
        let head = server.request(Method::HEAD, "/api/v1/datasets/7").send().await.expect("an answer");
        assert_eq!(head.status(), 422);
    }

    async fn every_code_has_its_page(db: TestDb) {
        let server = Server::start(db).await;
        let list = server.get("/problems").await.ok(200);
        for code in ErrorCode::ALL {
            assert!(list.as_str().expect("text").contains(code.as_str()), "{code}");
            let page = Answer::of(server.bare(Method::GET, &format!("/problems/{code}"))).await;
            assert_eq!(page.headers["content-type"], "text/markdown; charset=utf-8");
            assert!(page.ok(200).as_str().expect("text").contains(code.as_str()), "{code}");
        }
        server.get("/problems/none_such").await.problem(404, "resource_not_found");
        let html = server.bare(Method::GET, "/problems/conflict").header("Accept", "text/html,*/*");
        let html = Answer::of(html).await;
        assert_eq!(html.headers["content-type"], "text/html; charset=utf-8");
        assert!(html.ok(200).as_str().expect("text").starts_with("<!doctype html>"));
    }
}
