//! Audit, costs and counts.

use db::audit::{self, AuditFilter, NewAudit};
use db::costs::{self, CostFilter, NewCost};
use db::{Page, datasets, stats, tables, workspaces};
use domain::Actor;
use serde_json::json;

use crate::build;

const PAGE: Page = Page { limit: 10, offset: 0 };

test_support::for_each_db! {
    async fn audit_events_are_filtered_and_newest_first(db: TestDb) {
        let mut times = Vec::new();
        for event in ["dataset.created", "dataset.updated", "file.uploaded"] {
            let tx = db.tenant(&db.scope().tenant).await.unwrap();
            let new = NewAudit {
                id: db.id(), actor: Actor("ann".into()), event_type: event.into(), resource_kind: event.split('.').next().unwrap().into(),
                resource_id: Some("r1".into()), correlation_id: None, payload: json!({"n": 1}),
            };
            audit::insert(&tx, db.scope().workspace, &new).await.unwrap();
            tx.commit().await.unwrap();
            let tx = db.read().await;
            times.push(audit::list(&tx, &AuditFilter::default(), PAGE).await.unwrap().items[0].created_at);
            drop(tx);
            db.shift_time(chrono::TimeDelta::minutes(1));
        }
        let tx = db.read().await;
        let all = audit::list(&tx, &AuditFilter::default(), Page { limit: 1, offset: 1 }).await.unwrap();
        assert_eq!((all.items[0].event_type.as_str(), all.total), ("dataset.updated", 3));
        assert_eq!(all.items[0].payload, Some(json!({"n": 1})));
        let range = AuditFilter { from: Some(times[0]), to: Some(times[1]), ..AuditFilter::default() };
        let some = audit::list(&tx, &range, PAGE).await.unwrap();
        assert_eq!((some.total, some.items[0].event_type.as_str()), (1, "dataset.created"));
        let kind = AuditFilter { resource_kind: Some("dataset".into()), actor: Some("ann".into()), event_type: None, from: None, to: None };
        assert_eq!(audit::list(&tx, &kind, PAGE).await.unwrap().total, 2);
    }

    async fn costs_keep_every_digit(db: TestDb) {
        let tx = db.tx().await;
        for (model, cents) in [(Some("m"), "0.000000123456789"), (None, "12345678901234567890.5")] {
            let new = NewCost {
                id: db.id(), actor: Actor("ann".into()), model: model.map(Into::into), operation: "describe".into(), input_tokens: 7,
                output_tokens: 0, cost_cents: cents.into(), job: None, query: None, correlation_id: None,
            };
            costs::insert(&tx, &new).await.unwrap();
        }
        let by_model = CostFilter { model: Some("m".into()), operation: Some("describe".into()), ..CostFilter::default() };
        let list = costs::list(&tx, &by_model, PAGE).await.unwrap();
        assert_eq!((list.total, list.items[0].cost_cents.as_str(), list.items[0].input_tokens), (1, "0.000000123456789", 7));
        let all = costs::list(&tx, &CostFilter::default(), PAGE).await.unwrap();
        assert!(all.items.iter().any(|c| c.cost_cents == "12345678901234567890.5"));
    }

    async fn stats_count_what_is_in_use(db: TestDb) {
        let tx = db.tx().await;
        let archived = datasets::insert(&tx, &datasets::NewDataset::named(db.id(), "old")).await.unwrap();
        datasets::archive(&tx, archived.id).await.unwrap();
        workspaces::add_storage(&tx, 77).await.unwrap();
        for (name, active) in [("a", true), ("b", true), ("c", false)] {
            let table = build::table(&tx, &db, name).await;
            build::published(&tx, &db, &table).await;
            tables::set_active(&tx, table.id, active).await.unwrap();
        }
        build::table(&tx, &db, "unpublished").await;
        for status in ["PENDING", "RUNNING", "FAILED"] {
            build::job(&tx, &db, status, 1).await;
        }
        let stats = stats::workspace(&tx).await.unwrap();
        let wanted = stats::WorkspaceStats { storage_used_bytes: 77, dataset_count: 1, table_count: 2, ingest_job_count_pending: 2 };
        assert_eq!(stats, wanted);
    }
}
