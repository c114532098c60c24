//! Enqueue and claim.

use std::collections::HashSet;

use db::params;
use domain::event::EventStage::{Queued, Running};
use domain::{ClaimToken, JobKind, JobState};
use jobs::{Birth, JobCallback, claim};
use serde_json::json;

use crate::build::{
    LEASE, crashed, crashed_job, enqueue, ledger, new_job, pass, pending, request, row, stages, told, worker,
};

test_support::for_each_db! {
    async fn a_new_job_waits_is_queued_in_the_ledger_and_told_to_the_bus(db: TestDb) {
        let mut new = new_job(&db);
        new.request = json!({ "actor": "ann" });
        new.callback = Some(JobCallback { url: "https://a.example/x".into(), secret: Some("s3cret".into()), headers: json!({"a": "b"}) });
        let id = new.id;
        let tx = db.tx().await;
        let job = jobs::enqueue(&tx, &*db.ids(), new.clone(), Birth::Pending).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(row(&db, id).await, job);
        assert_eq!((job.status, job.attempts, job.token), (JobState::Pending, 0, ClaimToken(0)));
        assert_eq!((job.request, job.result, job.cost_cents.as_str()), (json!({ "actor": "ann" }), json!({}), "0"));
        assert_eq!(job.callback, new.callback);
        assert!(!format!("{:?}", new.callback).contains("s3cret"));
        let events = ledger(&db, id).await;
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].stage, &events[0].payload), (Queued, &json!({ "job_kind": "PARSE_AND_INGEST", "attempt": 0 })));
        assert_eq!(told(&db, "IngestRequested", id).await, 1);
    }

    async fn a_job_that_is_not_committed_never_was(db: TestDb) {
        let tx = db.tx().await;
        let job = jobs::enqueue(&tx, &*db.ids(), new_job(&db), Birth::Pending).await.unwrap();
        tx.rollback().await.unwrap();
        assert_eq!(told(&db, "IngestRequested", job.id).await, 0);
        assert!(claim::claim(&db, &request(&db, 1)).await.unwrap().is_empty());
    }

    async fn a_sync_job_is_born_running_and_nobody_else_claims_it(db: TestDb) {
        let me = worker(&db);
        let job = enqueue(&db, Birth::Running { worker: me, lease: LEASE }).await;
        assert_eq!((job.status, job.attempts, job.token, job.worker), (JobState::Running, 1, ClaimToken(1), Some(me)));
        assert!(job.started_at.is_some() && job.lease_until > job.started_at);
        assert_eq!(stages(&db, job.id).await, [Queued, Running]);
        assert_eq!(told(&db, "IngestRequested", job.id).await, 0, "nobody need be woken for it");
        assert!(claim::claim(&db, &request(&db, 9)).await.unwrap().is_empty());
    }

    async fn a_claim_charges_an_attempt_and_raises_the_token(db: TestDb) {
        let job = pending(&db).await;
        let request = request(&db, 5);
        let claimed = claim::claim(&db, &request).await.unwrap();
        assert_eq!(claimed.len(), 1);
        let claimed = &claimed[0];
        assert_eq!(claimed, &row(&db, job.id).await);
        assert_eq!((claimed.status, claimed.attempts, claimed.token), (JobState::Running, 1, ClaimToken(1)));
        assert_eq!(claimed.worker, Some(request.worker));
        let lease = claimed.lease_until.unwrap() - claimed.started_at.unwrap();
        assert_eq!(lease.num_seconds(), 60);
        let events = ledger(&db, job.id).await;
        assert_eq!(events[1].stage, Running);
        assert_eq!(events[1].payload["attempt"], 1);
        let held = claim::held_by(&db.fleet_read().await.unwrap(), request.worker).await.unwrap();
        let (ours, left) = &held[0];
        assert_eq!((held.len(), ours), (1, claimed));
        assert!(*left <= LEASE && *left > LEASE / 2, "{left:?}");
    }

    async fn jobs_are_claimed_in_the_order_they_came_and_no_more_than_asked(db: TestDb) {
        let mut ids = Vec::new();
        for _ in 0..5 {
            ids.push(pending(&db).await.id);
        }
        let first: Vec<_> = claim::claim(&db, &request(&db, 3)).await.unwrap().iter().map(|job| job.id).collect();
        let rest: Vec<_> = claim::claim(&db, &request(&db, 3)).await.unwrap().iter().map(|job| job.id).collect();
        assert_eq!((first.as_slice(), rest.as_slice()), (&ids[..3], &ids[3..]));
        assert!(claim::claim(&db, &request(&db, 3)).await.unwrap().is_empty());
        assert!(claim::claim(&db, &request(&db, 0)).await.unwrap().is_empty());
    }

    async fn no_job_goes_to_two_of_many_claimers(db: TestDb) {
        let mut all = HashSet::new();
        for _ in 0..60 {
            all.insert(pending(&db).await.id);
        }
        let pools = [db.db(), db.second().await, db.db(), db.second().await];
        let claimers = pools.into_iter().map(|pool| {
            let request = request(&db, 3);
            async move {
                let mut mine = Vec::new();
                loop {
                    let jobs = claim::claim(&pool, &request).await.unwrap();
                    if jobs.is_empty() {
                        return mine;
                    }
                    assert!(jobs.len() <= 3);
                    mine.extend(jobs.iter().map(|job| job.id));
                }
            }
        });
        let mut tasks = tokio::task::JoinSet::new();
        claimers.for_each(|claimer| drop(tasks.spawn(claimer)));
        let taken: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
        assert_eq!(taken.len(), 60);
        assert_eq!(taken.into_iter().collect::<HashSet<_>>(), all);
    }

    async fn a_crashed_job_is_left_for_a_process_that_runs_nothing_else_and_one_at_a_time(db: TestDb) {
        let first = crashed_job(&db).await;
        let second = crashed_job(&db).await;
        assert_eq!((first.crash_count, second.crash_count), (1, 1));
        assert!(claim::claim(&db, &request(&db, 9)).await.unwrap().is_empty());
        let taken = claim::claim(&db, &crashed(&db)).await.unwrap();
        assert_eq!(taken.iter().map(|job| job.id).collect::<Vec<_>>(), [first.id]);
        assert_eq!((taken[0].attempts, taken[0].token), (2, ClaimToken(2)));
        assert!(claim::claim(&db, &crashed(&db)).await.unwrap().is_empty(), "one runs already");
        pass(&db, 61);
        assert_eq!(claim::claim(&db, &crashed(&db)).await.unwrap().len(), 1, "a lapsed one holds nobody up");
    }

    async fn a_job_that_waits_is_found_by_its_kind(db: TestDb) {
        let mut new = new_job(&db);
        new.kind = JobKind::RelationPass;
        let tx = db.tx().await;
        let job = jobs::enqueue(&tx, &*db.ids(), new, Birth::Pending).await.unwrap();
        let found = jobs::pending_of_kind(&tx, db.dataset(), JobKind::RelationPass).await.unwrap();
        assert_eq!(found, Some(job.id));
        assert_eq!(jobs::pending_of_kind(&tx, db.dataset(), JobKind::DescribePass).await.unwrap(), None);
    }

    async fn the_claim_of_a_long_queue_reads_an_index(db: TestDb) {
        let tx = db.fleet().await.unwrap();
        if tx.dialect() == db::Dialect::Sqlite {
            return;
        }
        tx.execute(
            "INSERT INTO flyquery_ingest_jobs (id, tenant_id, workspace_id, dataset_id, job_kind, status, run_after) \
             SELECT gen_random_uuid(), $1, $2, $3, 'REPARSE', \
             CASE WHEN n % 3 = 0 THEN 'SUCCEEDED' ELSE 'PENDING' END, now() + n * interval '1 minute' \
             FROM generate_series(1, 30000) AS n",
            params![&db.scope().tenant, db.scope().workspace, db.dataset()],
        ).await.unwrap();
        tx.commit().await.unwrap();
        pass(&db, 600);
        let tx = db.fleet().await.unwrap();
        tx.execute("ANALYZE flyquery_ingest_jobs", vec![]).await.unwrap();
        let plan = tx.rows(&format!(
            "EXPLAIN SELECT id FROM flyquery_ingest_jobs WHERE status = 'PENDING' AND run_after <= {} \
             AND job_kind IN ('REPARSE') AND attempts < 3 AND crash_count = 0 ORDER BY run_after, id LIMIT 4 \
             FOR UPDATE SKIP LOCKED", tx.now()), vec![]).await.unwrap();
        let plan: Vec<String> = plan.iter().map(|line| line.get("QUERY PLAN").unwrap()).collect();
        let plan = plan.join("\n");
        assert!(plan.contains("flyquery_ingest_jobs_queue") && !plan.contains("Seq Scan"), "{plan}");
    }
}
