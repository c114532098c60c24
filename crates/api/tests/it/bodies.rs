//! JSON bodies that are not what a route takes.

use reqwest::Method;
use serde_json::json;

use crate::http_tests;
use crate::server::{Answer, Server};

http_tests! {
    async fn every_wrong_field_is_named_with_its_pointer(db: TestDb) {
        let server = Server::start(db).await;
        let body = json!({"name": "", "drift_policy": "SOMETIMES", "metadata_json": [],
            "ingest_policy_json": {"skip_stages": ["publish"]}, "unknown": 1});
        let answer = server.post("/api/v1/datasets", &body).await;
        let places = answer.places();
        answer.problem(422, "validation_error");
        assert_eq!(places, ["/name", "/drift_policy", "/ingest_policy_json/skip_stages", "/metadata_json"]);
        let answer = server.post("/api/v1/workspaces", &json!({"slug": "Big Slug", "retention_days": 0})).await;
        assert_eq!(answer.places(), ["/slug", "/name", "/retention_days"]);
        let answer = server.post("/api/v1/ingest-jobs", &json!({})).await;
        assert_eq!(answer.places(), ["/job_kind"], "what a job needs depends on its kind");
        let answer = server.post("/api/v1/datasets", &json!([])).await;
        assert_eq!(answer.problem(422, "validation_error")["detail"], "the body: must be an object, not a list");
    }

    async fn a_name_is_visible_and_has_no_control_characters(db: TestDb) {
        let server = Server::start(db).await;
        for name in [" ", "a\nb", "\u{7f}", "\u{a0}"] {
            let answer = server.post("/api/v1/datasets", &json!({"name": name})).await;
            assert_eq!(answer.places(), ["/name"], "{name:?}");
            answer.problem(422, "validation_error");
        }
        server.post("/api/v1/datasets", &json!({"name": "Umsätze 2024 / Süd"})).await.ok(201);
    }

    async fn a_body_that_is_no_json_is_400_and_one_that_is_no_object_422(db: TestDb) {
        let server = Server::start(db).await;
        let send = |body: &'static str| Answer::of(server.request(Method::POST, "/api/v1/datasets").body(body));
        send("{\"name\":").await.problem(400, "bad_request");
        send("").await.problem(400, "bad_request");
        send("[]").await.problem(422, "validation_error");
        send("{\"name\": \"believed without a content type\"}").await.ok(201);
    }

    async fn another_content_type_is_415_and_a_large_body_413(db: TestDb) {
        let server = Server::start(db).await;
        let post = || server.request(Method::POST, "/api/v1/datasets");
        let form = post().header("content-type", "application/x-www-form-urlencoded").body("name=x");
        Answer::of(form).await.problem(415, "unsupported_media_type");
        let json_like = post().header("content-type", "application/merge-patch+json").body("{\"name\": \"y\"}");
        Answer::of(json_like).await.ok(201);
        let large = json!({"name": "z", "description": "x".repeat(2 << 20)});
        Answer::of(post().json(&large)).await.problem(413, "body_too_large");
    }

    async fn wrong_ids_and_query_values_are_422(db: TestDb) {
        let server = Server::start(db).await;
        for (path, place) in [
            ("/api/v1/datasets/7", "path/dataset_id"),
            ("/api/v1/datasets?limit=ten", "query/limit"),
            ("/api/v1/datasets?status=GONE", "query/status"),
            ("/api/v1/tables?is_active=maybe", "query/is_active"),
            ("/api/v1/tables?dataset_id=x", "query/dataset_id"),
            ("/api/v1/ingest-jobs?status=PENDING,DONE", "query/status"),
            ("/api/v1/ingest-jobs?created_before=soon", "query/created_before"),
            ("/api/v1/ingest-jobs?attempts_gte=-1", "query/attempts_gte"),
        ] {
            let answer = server.get(path).await;
            assert_eq!(answer.places(), [place], "{path}");
            answer.problem(422, "invalid_request");
        }
    }
}
