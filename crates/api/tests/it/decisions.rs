//! What people decide: relations, renames, merges.

use db::{relations, schema_changes};
use domain::drift::{ChangeKind, SchemaChange};
use domain::ports::relation_proposer::RelationProposal;
use domain::semantic::RelationKind;
use domain::{ChangeId, RelationId, TableId};
use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Answer, Server};
use crate::{http_tests, seed};

fn proposal(from: TableId, to: TableId, column: &str) -> RelationProposal {
    RelationProposal {
        from_table: from,
        from_column: column.to_owned(),
        to_table: to,
        to_column: "id".to_owned(),
        confidence: 0.9,
        reason: "names match".to_owned(),
        kind: RelationKind::Heuristic,
    }
}

async fn propose(server: &Server, from: TableId, to: TableId, column: &str) -> RelationId {
    let tx = server.db.tx().await;
    let id: RelationId = server.db.id();
    relations::propose(&tx, server.dataset(), &[(id, proposal(from, to, column))]).await.expect("proposed");
    tx.commit().await.expect("committed");
    id
}

async fn delete(server: &Server, path: &str) -> Answer {
    Answer::of(server.request(Method::DELETE, path)).await
}

/// A second snapshot in which `amount` seems to be called `total`; gives the candidate's id.
async fn candidate(server: &Server, old: &seed::Published) -> (ChangeId, seed::Published) {
    let tx = server.db.tx().await;
    let (snapshot, column) = seed::snapshot(&tx, &server.db, old.table, "orders").await;
    let ids: [ChangeId; 3] = [server.db.id(), server.db.id(), server.db.id()];
    let change = |name: &str, change, after: Option<Value>| SchemaChange {
        column_name: name.to_owned(),
        change,
        before: None,
        after,
        rationale: None,
    };
    let after = json!({"candidates": [{"name": "amount", "confidence": null, "rationale": "the only one"}]});
    let rows = [
        (ids[0], change("sum", ChangeKind::RenamedCandidate, Some(after))),
        (ids[1], change("sum", ChangeKind::Removed, None)),
        (ids[2], change("amount", ChangeKind::Added, Some(json!({"data_type": "BIGINT"})))),
    ];
    schema_changes::insert_many(&tx, old.table, old.snapshot, snapshot, &rows).await.expect("inserted");
    tx.commit().await.expect("committed");
    (ids[0], seed::Published { table: old.table, snapshot, column })
}

http_tests! {
    async fn relations_are_listed_and_decided(db: TestDb) {
        let server = Server::start(db).await;
        let orders = seed::published(&server.db, "orders").await;
        let customers = seed::published(&server.db, "customers").await;
        let id = propose(&server, orders.table, customers.table, "amount").await;
        let list = format!("/api/v1/datasets/{}/relations", server.dataset());
        let found = server.get(&format!("{list}?status=PROPOSED")).await.ok(200);
        let first = &found["items"][0];
        assert_eq!((&found["total"], &first["from_table_name"], &first["to_table_name"]), (&json!(1), &json!("orders"), &json!("customers")));
        assert_eq!((&first["kind"], &first["status"], &first["reason"]), (&json!("HEURISTIC"), &json!("PROPOSED"), &json!("names match")));
        let approved = server.post(&format!("/api/v1/relations/{id}:approve"), &json!({})).await.ok(200);
        assert_eq!((&approved["status"], approved["approved_by"].is_string()), (&json!("APPROVED"), true));
        let rejected = server.post(&format!("/api/v1/relations/{id}%3Areject"), &json!({})).await.ok(200);
        assert_eq!((&rejected["status"], rejected.get("approved_by")), (&json!("REJECTED"), None));
        assert_eq!(server.get(&format!("{list}?status=REJECTED")).await.ok(200)["items"][0]["approved_by"], Value::Null);
        server.get(&format!("{list}?status=MAYBE")).await.problem(422, "invalid_request");
        delete(&server, &format!("/api/v1/relations/{id}")).await.ok(200);
        delete(&server, &format!("/api/v1/relations/{id}")).await.problem(404, "resource_not_found");
        server.post(&format!("/api/v1/relations/{id}:approve"), &json!({})).await.problem(404, "resource_not_found");
    }

    async fn what_a_person_knows_counts_as_approved_and_takes_the_place_of_a_proposal(db: TestDb) {
        let server = Server::start(db).await;
        let orders = seed::published(&server.db, "orders").await;
        let customers = seed::published(&server.db, "customers").await;
        propose(&server, orders.table, customers.table, "amount").await;
        let path = format!("/api/v1/datasets/{}/relations", server.dataset());
        let known = json!({
            "from_table_id": orders.table, "from_column_name": "amount",
            "to_table_id": customers.table, "to_column_name": "id", "reason": "I made it",
        });
        let made = server.post(&path, &known).await.ok(201);
        assert_eq!((&made["kind"], &made["status"], &made["confidence"]), (&json!("MANUAL"), &json!("APPROVED"), &json!(1.0)));
        assert_eq!(server.get(&path).await.ok(200)["total"], 1);
        server.post(&path, &known).await.problem(409, "conflict");
        let mut wrong = known.clone();
        wrong["from_column_name"] = json!("nothing");
        wrong["to_table_id"] = json!("3fa85f64-5717-4562-b3fc-2c963f66afa6");
        assert_eq!(server.post(&path, &wrong).await.places(), ["/from_column_name", "/to_table_id"]);
        assert_eq!(server.post(&path, &json!({"from_table_id": "x"})).await.places(),
            ["/from_table_id", "/from_column_name", "/to_table_id", "/to_column_name"]);
    }

    async fn a_confirmed_rename_moves_what_people_wrote(db: TestDb) {
        let server = Server::start(db).await;
        let old = seed::published(&server.db, "orders").await;
        let (id, new) = candidate(&server, &old).await;
        let path = format!("/api/v1/schema-changes/{id}:confirm");
        let confirmed = server.post(&path, &json!({})).await.ok(200);
        assert_eq!((&confirmed["change"], &confirmed["after_json"]["column_name"]), (&json!("RENAMED"), &json!("amount")));
        assert!(confirmed["approved_by"].is_string() && confirmed["approved_at"].is_string(), "{confirmed}");
        let changes = server.get(&format!("/api/v1/tables/{}/changes", new.table)).await.ok(200);
        assert_eq!(changes["total"], 1, "neither removed nor added: {changes}");
        server.post(&path, &json!({})).await.problem(422, "invalid_request");
        let unknown = "/api/v1/schema-changes/3fa85f64-5717-4562-b3fc-2c963f66afa6:confirm";
        server.post(unknown, &json!({})).await.problem(404, "resource_not_found");
    }

    async fn two_columns_of_a_table_are_merged(db: TestDb) {
        let server = Server::start(db).await;
        let old = seed::published(&server.db, "orders").await;
        let path = format!("/api/v1/schema-objects/{}", old.column);
        server.put(&path, &json!({"description": "net, in euros", "pii_tag": "NAME"})).await.ok(200);
        let tx = server.db.tx().await;
        let (_, column) = seed::snapshot(&tx, &server.db, old.table, "orders").await;
        tx.commit().await.expect("committed");
        let body = json!({"from_id": old.column, "to_id": column});
        let merged = server.post("/api/v1/schema-objects:rename-merge", &body).await.ok(200);
        assert_eq!((&merged["description"], &merged["description_source"]), (&json!("net, in euros"), &json!("HUMAN")));
        assert_eq!((&merged["pii_tag"], &merged["samples"]), (&json!("NAME"), &json!([])), "its samples go with the tag");
        let other = seed::published(&server.db, "customers").await;
        let body = json!({"from_id": other.column, "to_id": column});
        assert_eq!(server.post("/api/v1/schema-objects:rename-merge", &body).await.places(), ["/to_id"]);
    }
}
