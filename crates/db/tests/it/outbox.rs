//! The event outbox.

use std::time::Duration;

use chrono::TimeDelta;
use db::outbox::{self, NewOutboxEvent};
use serde_json::json;
use test_support::TestDb;
use uuid::Uuid;

const LEASE: Duration = Duration::from_secs(30);

async fn add(db: &TestDb, n: u64) -> Vec<Uuid> {
    let mut ids = Vec::new();
    for _ in 0..n {
        let tx = db.fleet().await.expect("a transaction");
        let new = NewOutboxEvent {
            id: db.id(),
            topic: "flyquery.ingest".into(),
            event_type: "IngestRequested".into(),
            payload: json!({"n": n}),
        };
        outbox::insert(&tx, db.scope(), &new).await.expect("inserted");
        tx.commit().await.expect("committed");
        ids.push(new.id);
    }
    ids
}

async fn claim(db: &TestDb, limit: u64) -> Vec<Uuid> {
    let tx = db.fleet().await.expect("a transaction");
    let rows = outbox::claim(&tx, limit, LEASE).await.expect("claimed");
    tx.commit().await.expect("committed");
    rows.into_iter().map(|row| row.id).collect()
}

test_support::for_each_db! {
    async fn an_event_is_claimed_once_and_again_when_its_relay_died(db: TestDb) {
        let ids = add(&db, 3).await;
        assert_eq!(claim(&db, 2).await, ids[..2]);
        assert_eq!(claim(&db, 9).await, ids[2..]);
        assert_eq!(claim(&db, 9).await, Vec::<Uuid>::new());
        let tx = db.fleet().await.unwrap();
        assert_eq!(outbox::mark_sent(&tx, &ids[..1]).await.unwrap(), 1);
        assert_eq!(outbox::mark_sent(&tx, &ids[..1]).await.unwrap(), 0);
        assert_eq!(outbox::mark_sent(&tx, &[]).await.unwrap(), 0);
        assert!(!outbox::has_unsent(&tx).await.unwrap());
        tx.commit().await.unwrap();
        db.shift_time(TimeDelta::seconds(31));
        let tx = db.fleet_read().await.unwrap();
        assert!(outbox::has_unsent(&tx).await.unwrap());
        drop(tx);
        assert_eq!(claim(&db, 9).await, ids[1..]);
    }

    async fn relays_share_the_work(db: TestDb) {
        let ids = add(&db, 40).await;
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let pool = db.db();
            tasks.spawn(async move {
                let mut mine = Vec::new();
                loop {
                    let tx = pool.fleet().await.expect("a transaction");
                    let rows = outbox::claim(&tx, 3, LEASE).await.expect("claimed");
                    tx.commit().await.expect("committed");
                    if rows.is_empty() {
                        return mine;
                    }
                    mine.extend(rows.into_iter().map(|row| row.id));
                }
            });
        }
        let mut all = Vec::new();
        while let Some(mine) = tasks.join_next().await {
            all.extend(mine.unwrap());
        }
        all.sort();
        assert_eq!(all, ids);
    }

    async fn sent_events_are_removed_after_a_while(db: TestDb) {
        let ids = add(&db, 3).await;
        let tx = db.fleet().await.unwrap();
        outbox::mark_sent(&tx, &ids[..2]).await.unwrap();
        tx.commit().await.unwrap();
        db.shift_time(TimeDelta::hours(2));
        let tx = db.fleet().await.unwrap();
        assert_eq!(outbox::delete_sent(&tx, Duration::from_hours(3), 10).await.unwrap(), 0);
        assert_eq!(outbox::delete_sent(&tx, Duration::from_hours(1), 1).await.unwrap(), 1);
        assert_eq!(outbox::delete_sent(&tx, Duration::from_hours(1), 10).await.unwrap(), 1);
        assert!(outbox::has_unsent(&tx).await.unwrap());
    }

    async fn an_event_commits_with_its_change_or_not_at_all(db: TestDb) {
        let tx = db.tx().await;
        let new = NewOutboxEvent { id: db.id(), topic: "t".into(), event_type: "e".into(), payload: json!({}) };
        outbox::insert(&tx, db.scope(), &new).await.unwrap();
        drop(tx);
        assert_eq!(claim(&db, 9).await, Vec::<Uuid>::new());
    }
}
