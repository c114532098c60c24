//! Workspaces, datasets, tables, snapshots, objects and changes.

use db::Page;
use db::audit::{self, AuditFilter};
use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Answer, Server};
use crate::{http_tests, seed};

async fn deeds(server: &Server) -> Vec<String> {
    let tx = server.db.read().await;
    let list = audit::list(&tx, &AuditFilter::default(), Page { limit: 50, offset: 0 }).await.expect("a list");
    let mut types: Vec<String> = list.items.into_iter().map(|row| row.event_type).collect();
    types.sort();
    types
}

http_tests! {
    async fn a_workspace_is_made_read_and_changed(db: TestDb) {
        let server = Server::start(db).await;
        let body = json!({"slug": "lab", "name": "Lab", "retention_days": 30, "metadata_json": {"a": 1}});
        let request = server.bare(Method::POST, "/api/v1/workspaces").header("X-Tenant-Id", "acme").json(&body);
        let answer = Answer::of(request).await;
        let location = answer.headers["location"].to_str().expect("ascii").to_owned();
        let made = answer.ok(201);
        insta::assert_json_snapshot!(without_times(made.clone()));
        assert_eq!(server.get(&location).await.ok(200), made);
        assert_eq!(server.get("/api/v1/workspaces/by-slug/lab").await.ok(200), made);
        let changed = server.put(&location, &json!({"name": "Lab 2", "retention_days": null})).await.ok(200);
        assert_eq!((&changed["name"], &changed["retention_days"], &changed["slug"]), (&json!("Lab 2"), &json!(30), &json!("lab")));
        server.post("/api/v1/workspaces", &body).await.problem(409, "conflict");
        let list = server.get("/api/v1/workspaces?limit=5000&q=LAB").await.ok(200);
        assert_eq!((&list["total"], &list["limit"], &list["has_more"]), (&json!(1), &json!(5000), &json!(false)));
        let unknown = "/api/v1/workspaces/3fa85f64-5717-4562-b3fc-2c963f66afa6";
        server.get(unknown).await.problem(404, "resource_not_found");
        server.put(unknown, &json!({"name": "x"})).await.problem(404, "resource_not_found");
    }

    async fn a_dataset_is_made_read_changed_and_archived(db: TestDb) {
        let server = Server::start(db).await;
        let body = json!({"name": "north", "drift_policy": "REVIEW", "ingest_policy_json": {"skip_stages": ["sample"]}});
        let answer = server.post("/api/v1/datasets", &body).await;
        let location = answer.headers["location"].to_str().expect("ascii").to_owned();
        let made = answer.ok(201);
        insta::assert_json_snapshot!(without_times(made.clone()));
        assert_eq!(server.get(&location).await.ok(200), made);
        assert_eq!(server.get("/api/v1/datasets/by-name/north").await.ok(200), made);
        let changed = server.put(&location, &json!({"description": "cold", "name": null})).await.ok(200);
        assert_eq!((&changed["description"], &changed["name"]), (&json!("cold"), &json!("north")));
        server.put(&location, &json!({"name": "sales"})).await.problem(409, "conflict");
        let archived = Answer::of(server.request(Method::DELETE, &location)).await.ok(200);
        assert_eq!(archived["status"], "ARCHIVED");
        assert_eq!(server.get(&location).await.ok(200)["status"], "ARCHIVED");
        server.get("/api/v1/datasets/by-name/north").await.problem(404, "resource_not_found");
        server.post("/api/v1/datasets", &body).await.ok(201);
        assert_eq!(deeds(&server).await, ["dataset.archived", "dataset.created", "dataset.created", "dataset.updated"]);
    }

    async fn lists_are_paged_and_say_what_is_left(db: TestDb) {
        let server = Server::start(db).await;
        for name in ["a", "b", "c"] {
            server.post("/api/v1/datasets", &json!({ "name": name })).await.ok(201);
        }
        let page = server.get("/api/v1/datasets?limit=2&offset=1").await.ok(200);
        let facts = json!([page["total"], page["limit"], page["offset"], page["has_more"], page["items"].as_array().map(Vec::len)]);
        assert_eq!(facts, json!([4, 2, 1, true, 2]));
        let clamped = server.get("/api/v1/datasets?limit=-3&offset=-1").await.ok(200);
        assert_eq!(json!([clamped["limit"], clamped["offset"], clamped["items"].as_array().map(Vec::len)]), json!([-3, -1, 1]));
        assert_eq!(server.get("/api/v1/tables?limit=5000").await.ok(200)["limit"], 1000);
        assert_eq!(server.get("/api/v1/ingest-jobs?limit=5000").await.ok(200)["limit"], 200);
        assert_eq!(server.get("/api/v1/datasets?name=b&ignored=1").await.ok(200)["total"], 1);
    }

    async fn a_published_table_is_seen_from_every_side(db: TestDb) {
        let server = Server::start(db).await;
        let orders = seed::published(&server.db, "orders").await;
        let table = format!("/api/v1/tables/{}", orders.table);
        let read = server.get(&table).await.ok(200);
        insta::assert_json_snapshot!(without_times(read.clone()));
        assert_eq!(server.get("/api/v1/tables/by-name/orders").await.ok(200), read);
        let of_dataset = server.get(&format!("/api/v1/datasets/{}/tables", server.dataset())).await.ok(200);
        assert_eq!(of_dataset, json!({"items": [read], "total": 1, "limit": null, "offset": null, "has_more": null}));
        let snapshots = server.get(&format!("{table}/snapshots")).await.ok(200);
        assert_eq!(snapshots["items"][0]["status"], "READY");
        let one = server.get(&format!("{table}/snapshots/{}", orders.snapshot)).await.ok(200);
        assert_eq!(snapshots["items"][0], one);
        let objects = server.get(&format!("{table}/objects")).await.ok(200);
        let names: Vec<&str> = objects["items"].as_array().expect("a list").iter().filter_map(|o| o["qualified_name"].as_str()).collect();
        assert_eq!(names, ["sales.orders", "sales.orders.amount", "sales.orders.id"]);
        assert_eq!(server.get(&format!("{table}/changes")).await.ok(200)["total"], 0);
        let page = server.get(&format!("{table}/rows?limit=2&offset=22")).await.ok(200);
        assert_eq!(page["rows"], json!([[22, "22.50"], [23, "23.50"]]));
        assert_eq!(json!([page["total"], page["has_more"]]), json!([25, true]));
        assert_eq!(page["columns"][1], json!({"name": "amount", "data_type": "DECIMAL(10,2)", "is_nullable": false}));
        let tx = server.db.tx().await;
        seed::snapshot(&tx, &server.db, orders.table, "orders").await;
        tx.commit().await.expect("committed");
        let pinned = format!("snapshot_id={}", orders.snapshot);
        assert_eq!(server.get(&format!("{table}/objects?{pinned}")).await.ok(200), objects, "an older version is still told");
        assert_ne!(server.get(&format!("{table}/objects")).await.ok(200), objects);
        assert_eq!(server.get(&format!("{table}/rows?{pinned}")).await.ok(200)["snapshot_id"], json!(orders.snapshot));
        let foreign = format!("snapshot_id={}", seed::published(&server.db, "other").await.snapshot);
        for path in ["objects", "rows"] {
            server.get(&format!("{table}/{path}?{foreign}")).await.problem(404, "resource_not_found");
        }
    }

    async fn an_unpublished_table_does_not_exist(db: TestDb) {
        let server = Server::start(db).await;
        let tx = server.db.tx().await;
        let id = seed::unpublished(&tx, &server.db, "ghost").await;
        tx.commit().await.expect("committed");
        for path in ["", "/snapshots", "/objects", "/changes", "/rows"] {
            server.get(&format!("/api/v1/tables/{id}{path}")).await.problem(404, "resource_not_found");
        }
        server.get("/api/v1/tables/by-name/ghost").await.problem(404, "resource_not_found");
        assert_eq!(server.get("/api/v1/tables").await.ok(200)["total"], 0);
    }

    async fn a_person_knows_better_and_a_tag_empties_the_samples(db: TestDb) {
        let server = Server::start(db).await;
        let orders = seed::published(&server.db, "orders").await;
        let path = format!("/api/v1/schema-objects/{}", orders.column);
        let before = server.get(&path).await.ok(200);
        assert_eq!(before["samples"], json!(["1.50"]));
        let body = json!({"description": "what it cost", "pii_tag": "EMAIL", "synonyms_json": "[\"price\"]"});
        let after = server.put(&path, &body).await.ok(200);
        insta::assert_json_snapshot!(without_times(after));
        assert_eq!(deeds(&server).await, ["pii.tag_set", "schema_object.annotated"]);
        let wrong = server.put(&path, &json!({"pii_tag": "SHOE_SIZE", "governance_json": "x"})).await;
        assert_eq!(wrong.places(), ["/pii_tag", "/governance_json"]);
    }

    async fn service_routes_need_no_tenant(db: TestDb) {
        let server = Server::start(db).await;
        let ask = |path: &str| Answer::of(server.bare(Method::GET, path));
        let version = ask("/api/v1/version").await.ok(200);
        assert_eq!(version, json!({"name": "flyquery", "version": "1.2.3", "git_sha": "abc", "build_time": null}));
        for path in ["/actuator/health", "/actuator/health/liveness", "/actuator/health/readiness"] {
            assert_eq!(ask(path).await.ok(200), json!({"status": "UP"}));
        }
        assert_eq!(ask("/actuator/info").await.ok(200)["app"]["name"], "flyquery");
        assert_eq!(ask("/metrics").await.ok(200), json!("flyquery_up 1\n"));
        server.shutdown.cancel();
        assert_eq!(ask("/actuator/health/readiness").await.ok(503), json!({"status": "DOWN"}));
        server.db.close().await;
        assert_eq!(ask("/actuator/health").await.ok(503), json!({"status": "DOWN"}));
        ask("/actuator/health/liveness").await.ok(200);
    }
}

/// Times differ from run to run; their form does not.
fn without_times(mut value: Value) -> Value {
    for (name, field) in value.as_object_mut().expect("an object") {
        if name.ends_with("_at") && !field.is_null() {
            let text = field.as_str().expect("a time");
            assert!(text.ends_with('Z') && text.len() >= 20, "{name}: {text}");
            *field = json!("[time]");
        }
    }
    value
}
