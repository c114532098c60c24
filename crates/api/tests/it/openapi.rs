//! The API document.

use std::collections::BTreeSet;

use serde_json::Value;

fn document() -> Value {
    serde_json::to_value(flyquery_api::openapi()).expect("JSON")
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get("$ref") {
                found.insert(target.clone());
            }
            object.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn it_is_openapi_3_1_and_every_reference_leads_somewhere() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.len() > 20);
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("a local reference");
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn every_operation_has_a_name_of_its_own_a_tag_a_summary_and_a_success() {
    let document = document();
    let mut names = BTreeSet::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let name = operation["operationId"].as_str().expect("an operation id").to_owned();
            assert!(names.insert(name.clone()), "{name} stands twice");
            assert!(operation["tags"][0].is_string() && operation["summary"].is_string(), "{method} {path}");
            let statuses = operation["responses"].as_object().expect("responses");
            assert!(statuses.keys().any(|status| status.starts_with('2')), "{method} {path}");
            if path.starts_with("/api/v1/") && path != "/api/v1/version" {
                let schema = &operation["responses"]["422"]["content"]["application/problem+json"]["schema"];
                assert_eq!(schema["$ref"], "#/components/schemas/Problem", "{method} {path}");
            }
        }
    }
}

#[test]
fn paths_keep_the_verbs_that_clients_write() {
    let document = document();
    for path in
        ["/api/v1/ingest-jobs/{job_id}:cancel", "/api/v1/datasets/{dataset_id}/files:async", "/api/v1/sql:execute"]
    {
        assert!(document["paths"][path]["post"].is_object(), "{path}");
    }
    let kinds = &document["components"]["schemas"]["JobKind"]["enum"];
    assert_eq!(kinds.as_array().expect("a list").len(), 5);
}
