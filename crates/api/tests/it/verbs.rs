//! Custom verbs and the documented paths.

use reqwest::Method;
use serde_json::Value;

use crate::http_tests;
use crate::server::{Answer, Server};

const ID: &str = "3fa85f64-5717-4562-b3fc-2c963f66afa6";

/// Every documented operation with its path filled in.
pub fn operations(document: &Value) -> Vec<(Method, String)> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("operations").keys() {
            let method = method.to_uppercase().parse().expect("a method");
            let filled: Vec<String> = path.split('/').map(fill).collect();
            found.push((method, filled.join("/")));
        }
    }
    found
}

fn fill(segment: &str) -> String {
    match segment.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((_, verb)) => format!("{ID}{verb}"),
        None => segment.to_owned(),
    }
}

http_tests! {
    async fn every_documented_path_is_routed(db: TestDb) {
        let server = Server::start(db).await;
        let document = server.get("/openapi.json").await.ok(200);
        let operations = operations(&document);
        assert!(operations.len() >= 35, "{}", operations.len());
        for (method, path) in operations {
            for path in [path.clone(), path.replace(':', "%3A")] {
                let answer = Answer::of(server.request(method.clone(), &path)).await;
                assert_ne!(answer.status, 405, "{method} {path}");
                let detail = answer.body["detail"].as_str().unwrap_or_default();
                assert!(!detail.starts_with("There is no route"), "{method} {path}: {}", answer.body);
            }
        }
    }

    async fn a_problem_names_the_path_as_it_was_written(db: TestDb) {
        let server = Server::start(db).await;
        for path in [format!("/api/v1/ingest-jobs/{ID}:cancel"), format!("/api/v1/ingest-jobs/{ID}%3Acancel")] {
            let problem = Answer::of(server.request(Method::POST, &path)).await.problem(404, "resource_not_found");
            assert_eq!(problem["instance"], path);
        }
        let wrong = Answer::of(server.request(Method::POST, "/api/v1/ingest-jobs/7:cancel")).await;
        assert_eq!(wrong.places(), ["path/job_id"]);
        server.get(&format!("/api/v1/ingest-jobs/{ID}:cancel")).await.problem(405, "method_not_allowed");
    }

    async fn a_name_may_end_like_a_verb(db: TestDb) {
        let server = Server::start(db).await;
        server.post("/api/v1/datasets", &serde_json::json!({"name": "x:cancel"})).await.ok(201);
        let found = server.get("/api/v1/datasets/by-name/x:cancel").await.ok(200);
        assert_eq!(found["name"], "x:cancel");
        assert_eq!(server.get("/api/v1/datasets/by-name/x%3Acancel").await.ok(200)["id"], found["id"]);
    }
}
