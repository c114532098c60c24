//! Pending objects: no object is lost, none that a commit names is swept.

use std::time::Duration;

use chrono::TimeDelta;
use db::params;
use db::pending_objects::{self, NewPending};
use domain::job::Claim;
use test_support::TestDb;

use crate::build;

const HOUR: Duration = Duration::from_hours(1);
const MINUTE: Duration = Duration::from_mins(1);

async fn add(db: &TestDb, key: &str, claim: Option<Claim>) -> Vec<String> {
    let tx = db.tx().await;
    let new = NewPending { object_key: key.to_owned(), dataset: Some(db.dataset()), claim };
    pending_objects::insert(&tx, &[new]).await.expect("inserted");
    tx.commit().await.expect("committed");
    vec![key.to_owned()]
}

async fn sweep(db: &TestDb) -> Vec<String> {
    let tx = db.fleet().await.expect("a transaction");
    let rows = pending_objects::claim_stale(&tx, HOUR, MINUTE, 100).await.expect("claimed");
    tx.commit().await.expect("committed");
    let mut keys: Vec<_> = rows.into_iter().map(|row| row.object_key).collect();
    keys.sort();
    keys
}

async fn job(db: &TestDb, status: &str, token: i64) -> Claim {
    let tx = db.tx().await;
    let claim = build::job(&tx, db, status, token).await;
    tx.commit().await.expect("committed");
    claim
}

test_support::for_each_db! {
    async fn an_adopted_key_is_never_swept(db: TestDb) {
        let keys = add(&db, "a", None).await;
        let tx = db.tx().await;
        assert!(pending_objects::adopt(&tx, &keys).await.unwrap());
        tx.commit().await.unwrap();
        db.shift_time(TimeDelta::days(1));
        assert!(sweep(&db).await.is_empty());
        let tx = db.tx().await;
        assert!(pending_objects::adopt(&tx, &[]).await.unwrap());
    }

    async fn a_swept_key_is_never_adopted(db: TestDb) {
        let keys = add(&db, "a", None).await;
        assert!(sweep(&db).await.is_empty());
        db.shift_time(TimeDelta::minutes(61));
        assert_eq!(sweep(&db).await, keys);
        assert!(sweep(&db).await.is_empty(), "claimed once");
        let tx = db.tx().await;
        assert!(!pending_objects::adopt(&tx, &keys).await.unwrap());
        assert_eq!(pending_objects::touch(&tx, &keys).await.unwrap(), 0);
        drop(tx);
        // a sweep that died leaves it to the next one
        db.shift_time(TimeDelta::minutes(11));
        assert_eq!(sweep(&db).await, keys);
        let tx = db.fleet().await.unwrap();
        assert_eq!(pending_objects::forget(&tx, &keys).await.unwrap(), 1);
        tx.commit().await.unwrap();
        db.shift_time(TimeDelta::days(1));
        assert!(sweep(&db).await.is_empty());
    }

    async fn a_long_upload_that_shows_life_is_not_swept(db: TestDb) {
        let keys = add(&db, "a", None).await;
        for _ in 0..3 {
            db.shift_time(TimeDelta::minutes(45));
            let tx = db.tx().await;
            assert_eq!(pending_objects::touch(&tx, &keys).await.unwrap(), 1);
            tx.commit().await.unwrap();
            assert!(sweep(&db).await.is_empty());
        }
    }

    async fn keys_of_a_job_go_when_it_has_ended(db: TestDb) {
        let held = job(&db, "RUNNING", 2).await;
        // a checkpoint may name what an earlier claim wrote
        let older = Claim { token: domain::ClaimToken(1), ..held };
        let waiting = job(&db, "PENDING", 1).await;
        let ended = job(&db, "FAILED", 1).await;
        let gone = Claim { job_id: db.id(), token: domain::ClaimToken(1) };
        for (key, claim) in [("held", held), ("older", older), ("waiting", waiting), ("ended", ended), ("gone", gone)] {
            add(&db, key, Some(claim)).await;
        }
        assert!(sweep(&db).await.is_empty(), "a fenced writer may still be at it");
        db.shift_time(TimeDelta::minutes(2));
        assert_eq!(sweep(&db).await, ["ended", "gone"]);
        let tx = db.fleet().await.unwrap();
        let keys: Vec<_> = pending_objects::of_job(&tx, held.job_id).await.unwrap().into_iter().map(|r| r.object_key).collect();
        assert_eq!(keys, ["held", "older"]);
        tx.execute("UPDATE flyquery_ingest_jobs SET status = 'SUCCEEDED' WHERE id = $1", params![held.job_id]).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(sweep(&db).await, ["held", "older"]);
    }

    async fn recording_a_key_twice_touches_it(db: TestDb) {
        add(&db, "a", None).await;
        db.shift_time(TimeDelta::minutes(59));
        add(&db, "a", None).await;
        db.shift_time(TimeDelta::minutes(59));
        assert!(sweep(&db).await.is_empty());
    }
}
