//! Headers of requests and answers.

use reqwest::Method;

use crate::http_tests;
use crate::server::{Answer, Server, embedded, settings};

const UUID: &str = "3fa85f64-5717-4562-b3fc-2c963f66afa6";

http_tests! {
    async fn ids_are_echoed_or_minted_and_security_headers_stand_everywhere(db: TestDb) {
        let server = Server::start(db).await;
        let request = server.request(Method::GET, "/api/v1/datasets").header("X-Correlation-Id", "corr-1")
            .header("X-Request-Id", "req-1").header("traceparent", "00-aa-bb-01").header("tracestate", "x=1");
        let answer = Answer::of(request).await;
        for (name, value) in [("x-correlation-id", "corr-1"), ("x-request-id", "req-1"), ("x-tenant-id", "acme"),
            ("traceparent", "00-aa-bb-01"), ("tracestate", "x=1"), ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"), ("x-frame-options", "DENY")] {
            assert_eq!(answer.headers[name], value, "{name}");
        }
        let minted = Answer::of(server.bare(Method::GET, "/nowhere")).await;
        assert_eq!(minted.headers["x-correlation-id"].len(), 36);
        assert_ne!(minted.headers["x-correlation-id"], minted.headers["x-request-id"]);
        assert_eq!(minted.headers["x-content-type-options"], "nosniff");
        let unfit = server.request(Method::GET, "/api/v1/datasets").header("X-Correlation-Id", "x".repeat(200));
        assert_eq!(Answer::of(unfit).await.headers["x-correlation-id"].len(), 36);
    }

    async fn tenant_headers_are_required_and_checked(db: TestDb) {
        let server = Server::start(db).await;
        let ask = |headers: &[(&'static str, String)]| {
            let request = server.bare(Method::GET, "/api/v1/datasets");
            Answer::of(headers.iter().fold(request, |request, (name, value)| request.header(*name, value)))
        };
        let acme = ("X-Tenant-Id", "acme".to_owned());
        for headers in [
            vec![],
            vec![acme.clone()],
            vec![("X-Tenant-Id", "Acme".to_owned()), ("X-Workspace-Id", "main".to_owned())],
            vec![acme.clone(), ("X-Workspace-Id", "not a slug".to_owned())],
            vec![acme.clone(), acme.clone(), ("X-Workspace-Id", "main".to_owned())],
        ] {
            ask(&headers).await.problem(400, "missing_tenant_context");
        }
        let id = server.scope().workspace.to_string();
        for workspace in ["main".to_owned(), id.clone(), id.to_uppercase()] {
            ask(&[acme.clone(), ("X-Workspace-Id", workspace)]).await.ok(200);
        }
        for workspace in ["nowhere", UUID] {
            ask(&[acme.clone(), ("X-Workspace-Id", workspace.to_owned())]).await.problem(404, "workspace_not_found");
        }
    }

    async fn a_token_of_another_tenant_is_refused(db: TestDb) {
        let server = Server::start(db).await;
        // {"tenant":"other","sub":"ann"} and {"tenant":"acme","sub":"ann"}
        let foreign = "e30.eyJ0ZW5hbnQiOiJvdGhlciIsInN1YiI6ImFubiJ9.x";
        let own = "e30.eyJ0ZW5hbnQiOiJhY21lIiwic3ViIjoiYW5uIn0.x";
        let ask = |token| Answer::of(server.request(Method::GET, "/api/v1/datasets").bearer_auth(token));
        ask(foreign).await.problem(403, "tenant_claim_mismatch");
        ask(own).await.ok(200);
        ask("opaque").await.ok(200);
        let request = server.request(Method::POST, "/api/v1/datasets").bearer_auth(own)
            .json(&serde_json::json!({"name": "ours"}));
        Answer::of(request).await.ok(201);
        let tx = server.db.read().await;
        let rows = db::audit::list(&tx, &db::audit::AuditFilter::default(), db::Page { limit: 9, offset: 0 }).await;
        let row = &rows.expect("a list").items[0];
        assert_eq!((row.event_type.as_str(), row.actor.0.as_str()), ("dataset.created", "ann"));
    }

    async fn the_embedded_home_has_a_default_tenant_for_its_own_pages_only(db: TestDb) {
        let server = Server::with(db, embedded(), crate::doubles::FakeIngest::default()).await;
        let bare = || server.bare(Method::GET, "/api/v1/datasets");
        assert_eq!(Answer::of(bare()).await.ok(200)["total"], 1);
        let same = format!("http://{}", server.address);
        Answer::of(bare().header("Origin", same)).await.ok(200);
        for origin in ["http://evil.example", "null", "https://127.0.0.1"] {
            Answer::of(bare().header("Origin", origin)).await.problem(400, "missing_tenant_context");
        }
        Answer::of(bare().header("Sec-Fetch-Site", "cross-site")).await.problem(400, "missing_tenant_context");
        Answer::of(bare().header("X-Tenant-Id", "other")).await.problem(400, "missing_tenant_context");
        Answer::of(server.bare(Method::GET, "/api/v1/workspaces").header("X-Tenant-Id", "other")).await.ok(200);
    }

    async fn the_embedded_home_answers_to_its_own_names_only(db: TestDb) {
        let server = Server::with(db, embedded(), crate::doubles::FakeIngest::default()).await;
        let ask = |path: &str, host: &str| Answer::of(server.request(Method::GET, path).header("Host", host));
        for host in ["localhost:8520", "box.example", "[::1]:1"] {
            ask("/api/v1/datasets", host).await.ok(200);
        }
        for path in ["/api/v1/datasets", "/metrics", "/actuator/health", "/nowhere"] {
            ask(path, "evil.example").await.problem(421, "misdirected_request");
        }
    }

    async fn another_home_takes_any_host_and_has_no_default_tenant(db: TestDb) {
        let server = Server::with(db, settings(), crate::doubles::FakeIngest::default()).await;
        Answer::of(server.request(Method::GET, "/api/v1/datasets").header("Host", "api.example")).await.ok(200);
        Answer::of(server.bare(Method::GET, "/api/v1/datasets")).await.problem(400, "missing_tenant_context");
    }
}
