//! Search over tables and columns of a real server: what is found, what never is, and what a crash leaves.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::{self, Home};
use crate::server::{Server, count, orders, text};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)
}

/// The samples as tables of one dataset; gives its id.
async fn ingest_samples(server: &Server) -> String {
    let dataset = server.dataset("shop").await;
    for name in ["customers.csv", "orders.csv", "products.csv"] {
        let bytes = std::fs::read(sample(name)).expect("a sample");
        let (status, report) = server.upload_any(&dataset, "files", name, bytes).await;
        assert_eq!(status, 200, "{report}");
    }
    dataset
}

async fn search(server: &Server, query: &[(&str, &str)]) -> (u16, Value) {
    let url = format!("{}/api/v1/schema-objects:search", server.url);
    let answer = server.http.get(url).query(query).send().await.expect("an answer");
    (answer.status().as_u16(), answer.json().await.expect("JSON"))
}

/// Names of what is found, best first.
async fn found(server: &Server, q: &str) -> Vec<String> {
    let (status, body) = search(server, &[("q", q)]).await;
    assert_eq!(status, 200, "{body}");
    let items = body["items"].as_array().expect("items");
    items.iter().map(|item| text(&item["object"]["qualified_name"])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_are_found_by_meaning_form_and_misspelt_words() {
    let home = tempfile::tempdir().expect("a folder");
    let server = Server::start(&home.path().join("data")).await;
    ingest_samples(&server).await;
    for (q, first) in [
        ("buyer mail", "shop.customers.email"),
        ("custmer emial", "shop.customers.email"),
        ("clients", "shop.customers"),
        ("telephone", "shop.customers.phone"),
        ("zip code", "shop.customers.postal_code"),
        ("unitprice", "shop.products.unit_price"),
        ("prodct pirce", "shop.products.unit_price"),
        ("birthday", "shop.customers.birth_date"),
        ("FULL_NAME", "shop.customers.full_name"),
        ("byer emal", "shop.customers.email"),
        ("order discount", "shop.orders.discount_percent"),
    ] {
        let names = found(&server, q).await;
        assert_eq!(names.first().map(String::as_str), Some(first), "{q}: {names:?}");
    }
    let (_, body) = search(&server, &[("q", "buyer mail"), ("top_k", "2"), ("kind", "COLUMN")]).await;
    let items = body["items"].as_array().expect("items");
    assert_eq!(items.len(), 2, "{body}");
    assert!(
        items[0]["score"].as_f64() >= items[1]["score"].as_f64() && !text(&items[0]["snippet"]).is_empty(),
        "{body}"
    );
    assert!(found(&server, "qqqq xxxx jjjj").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_teaches_words_and_walls_hold() {
    let home = tempfile::tempdir().expect("a folder");
    let server = Server::start(&home.path().join("data")).await;
    let dataset = ingest_samples(&server).await;
    let (_, body) = search(&server, &[("q", "loyalty points"), ("dataset_id", &dataset)]).await;
    let object = &body["items"][0]["object"];
    assert_eq!(object["qualified_name"], "shop.customers.loyalty_points");
    let url = format!("{}/api/v1/schema-objects/{}", server.url, text(&object["id"]));
    let said = json!({"synonyms_json": ["Treuepunkte"], "description": "Bonus of faithful visitors"});
    assert_eq!(server.http.put(url).json(&said).send().await.expect("an answer").status(), 200);
    for q in ["treuepunkte", "Treupunkte", "faithful visitor", "loyalty"] {
        let names = found(&server, q).await;
        assert_eq!(names.first().map(String::as_str), Some("shop.customers.loyalty_points"), "{q}: {names:?}");
    }

    let other = json!({"slug": "other", "name": "Other"});
    let request = server.http.post(format!("{}/api/v1/workspaces", server.url)).header("X-Tenant-Id", "rival");
    assert_eq!(request.json(&other).send().await.expect("an answer").status(), 201);
    let request = server.http.get(format!("{}/api/v1/schema-objects:search?q=email&dataset_id={dataset}", server.url));
    let answer =
        request.header("X-Tenant-Id", "rival").header("X-Workspace-Id", "other").send().await.expect("an answer");
    assert_eq!(answer.json::<Value>().await.expect("JSON"), json!({"items": []}));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_query_breaks_the_search() {
    let home = tempfile::tempdir().expect("a folder");
    let server = Server::start(&home.path().join("data")).await;
    ingest_samples(&server).await;
    let (long, many) = ("x".repeat(10_000), "a ".repeat(499));
    for (q, expected) in [
        ("", 422),
        (" \t\n", 422),
        (long.as_str(), 422),
        (many.as_str(), 200),
        ("\"", 200),
        ("\"email\" OR (NOT phone) NEAR/2 *", 200),
        ("content_text : email", 200),
        ("email:* & !phone | <->", 200),
        ("'; DROP TABLE flyquery_tables; --", 200),
        ("\0", 200),
        ("em\0ail", 200),
        ("%_\\", 200),
        ("日本語 ²³ \u{202e}\u{301}", 200),
    ] {
        let (status, body) = search(&server, &[("q", q)]).await;
        assert_eq!(status, expected, "{q:?}: {body}");
    }
    for (name, value) in [("top_k", "x"), ("kind", "VIEW"), ("dataset_id", "1"), ("table_id", "' OR 1=1")] {
        let (status, body) = search(&server, &[("q", "email"), (name, value)]).await;
        assert_eq!((status, &body["errors"][0]["path"]), (422, &json!(format!("query/{name}"))), "{body}");
    }
    let (status, _) = server.get_any("/api/v1/schema-objects%3Asearch?q=%FF%FEemail&top_k=99999").await;
    assert_eq!(status, 200);
    assert_eq!(found(&server, "email").await[0], "shop.customers.email");
}

#[tokio::test(flavor = "multi_thread")]
async fn values_are_never_indexed() {
    let home = tempfile::tempdir().expect("a folder");
    let dir = home.path().join("data");
    let server = Server::start(&dir).await;
    ingest_samples(&server).await;
    assert_eq!(server.terminate().code(), Some(0));
    // a mail address, a name, a town, the words of a short list, a number
    for value in ["tanaka", "ada", "boston", "shipped", "cancelled", "kitchen", "1001"] {
        let sql = format!(
            "select count(*) as n from flyquery_schema_search where flyquery_schema_search match '\"{value}\"' \
             and content_names <> '{value} on'"
        );
        assert_eq!(count(&dir, &sql).await, 0, "{value}");
    }
    assert_eq!(count(&dir, "select count(*) as n from flyquery_schema_objects where content_text is null").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_inside_embed_leaves_nothing_to_find_and_the_next_claim_everything() {
    let indexed =
        "select count(*) as n from flyquery_schema_objects where content_text is not null or embedding is not null";
    let home = tempfile::tempdir().expect("a folder");
    let dir = home.path().join("data");
    let point = "embed.uncommitted";
    let server = Server::start_with(&dir, &[("FLYQUERY_TEST_FAILPOINTS", point)]).await;
    let dataset = server.dataset("d").await;
    let job = server.upload(&dataset, "orders.csv", orders(20)).await;
    server.wait_at(point);
    assert_eq!(count(&dir, indexed).await, 0);
    server.kill();
    assert_eq!(count(&dir, indexed).await, 0);
    let server = Server::start(&dir).await;
    assert_eq!(server.ended(&job).await["status"], "SUCCEEDED");
    assert_eq!(found(&server, "custmer").await[0], "d.orders.customer");
}

#[test]
fn the_command_prints_what_is_found() {
    let home = Home::new();
    home.flyquery(&["ingest", &cli::sample("customers.csv")]).assert().success();
    let out = |arguments: &[&str]| home.flyquery(arguments).assert().success().get_output().stdout.clone();
    let shown = cli::text(&out(&["search", "buyer", "mail", "--top-k", "2"]));
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 3, "{shown}");
    assert!(
        lines[0].starts_with("name ") && lines[1].starts_with("default.customers.email  VARCHAR  E-mail"),
        "{shown}"
    );
    let document = cli::json(&out(&["search", "custmer emial", "--dataset", "default", "--json"]));
    assert_eq!(document["items"][0]["object"]["qualified_name"], "default.customers.email");
    assert_eq!(cli::text(&out(&["search", "qqqq"])), "nothing found\n");
    home.flyquery(&["search", " "]).assert().code(1);
    home.flyquery(&["search", "mail", "--top-k", "0"]).assert().code(2);
    home.flyquery(&["search", "mail", "--dataset", "nowhere"]).assert().code(1);
}
