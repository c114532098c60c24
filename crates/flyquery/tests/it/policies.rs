//! What a dataset's policy says is done and not done, and the jobs that run one stage on what is published.

use serde_json::{Value, json};

use crate::server::{Server, text};

const PEOPLE: &[u8] =
    b"a table of people\nid,email,age\n1,ada@example.org,36\n2,bob@example.org,41\n3,cleo@example.org,\n";

/// A dataset with a policy.
async fn dataset(server: &Server, name: &str, policy: &Value) -> String {
    let (status, body) = server.post("/api/v1/datasets", &json!({"name": name, "ingest_policy_json": policy})).await;
    assert_eq!(status, 201, "{body}");
    text(&body["id"])
}

/// The columns of a table's current snapshot, by name.
async fn columns(server: &Server, table: &Value) -> serde_json::Map<String, Value> {
    let page = server.get(&format!("/api/v1/tables/{}/objects", text(&table["table_id"]))).await;
    let objects = page["items"].as_array().expect("items").iter().filter(|object| object["kind"] == "COLUMN");
    let name = |object: &Value| text(&object["qualified_name"]).rsplit('.').next().map(str::to_owned);
    objects.map(|object| (name(object).expect("a name"), object.clone())).collect()
}

/// Runs a job of one stage; gives its row.
async fn run(server: &Server, body: &Value) -> Value {
    let (status, job) = server.post("/api/v1/ingest-jobs", body).await;
    assert_eq!(status, 201, "{job}");
    let job = server.ended(&text(&job["id"])).await;
    assert_eq!(job["status"], "SUCCEEDED", "{job}");
    job
}

#[tokio::test(flavor = "multi_thread")]
async fn stages_that_a_policy_leaves_out_are_left_out_and_said_to_be() {
    let (server, _, _home) = Server::fresh(&[]).await;
    let all = ["sample", "profile", "relate", "describe", "tag_pii"];
    let reference = json!({
        "sample_disabled": true, "profile_disabled": true, "relation_proposer_disabled": true,
        "describe_disabled": true, "pii_scanner_override": "disabled",
    });
    for (name, policy) in [("ours", json!({"skip_stages": all})), ("theirs", reference)] {
        let dataset = dataset(&server, name, &policy).await;
        let job = server.upload(&dataset, "people.csv", PEOPLE.to_vec()).await;
        let row = server.ended(&job).await;
        assert_eq!(row["status"], "SUCCEEDED", "{row}");
        let events = server.events(&job).await;
        for stage in ["sampled", "profiled", "relations_proposed", "described"] {
            let event = events.iter().find(|event| event["stage"] == stage).unwrap_or_else(|| panic!("{stage}"));
            assert_eq!(event["payload_json"]["skipped"], true, "{name}: {event}");
        }
        let columns = columns(&server, &row["result_json"]["tables"][0]).await;
        for (column, object) in columns {
            let empty = (&object["profile"], &object["samples"], &object["description"], &object["pii_tag"]);
            assert_eq!(empty, (&Value::Null, &json!([]), &Value::Null, &Value::Null), "{name}: {column}");
        }
        assert_eq!(server.sql(&dataset, "select count(*), sum(age) from people").await, json!([[3, 77]]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_that_a_policy_leaves_out_stay_in_the_table_and_are_not_looked_at() {
    let (server, _, _home) = Server::fresh(&[]).await;
    for (name, policy, looked_at) in [
        ("without", json!({"exclude_columns": ["people.email"]}), ["id", "age"].as_slice()),
        ("only", json!({"include_columns": ["people.age"]}), &["age"]),
    ] {
        let dataset = dataset(&server, name, &policy).await;
        let table = server.ingest(&dataset, "people.csv", PEOPLE.to_vec()).await;
        for (column, object) in columns(&server, &table).await {
            let seen = !object["profile"].is_null();
            assert_eq!(seen, looked_at.contains(&column.as_str()), "{name}: {column}: {object}");
            assert_eq!(object["samples"] != json!([]), seen, "{name}: {column}");
        }
        assert_eq!(server.sql(&dataset, "select email from people where id = 1").await, json!([["ada@example.org"]]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_decides_about_personal_data_and_title_rows() {
    let (server, _, _home) = Server::fresh(&[]).await;
    // A single value that looks like personal data is no sample whatever the policy; a profile's values are the policy's.
    for (policy, tag, samples, shown) in [
        (json!({"pii_policy_samples": "warn"}), json!("EMAIL"), 0, true),
        (json!({"pii_policy_samples": "redact"}), json!("EMAIL"), 0, false),
        (json!({"pii_policy_samples_override": "redact"}), json!("EMAIL"), 0, false),
        (json!({"pii_scanner": "disabled"}), Value::Null, 3, true),
    ] {
        let dataset = dataset(&server, &policy.to_string().replace(['{', '}', '"', ':'], "-"), &policy).await;
        let table = server.ingest(&dataset, "people.csv", PEOPLE.to_vec()).await;
        let email = columns(&server, &table).await["email"].clone();
        assert_eq!(email["pii_tag"], tag, "{policy}");
        assert_eq!(email["samples"].as_array().map(Vec::len), Some(samples), "{policy}: {email}");
        assert_eq!(email["profile"]["min"].is_string(), shown, "{policy}: {email}");
        assert!(email["profile"]["lowest_hashes"].is_null(), "sketches are the service's own: {email}");
    }
    let refusing = dataset(&server, "refusing", &json!({"pii_policy_samples": "reject"})).await;
    let table = server.ingest(&refusing, "people.csv", PEOPLE.to_vec()).await;
    let email = columns(&server, &table).await["email"].clone();
    assert_eq!((&email["is_active"], &email["samples"]), (&json!(false), &json!([])), "{email}");
    let strict = dataset(&server, "strict", &json!({"max_title_rows": 0})).await;
    let table = server.ingest(&strict, "people.csv", PEOPLE.to_vec()).await;
    assert!(!columns(&server, &table).await.contains_key("email"), "the title is no title here");
    let (status, problem) = server
        .post("/api/v1/datasets", &json!({"name": "x", "ingest_policy_json": {"skip_stages": ["parse"], "a": 1}}))
        .await;
    assert_eq!((status, &problem["code"]), (422, &json!("validation_error")), "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn single_stages_run_on_what_is_published() {
    let (server, _, _home) = Server::fresh(&[]).await;
    let policy = json!({"skip_stages": ["sample", "relate"]});
    let dataset = dataset(&server, "shop", &policy).await;
    let customers = server.ingest(&dataset, "customers.csv", b"id,name\n1,Ada\n2,Bob\n3,Cleo\n4,Dan\n".to_vec()).await;
    let orders = b"id,customer_id\n10,1\n11,2\n12,1\n13,4\n14,4\n".to_vec();
    server.ingest(&dataset, "orders.csv", orders).await;
    let relations = format!("/api/v1/datasets/{dataset}/relations");
    assert_eq!(server.get(&relations).await["total"], 0);
    assert_eq!(columns(&server, &customers).await["name"]["samples"], json!([]));

    let url = format!("{}/api/v1/datasets/{dataset}", server.url);
    let open = server.http.put(url).json(&json!({"ingest_policy_json": {}}));
    assert_eq!(open.send().await.expect("an answer").status(), 200);
    let refresh = json!({"job_kind": "SAMPLE_REFRESH", "table_id": customers["table_id"]});
    run(&server, &refresh).await;
    let first = columns(&server, &customers).await["name"]["samples"].clone();
    assert_eq!(first, json!(["Ada", "Bob", "Cleo", "Dan"]));
    run(&server, &refresh).await;
    assert_eq!(columns(&server, &customers).await["name"]["samples"], first, "the same each time");
    assert_eq!(columns(&server, &customers).await["name"]["snapshot_id"], customers["snapshot_id"], "no new snapshot");

    run(&server, &json!({"job_kind": "RELATION_PASS", "dataset_id": dataset})).await;
    let found = server.get(&relations).await;
    assert_eq!(found["total"], 1, "{found}");
    let (from, to) = (&found["items"][0]["from_column_name"], &found["items"][0]["to_table_name"]);
    assert_eq!((from, to), (&json!("customer_id"), &json!("customers")));
}
