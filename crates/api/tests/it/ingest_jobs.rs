//! Jobs: made, listed, cancelled; their ledger.

use db::files;
use domain::{FileStatus, JobKind, Stage};
use reqwest::Method;
use serde_json::json;

use crate::server::{Answer, Server};
use crate::{http_tests, seed};

const JOBS: &str = "/api/v1/ingest-jobs";

http_tests! {
    async fn all_five_kinds_can_be_posted(db: TestDb) {
        let server = Server::start(db).await;
        let file = seed::file(&server.db).await;
        let orders = seed::published(&server.db, "orders").await;
        for (body, kind) in [
            (json!({"job_kind": "PARSE_AND_INGEST", "file_id": file}), "PARSE_AND_INGEST"),
            (json!({"job_kind": "REPARSE", "file_id": file, "dataset_id": server.dataset()}), "REPARSE"),
            (json!({"job_kind": "SAMPLE_REFRESH", "table_id": orders.table}), "SAMPLE_REFRESH"),
            (json!({"job_kind": "DESCRIBE_PASS", "dataset_id": server.dataset(), "request_json": {"note": 1}}), "DESCRIBE_PASS"),
            (json!({"job_kind": "RELATION_PASS", "dataset_id": server.dataset()}), "RELATION_PASS"),
        ] {
            let answer = server.post(JOBS, &body).await;
            let location = answer.headers["location"].to_str().expect("ascii").to_owned();
            let made = answer.ok(201);
            assert_eq!(json!([made["job_kind"], made["status"], made["attempts"], made["cost_cents"]]),
                json!([kind, "PENDING", 0, "0"]));
            assert_eq!(made["dataset_id"], json!(server.dataset()));
            assert_eq!(made["request_json"]["dataset_name"], "sales");
            assert_eq!(server.get(&location).await.ok(200), made);
        }
    }

    async fn a_job_needs_what_it_works_on(db: TestDb) {
        let server = Server::start(db).await;
        for (body, places) in [
            (json!({}), vec!["/job_kind"]),
            (json!({"job_kind": "DANCE"}), vec!["/job_kind"]),
            (json!({"job_kind": "REPARSE"}), vec!["/file_id"]),
            (json!({"job_kind": "SAMPLE_REFRESH", "dataset_id": server.dataset()}), vec!["/table_id"]),
            (json!({"job_kind": "DESCRIBE_PASS"}), vec!["/dataset_id"]),
        ] {
            let answer = server.post(JOBS, &body).await;
            assert_eq!(answer.places(), places, "{body}");
            answer.problem(422, "validation_error");
        }
        let body = json!({"job_kind": "DESCRIBE_PASS", "dataset_id": server.dataset(), "callback": {"url": "https://x.example"}});
        let answer = server.post(JOBS, &body).await;
        assert_eq!(answer.places(), ["/callback"]);
        answer.problem(422, "invalid_request");
    }

    async fn a_deleted_file_another_dataset_and_an_archived_one_are_refused(db: TestDb) {
        let server = Server::start(db).await;
        let file = seed::file(&server.db).await;
        let other = server.post("/api/v1/datasets", &json!({"name": "other"})).await.ok(201);
        let answer = server.post(JOBS, &json!({"job_kind": "REPARSE", "file_id": file, "dataset_id": other["id"]})).await;
        assert_eq!(answer.places(), ["/file_id"]);
        answer.problem(422, "invalid_request");
        let archive = format!("/api/v1/datasets/{}", other["id"].as_str().expect("an id"));
        Answer::of(server.request(Method::DELETE, &archive)).await.ok(200);
        let body = json!({"job_kind": "DESCRIBE_PASS", "dataset_id": other["id"]});
        server.post(JOBS, &body).await.problem(409, "conflict");
        let tx = server.db.tx().await;
        files::set_status(&tx, file, FileStatus::Deleted, None).await.expect("marked");
        tx.commit().await.expect("committed");
        server.post(JOBS, &json!({"job_kind": "REPARSE", "file_id": file})).await.problem(409, "conflict");
    }

    async fn jobs_are_filtered_by_state_kind_and_time(db: TestDb) {
        let server = Server::start(db).await;
        seed::pending(&server.db, server.scope(), server.dataset(), JobKind::RelationPass).await;
        let ran = seed::running(&server.db).await;
        seed::succeed(&server.db, &ran).await;
        for (query, total) in [
            ("", 2), ("?status=PENDING", 1), ("?status=PENDING,SUCCEEDED", 2), ("?kind=RELATION_PASS", 1),
            ("?job_kind=DESCRIBE_PASS", 1), ("?attempts_gte=1", 1), ("?created_before=2001-01-01", 0),
            ("?created_after=2001-01-01T00:00:00Z", 2), ("?table_id=3fa85f64-5717-4562-b3fc-2c963f66afa6", 0),
        ] {
            assert_eq!(server.get(&format!("{JOBS}{query}")).await.ok(200)["total"], total, "{query}");
        }
        let page = server.get(&format!("{JOBS}?limit=1&offset=1")).await.ok(200);
        assert_eq!(json!([page["items"].as_array().map(Vec::len), page["limit"], page["offset"], page.get("has_more")]),
            json!([1, 1, 1, null]));
    }

    async fn the_ledger_is_paged_and_filtered(db: TestDb) {
        let server = Server::start(db).await;
        let job = seed::running(&server.db).await;
        seed::stage(&server.db, &job, Stage::Describe, json!({"described": 3})).await;
        seed::succeed(&server.db, &job).await;
        let path = format!("{JOBS}/{}/events", job.id);
        let all = server.get(&path).await.ok(200);
        let stages: Vec<&str> = all["items"].as_array().expect("a list").iter().filter_map(|e| e["stage"].as_str()).collect();
        assert_eq!(stages, ["queued", "running", "described", "final"]);
        assert!(all["items"][0]["id"].is_i64() && all["items"][2]["payload_json"]["described"] == 3);
        let second = all["items"][1]["id"].as_i64().expect("a number");
        assert_eq!(server.get(&format!("{path}?after_id={second}")).await.ok(200)["total"], 2);
        assert_eq!(server.get(&format!("{path}?stage=final,queued")).await.ok(200)["total"], 2);
        assert_eq!(server.get(&format!("{path}?limit=9999")).await.ok(200)["limit"], 500);
        let wrong = server.get(&format!("{path}?after_id=x&stage=lunch")).await;
        assert_eq!(wrong.places(), ["query/after_id", "query/stage"]);
    }

    async fn cancel_says_what_became_of_it(db: TestDb) {
        let server = Server::start(db).await;
        let waiting = seed::pending(&server.db, server.scope(), server.dataset(), JobKind::RelationPass).await;
        let running = seed::running(&server.db).await;
        let done = seed::running(&server.db).await;
        seed::succeed(&server.db, &done).await;
        for (job, status) in [(&waiting, "CANCELLED"), (&waiting, "CANCELLED"), (&running, "RUNNING"), (&done, "SUCCEEDED")] {
            let path = format!("{JOBS}/{}:cancel", job.id);
            let answer = Answer::of(server.request(Method::POST, &path)).await.ok(200);
            assert_eq!(json!([answer["id"], answer["status"]]), json!([job.id, status]));
            assert!(answer["message"].as_str().is_some_and(|message| !message.is_empty()));
        }
    }
}
