//! `schema-objects:search`: what is asked of the port, what comes back, and what is refused.

use domain::table::ObjectKind;
use serde_json::json;

use crate::server::Server;
use crate::{http_tests, seed};

const SEARCH: &str = "/api/v1/schema-objects:search";

http_tests! {
    async fn hits_come_with_their_objects_best_first(db: TestDb) {
        let server = Server::start(db).await;
        let orders = seed::published(&server.db, "orders").await;
        let customers = seed::published(&server.db, "customers").await;
        *server.search.finds.lock().expect("no panic") = vec![customers.column, server.db.id(), orders.column];
        for path in [SEARCH, "/api/v1/schema-objects%3Asearch", "/api/v1/schema-objects%3asearch"] {
            let found = server.get(&format!("{path}?q=the+amount")).await.ok(200);
            let items = found["items"].as_array().expect("items");
            let names: Vec<&str> = items.iter().map(|item| item["object"]["qualified_name"].as_str().expect("a name")).collect();
            assert_eq!(names, ["sales.customers.amount", "sales.orders.amount"], "{path}");
            assert_eq!((&items[0]["score"], &items[0]["snippet"]), (&json!(0.5), &json!("about the amount")));
            let alone = server.get(&format!("/api/v1/schema-objects/{}", customers.column)).await.ok(200);
            assert_eq!(items[0]["object"], alone);
        }
    }

    async fn parameters_reach_the_search(db: TestDb) {
        let server = Server::start(db).await;
        let orders = seed::published(&server.db, "orders").await;
        let path = format!("{SEARCH}?q=%22x%22%20%00*&dataset_id={}&table_id={}&kind=COLUMN&top_k=7", server.dataset(), orders.table);
        server.get(&path).await.ok(200);
        for top_k in ["", "&top_k=0", "&top_k=-3", "&top_k=100000", "&top_k="] {
            server.get(&format!("{SEARCH}?q=x{top_k}")).await.ok(200);
        }
        let asked = server.search.asked.lock().expect("no panic");
        assert_eq!((asked[0].q.as_str(), asked[0].kind, asked[0].top_k), ("\"x\" \0*", Some(ObjectKind::Column), 7));
        assert_eq!((asked[0].dataset, asked[0].table), (Some(server.dataset()), Some(orders.table)));
        assert_eq!(asked[0].scope, *server.scope());
        assert_eq!(asked[1..].iter().map(|request| request.top_k).collect::<Vec<_>>(), [10, 1, 1, 100, 10]);
        assert_eq!((asked[1].dataset, asked[1].table, asked[1].kind), (None, None, None));
    }

    async fn every_wrong_parameter_is_named(db: TestDb) {
        let server = Server::start(db).await;
        for q in ["", "?q=", "?q=%20%09", "?q=%0A"] {
            let answer = server.get(&format!("{SEARCH}{q}")).await;
            assert_eq!(answer.places(), ["query/q"], "{q}");
            answer.problem(422, "invalid_request");
        }
        let long = "é".repeat(1_001);
        let answer = server.get(&format!("{SEARCH}?q={long}&dataset_id=1&table_id=x&kind=VIEW&top_k=many")).await;
        assert_eq!(answer.places(), ["query/q", "query/dataset_id", "query/table_id", "query/kind", "query/top_k"]);
        answer.problem(422, "invalid_request");
        assert!(server.search.asked.lock().expect("no panic").is_empty());
        server.get(&format!("{SEARCH}?q={}", "é".repeat(1_000))).await.ok(200);
    }

    async fn a_search_that_fails_says_so_without_its_cause(db: TestDb) {
        let server = Server::start(db).await;
        let busy = server.get(&format!("{SEARCH}?q=busy")).await;
        assert!(busy.headers.contains_key("retry-after"));
        busy.problem(503, "service_unavailable");
        let crash = server.get(&format!("{SEARCH}?q=crash")).await.problem(500, "internal_error");
        assert!(!crash.to_string().contains("secret"), "{crash}");
    }

    async fn a_persons_words_make_the_vector_anew(db: TestDb) {
        let server = Server::start(db).await;
        let orders = seed::published(&server.db, "orders").await;
        let path = format!("/api/v1/schema-objects/{}", orders.column);
        server.put(&path, &json!({"business_owner": "Ann"})).await.ok(200);
        assert!(server.search.refreshed.lock().expect("no panic").is_empty());
        server.put(&path, &json!({"synonyms_json": ["turnover"]})).await.ok(200);
        server.put(&path, &json!({"description": "What was paid"})).await.ok(200);
        assert_eq!(*server.search.refreshed.lock().expect("no panic"), [orders.column, orders.column]);
    }
}
