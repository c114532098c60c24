//! Snapshots and what queries see of them.

use db::{DbError, params, snapshots, tables};
use domain::table::{PublishedTable, SnapshotStatus};
use domain::{ClaimToken, JobId};
use serde_json::json;

use crate::build;

test_support::for_each_db! {
    async fn a_snapshot_is_read_as_it_was_made(db: TestDb) {
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "orders").await;
        let new = build::new_snapshot(&db, &table);
        let row = snapshots::insert_partial(&tx, &new).await.unwrap();
        assert_eq!((row.status, &row.schema), (SnapshotStatus::Partial, &new.schema));
        assert_eq!((row.n_columns, row.n_rows_actual, row.n_rows_estimate), (2, Some(42), Some(42)));
        assert_eq!((row.job, row.token, row.accepted_seq), (Some(new.job), Some(ClaimToken(1)), Some(1)));
        assert_eq!(snapshots::get(&tx, new.id).await.unwrap().as_ref(), Some(&row));
        assert_eq!(snapshots::of_job(&tx, new.job).await.unwrap(), [row]);
    }

    async fn only_a_partial_snapshot_becomes_ready_or_failed(db: TestDb) {
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "orders").await;
        let (ready, failed) = (build::partial(&tx, &db, &table).await, build::partial(&tx, &db, &table).await);
        assert!(snapshots::mark_ready(&tx, ready.id).await.unwrap());
        assert!(!snapshots::mark_ready(&tx, ready.id).await.unwrap());
        let reason = json!({"code": "PARSE_ERROR"});
        assert!(!snapshots::mark_failed(&tx, ready.id, &reason).await.unwrap());
        assert!(snapshots::mark_failed(&tx, failed.id, &reason).await.unwrap());
        assert!(!snapshots::mark_ready(&tx, failed.id).await.unwrap());
        let failed = snapshots::get(&tx, failed.id).await.unwrap().unwrap();
        assert_eq!((failed.status, failed.failure), (SnapshotStatus::Failed, Some(reason)));
    }

    async fn lists_are_in_the_order_they_were_taken(db: TestDb) {
        let mut ids = Vec::new();
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "orders").await;
        tx.commit().await.unwrap();
        for _ in 0..3 {
            let tx = db.tx().await;
            ids.push(build::partial(&tx, &db, &table).await.id);
            tx.commit().await.unwrap();
            db.shift_time(chrono::TimeDelta::seconds(1));
        }
        let tx = db.read().await;
        let listed: Vec<_> = snapshots::list(&tx, table.id).await.unwrap().iter().map(|s| s.id).collect();
        assert_eq!(listed, ids);
        let some: Vec<_> = snapshots::by_ids(&tx, &[ids[2], ids[0], db.id()]).await.unwrap().iter().map(|s| s.id).collect();
        assert_eq!(some, [ids[0], ids[2]]);
        assert!(snapshots::by_ids(&tx, &[]).await.unwrap().is_empty());
        assert!(snapshots::list(&tx, db.id()).await.unwrap().is_empty());
    }

    async fn queries_see_current_ready_snapshots_by_name(db: TestDb) {
        let tx = db.tx().await;
        let (b, a) = (build::table(&tx, &db, "b").await, build::table(&tx, &db, "a").await);
        let hidden = build::table(&tx, &db, "hidden").await;
        build::partial(&tx, &db, &hidden).await;
        let old = build::published(&tx, &db, &a).await;
        let new = build::published(&tx, &db, &a).await;
        let only = build::published(&tx, &db, &b).await;
        let seen = |tables: Vec<PublishedTable>| tables.into_iter().map(|t| (t.name, t.snapshot_id)).collect::<Vec<_>>();
        let now = snapshots::published(&tx, db.dataset()).await.unwrap();
        assert_eq!((&now[0].schema, now[0].n_rows, now[0].byte_size), (&build::schema(), 42, 4_096));
        assert_eq!(Some(&now[0].object_key), new.object_key.as_ref());
        assert_eq!(seen(now), [("a".to_owned(), new.id), ("b".to_owned(), only.id)]);
        let pinned = snapshots::published_at(&tx, db.dataset(), &[old.id, only.id]).await.unwrap();
        assert_eq!(seen(pinned), [("a".to_owned(), old.id), ("b".to_owned(), only.id)]);
        assert!(snapshots::published_at(&tx, db.dataset(), &[]).await.unwrap().is_empty());
        assert!(snapshots::published_at(&tx, db.id(), &[old.id]).await.unwrap().is_empty());
        assert_eq!(snapshots::published_table(&tx, a.id).await.unwrap().unwrap().snapshot_id, new.id);
        assert_eq!(snapshots::published_table(&tx, hidden.id).await.unwrap(), None);
        assert_eq!(snapshots::current(&tx, a.id).await.unwrap().unwrap().id, new.id);
        assert_eq!(snapshots::current(&tx, hidden.id).await.unwrap(), None);
    }

    async fn a_partial_snapshot_is_never_pinned(db: TestDb) {
        let tx = db.tx().await;
        let table = build::table(&tx, &db, "orders").await;
        build::published(&tx, &db, &table).await;
        let half = build::partial(&tx, &db, &table).await;
        assert!(snapshots::published_at(&tx, db.dataset(), &[half.id]).await.unwrap().is_empty());
    }

    async fn what_a_job_left_half_done_is_removed_with_its_objects(db: TestDb) {
        let tx = db.tx().await;
        let job = db.id::<JobId>();
        let table = tables::insert(&tx, &db::tables::NewTable { job: Some(job), ..build::new_table(&db, "orders") }).await.unwrap().unwrap();
        let half = snapshots::insert_partial(&tx, &db::snapshots::NewSnapshot { job, ..build::new_snapshot(&db, &table) }).await.unwrap();
        build::objects(&tx, &db, &half, &table).await;
        let other = build::partial(&tx, &db, &table).await;
        let gone = snapshots::delete_partial_of_job(&tx, job).await.unwrap();
        assert_eq!(gone, [half]);
        let objects: i64 = tx.row("SELECT count(*) AS n FROM flyquery_schema_objects", params![]).await.unwrap().unwrap().get("n").unwrap();
        assert_eq!(objects, 0);
        assert!(snapshots::get(&tx, other.id).await.unwrap().is_some());
    }

    async fn a_snapshot_needs_its_table(db: TestDb) {
        let tx = db.tx().await;
        let mut table = build::table(&tx, &db, "orders").await;
        table.id = db.id();
        let error = snapshots::insert_partial(&tx, &build::new_snapshot(&db, &table)).await;
        assert!(matches!(error, Err(DbError::Missing(_))), "{error:?}");
    }
}
