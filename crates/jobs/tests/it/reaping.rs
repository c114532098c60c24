//! Reaping, recovery and what wakes for it.

use std::collections::HashSet;
use std::time::Duration;

use domain::event::EventStage::{Error, Queued, Requeued, Running};
use domain::{ErrorCode, JobState};
use jobs::{Beat, BeatReply, Birth, Horizon, claim, heartbeat, inspect, reap as reaping};
use serde_json::json;
use test_support::TestDb;

use crate::build::{
    Hooks, LEASE, MAX_ATTEMPTS, cancel, crashed, crashed_job, enqueue, finish, ledger, pass, pending, reap,
    reap_config, request, retry, row, running, stages, told, worker,
};

async fn horizon(db: &TestDb) -> Horizon {
    inspect::horizon(&db.fleet_read().await.unwrap(), MAX_ATTEMPTS, Duration::from_mins(30)).await.unwrap()
}

test_support::for_each_db! {
    async fn a_lapsed_lease_sends_the_job_back_and_a_fresh_one_does_not(db: TestDb) {
        let job = running(&db).await;
        pass(&db, 50);
        assert_eq!(reap(&db).await.total(), 0);
        let beat = Beat { claim: job.claim(), progress: None };
        assert_eq!(heartbeat::beat(&db, &[beat], LEASE).await.unwrap(), [(job.claim(), BeatReply::Kept)]);
        pass(&db, 50);
        assert_eq!(reap(&db).await.total(), 0, "the beat counted from when it came");
        pass(&db, 11);
        assert_eq!(reap(&db).await.requeued, 1);
        let back = row(&db, job.id).await;
        assert_eq!((back.status, back.attempts, back.crash_count), (JobState::Pending, 1, 1));
        let last = ledger(&db, job.id).await.pop().unwrap();
        assert_eq!((last.stage, &last.payload["reason"], &last.payload["attempt"]), (Requeued, &json!("lease_expired"), &json!(1)));
        assert_eq!(told(&db, "IngestRequested", job.id).await, 2);
        assert_eq!(reap(&db).await.total(), 0, "once");
    }

    async fn a_job_that_is_renewed_for_ever_meets_the_outer_bound(db: TestDb) {
        let job = running(&db).await;
        for _ in 0..40 {
            pass(&db, 50);
            let beat = Beat { claim: job.claim(), progress: None };
            heartbeat::beat(&db, &[beat], LEASE).await.unwrap();
        }
        assert_eq!(reap(&db).await.requeued, 1);
        assert_eq!(ledger(&db, job.id).await.pop().unwrap().payload["reason"], "processing_lease");
    }

    async fn a_job_that_keeps_killing_its_worker_ends_as_a_dead_letter(db: TestDb) {
        let job = crashed_job(&db).await;
        for _ in 2..=MAX_ATTEMPTS {
            assert_eq!(claim::claim(&db, &crashed(&db)).await.unwrap().len(), 1);
            pass(&db, 61);
            reap(&db).await;
        }
        let dead = row(&db, job.id).await;
        assert_eq!((dead.status, dead.attempts, dead.crash_count), (JobState::Failed, 3, 3));
        assert_eq!(dead.result["error_code"], json!(ErrorCode::WorkerLost));
        assert_eq!(stages(&db, job.id).await, [Queued, Running, Requeued, Running, Requeued, Running, Error]);
        assert_eq!(told(&db, "ended", job.id).await, 1);
    }

    async fn a_waiting_job_over_a_lowered_cap_is_buried_and_never_claimed(db: TestDb) {
        let job = running(&db).await;
        let away = domain::Failure::new(ErrorCode::InfrastructureUnavailable, "Away.");
        finish(&db, job.claim(), retry(away, 0)).await.unwrap();
        let mut request = request(&db, 1);
        request.max_attempts = 1;
        assert!(claim::claim(&db, &request).await.unwrap().is_empty());
        let mut config = reap_config();
        config.max_attempts = 1;
        let report = reaping::reap(&db, &*db.ids(), &config, &Hooks::default()).await.unwrap();
        assert_eq!(report.dead, 1);
        assert_eq!(row(&db, job.id).await.result["error_code"], "INFRASTRUCTURE_UNAVAILABLE");
    }

    async fn two_reapers_at_once_send_every_job_back_once(db: TestDb) {
        let mut all = HashSet::new();
        for _ in 0..50 {
            all.insert(enqueue(&db, Birth::Running { worker: worker(&db), lease: LEASE }).await.id);
        }
        let cancelled = *all.iter().next().unwrap();
        cancel(&db, cancelled).await;
        pass(&db, 61);
        let other = db.second().await;
        other.shift_time(chrono::TimeDelta::seconds(61));
        let mut config = reap_config();
        config.batch = 7;
        let hooks = Hooks::default();
        let ids = db.ids();
        let (one, two) = tokio::join!(
            reaping::reap(&db, &*ids, &config, &hooks),
            reaping::reap(&other, &*ids, &config, &hooks),
        );
        let (one, two) = (one.unwrap(), two.unwrap());
        assert_eq!((one.requeued + two.requeued, one.cancelled + two.cancelled, one.dead + two.dead), (49, 1, 0));
        for id in all {
            let job = row(&db, id).await;
            assert_eq!((job.crash_count, job.attempts), (1, 1));
            let expected = if id == cancelled { Error } else { Requeued };
            assert_eq!(stages(&db, id).await, [Queued, Running, expected]);
        }
    }

    async fn a_finish_between_the_reapers_look_and_its_write_stands(db: TestDb) {
        let job = running(&db).await;
        pass(&db, 61);
        // lapsed, but its worker comes first: nothing was lost
        finish(&db, job.claim(), crate::build::succeeded()).await.unwrap();
        assert_eq!(reap(&db).await.total(), 0);
        assert_eq!(row(&db, job.id).await.status, JobState::Succeeded);
    }

    async fn a_restart_recovers_every_running_job_whatever_its_lease(db: TestDb) {
        let lives = running(&db).await;
        let cancelled = running(&db).await;
        cancel(&db, cancelled.id).await;
        let waits = pending(&db).await;
        let report = reaping::recover_all(&db, &*db.ids(), MAX_ATTEMPTS, &Hooks::default()).await.unwrap();
        assert_eq!((report.requeued, report.cancelled, report.dead), (1, 1, 0));
        assert_eq!(row(&db, lives.id).await.crash_count, 1);
        assert_eq!(ledger(&db, lives.id).await.pop().unwrap().payload["reason"], "restart");
        assert_eq!(row(&db, cancelled.id).await.status, JobState::Cancelled);
        assert_eq!(row(&db, waits.id).await, waits);
    }

    async fn jobs_that_nobody_hears_of_are_told_again_unless_they_are_postponed(db: TestDb) {
        let postponed = running(&db).await;
        let away = domain::Failure::new(ErrorCode::StorageFull, "Full.");
        finish(&db, postponed.claim(), retry(away, 5_000)).await.unwrap();
        let forgotten = pending(&db).await;
        let grace = Duration::from_mins(10);
        assert_eq!(reaping::republish_orphans(&db, &*db.ids(), grace, 10).await.unwrap(), 0);
        pass(&db, 601);
        assert_eq!(reaping::republish_orphans(&db, &*db.ids(), grace, 10).await.unwrap(), 1);
        assert_eq!(told(&db, "IngestRequested", forgotten.id).await, 2);
        assert_eq!(told(&db, "IngestRequested", postponed.id).await, 1);
    }

    async fn a_poll_sees_what_there_is_to_do_and_how_long_it_may_sleep(db: TestDb) {
        assert_eq!(horizon(&db).await, Horizon::default());
        let job = pending(&db).await;
        assert!(horizon(&db).await.claimable);
        let claimed = crate::build::claim(&db).await;
        let busy = horizon(&db).await;
        assert!(!busy.claimable && !busy.expired);
        let left = busy.next_lease.unwrap();
        assert!(left <= LEASE && left > Duration::from_secs(30), "{left:?}");
        let away = domain::Failure::new(ErrorCode::StorageFull, "Full.");
        finish(&db, claimed.claim(), retry(away, 100)).await.unwrap();
        let postponed = horizon(&db).await;
        assert!(!postponed.claimable);
        let due = postponed.next_due.unwrap();
        assert!(due <= Duration::from_secs(100) && due > Duration::from_secs(50), "{due:?}");
        pass(&db, 101);
        assert!(horizon(&db).await.claimable);
        assert_eq!(crate::build::claim(&db).await.id, job.id);
        pass(&db, 61);
        assert!(horizon(&db).await.expired);
        reap(&db).await;
        let crashed = horizon(&db).await;
        assert!(crashed.crashed && !crashed.claimable && !crashed.expired);
    }
}
