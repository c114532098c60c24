//! Uploads: forms in every order, and every refusal.

use std::sync::atomic::Ordering;

use domain::{ErrorCode, FileFormat};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::json;
use test_support::TestDb;

use crate::doubles::{Ending, FakeIngest, JOB};
use crate::http_tests;
use crate::server::{Answer, Server, settings};

fn csv(name: &'static str) -> Part {
    Part::bytes(b"a,b\n1,2\n".as_slice()).file_name(name)
}

async fn send(server: &Server, verb: &str, form: Form) -> Answer {
    let path = format!("/api/v1/datasets/{}/{verb}", server.dataset());
    Answer::of(server.request(Method::POST, &path).multipart(form)).await
}

async fn raw(server: &Server, body: impl Into<reqwest::Body>) -> Answer {
    let path = format!("/api/v1/datasets/{}/files:async", server.dataset());
    let request = server.request(Method::POST, &path).header("content-type", "multipart/form-data; boundary=B");
    Answer::of(request.body(body)).await
}

async fn serving(db: TestDb, ingest: FakeIngest) -> Server {
    Server::with(db, settings(), ingest).await
}

http_tests! {
    async fn an_async_upload_is_accepted_with_its_job(db: TestDb) {
        let server = Server::start(db).await;
        let answer = send(&server, "files:async", Form::new().part("file", csv("orders.csv"))).await;
        assert_eq!(answer.headers["location"].to_str().expect("ascii"), format!("/api/v1/ingest-jobs/{JOB}"));
        let body = answer.ok(202);
        assert_eq!(json!([body["job_id"], body["dataset_id"], body["status"]]), json!([JOB, server.dataset(), "PENDING"]));
        assert_eq!(server.ingest.seen.bytes.load(Ordering::SeqCst), 8);
        let targets = server.ingest.seen.targets.lock().expect("no panic");
        assert_eq!((targets[0].actor.0.as_str(), targets[0].file_name.as_deref()), ("acme", Some("orders.csv")));
    }

    async fn a_sync_upload_answers_with_the_whole_report(db: TestDb) {
        let server = Server::start(db).await;
        insta::assert_json_snapshot!(send(&server, "files", Form::new().part("file", csv("orders.csv"))).await.ok(200));
    }

    async fn fields_count_before_and_after_the_file(db: TestDb) {
        let server = Server::start(db).await;
        let form = Form::new().text("file_format", "TSV").part("file", csv("dir/part.csv"))
            .text("original_filename", "renamed.tsv").text("table_extraction_rules_json", "{\"a\": 1}").text("unknown", "x");
        send(&server, "files:async", form).await.ok(202);
        let forms = server.ingest.seen.forms.lock().expect("no panic");
        assert_eq!(forms[0].file_name, "renamed.tsv");
        assert_eq!(forms[0].file_format, Some(FileFormat::Tsv));
        assert_eq!(forms[0].extraction_rules, Some(json!({"a": 1})));
    }

    async fn wrong_fields_are_refused_and_the_blob_dropped(db: TestDb) {
        let server = Server::start(db).await;
        let file = || Form::new().part("file", csv("a.csv"));
        for (form, place) in [
            (file().text("file_format", "docx"), "form/file_format"),
            (file().text("table_extraction_rules_json", "{"), "form/table_extraction_rules_json"),
            (file().text("callback_url", "https://x.example"), "form/callback_url"),
            (file().text("callback_secret", "s"), "form/callback_secret"),
            (file().part("file", csv("b.csv")), "form/file"),
        ] {
            let answer = send(&server, "files:async", form).await;
            assert_eq!(answer.places(), [place]);
            answer.problem(422, "invalid_request");
        }
        assert_eq!(server.ingest.seen.aborted.load(Ordering::SeqCst), 5);
        assert!(server.ingest.seen.forms.lock().expect("no panic").is_empty());
        let blank = file().text("callback_url", " ").text("callback_headers", "");
        send(&server, "files:async", blank).await.ok(202);
    }

    async fn callback_headers_are_refused_before_a_byte_is_taken(db: TestDb) {
        let server = Server::start(db).await;
        let path = format!("/api/v1/datasets/{}/files:async", server.dataset());
        let request = server.request(Method::POST, &path).header("X-Flyquery-Callback-Url", "https://x.example")
            .multipart(Form::new().part("file", csv("a.csv")));
        let answer = Answer::of(request).await;
        assert_eq!(answer.places(), ["header/x-flyquery-callback-url"]);
        answer.problem(422, "invalid_request");
        assert!(server.ingest.seen.targets.lock().expect("no panic").is_empty());
    }

    async fn a_form_without_a_file_and_another_body_are_refused(db: TestDb) {
        let server = Server::start(db).await;
        let answer = send(&server, "files", Form::new().text("original_filename", "a.csv")).await;
        assert_eq!(answer.places(), ["form/file"]);
        answer.problem(422, "invalid_request");
        let path = format!("/api/v1/datasets/{}/files", server.dataset());
        let plain = server.request(Method::POST, &path).header("content-type", "text/csv").body("a,b\n");
        Answer::of(plain).await.problem(415, "unsupported_media_type");
        let unbounded = server.request(Method::POST, &path).header("content-type", "multipart/form-data").body("x");
        Answer::of(unbounded).await.problem(400, "bad_request");
    }

    async fn broken_bodies_are_400_and_drop_the_blob(db: TestDb) {
        let server = Server::start(db).await;
        let head = "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\na,b\n1,2\n";
        raw(&server, head).await.problem(400, "bad_request");
        assert_eq!(server.ingest.seen.aborted.load(Ordering::SeqCst), 1);
        raw(&server, "no boundary at all").await.problem(400, "bad_request");
        raw(&server, "").await.problem(400, "bad_request");
        raw(&server, format!("{head}\r\n--B--\r\n")).await.ok(202);
    }

    async fn fields_parts_and_part_headers_are_bounded(db: TestDb) {
        let server = Server::start(db).await;
        let large = Form::new().text("original_filename", "x".repeat(100 << 10)).part("file", csv("a.csv"));
        send(&server, "files:async", large).await.problem(413, "body_too_large");
        let many = (0..40).fold(Form::new(), |form, n| form.text(format!("f{n}"), "x"));
        send(&server, "files:async", many).await.problem(422, "invalid_request");
        let endless = format!("--B\r\nContent-Disposition: form-data; name=\"{}", "x".repeat(8 << 20));
        let problem = raw(&server, endless).await.problem(400, "bad_request");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("header does not end")), "{problem}");
    }

    async fn what_the_port_refuses_keeps_its_code(db: TestDb) {
        let ingest = FakeIngest { refuses: Some(ErrorCode::WorkspaceQuotaExceeded), ..FakeIngest::default() };
        let server = serving(db, ingest).await;
        let answer = send(&server, "files:async", Form::new().part("file", csv("a.csv"))).await;
        answer.problem(507, "workspace_quota_exceeded");
    }

    async fn rejected_content_names_its_job(db: TestDb) {
        let server = serving(db, FakeIngest { ending: Ending::Rejected, ..FakeIngest::default() }).await;
        let sync = send(&server, "files", Form::new().part("file", csv("a.csv"))).await.problem(422, "PARSE_ERROR");
        assert_eq!(json!([sync["job_id"], sync["detail"]]), json!([JOB, "line 3"]));
        let empty = Form::new().part("file", Part::bytes(b"".as_slice()).file_name("a.csv"));
        assert_eq!(send(&server, "files:async", empty).await.problem(422, "EMPTY_FILE")["job_id"], json!(JOB));
    }

    async fn a_transient_failure_says_when_to_look_again(db: TestDb) {
        let server = serving(db, FakeIngest { ending: Ending::Later, ..FakeIngest::default() }).await;
        let answer = send(&server, "files", Form::new().part("file", csv("a.csv"))).await;
        assert!(answer.headers.contains_key("retry-after"));
        assert_eq!(answer.problem(503, "service_unavailable")["job_id"], json!(JOB));
    }
}
