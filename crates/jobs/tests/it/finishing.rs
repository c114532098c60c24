//! The end of a claim.

use db::DbError;
use domain::event::EventStage::{Error, Final, Published, Queued, Requeued, Running};
use domain::event::EventStatus;
use domain::{ErrorCode, Failure, JobState, SnapshotId, Stage, TableId};
use jobs::{End, Outcome, Stop, checkpoint, drain};
use serde_json::json;

use crate::build::{
    Hooks, MAX_ATTEMPTS, Publish, claim, finish, finish_with, ledger, pass, pending, request, retry, row, running,
    stages, succeeded, told,
};

fn away() -> Failure {
    Failure::new(ErrorCode::InfrastructureUnavailable, "The object store did not answer.")
}

test_support::for_each_db! {
    async fn a_success_publishes_and_ends_the_job_in_one_commit(db: TestDb) {
        let job = running(&db).await;
        pass(&db, 5);
        let (table, snapshot) = (db.id::<TableId>(), db.id::<SnapshotId>());
        let outcome = Outcome::Succeeded {
            result: json!({ "tables": [] }),
            table: Some(table),
            snapshot: Some(snapshot),
            cost_cents: Some("1.25".to_owned()),
        };
        let hooks = Hooks::default();
        let publish = Publish::default();
        let end = End {
            claim: job.claim(), outcome, commit: Some(&publish), terminal: &hooks,
            max_attempts: MAX_ATTEMPTS, next: None,
        };
        let finished = jobs::finish::finish(&db, end).await.unwrap();
        assert_eq!(finished.job, row(&db, job.id).await);
        let done = finished.job;
        assert_eq!((done.status, &done.result), (JobState::Succeeded, &json!({ "tables": [] })));
        assert_eq!((done.table, done.snapshot, done.cost_cents.as_str()), (Some(table), Some(snapshot), "1.25"));
        assert!(done.elapsed_ms.unwrap() >= 5_000 && done.finished_at > done.started_at && done.lease_until.is_none());
        assert_eq!(stages(&db, job.id).await, [Queued, Running, Published, Final]);
        let last = ledger(&db, job.id).await.pop().unwrap();
        assert_eq!(last.payload["snapshot_id"], json!(snapshot));
        assert_eq!(last.payload["job_kind"], "PARSE_AND_INGEST");
        assert_eq!(*hooks.seen.lock().unwrap(), [(job.id, JobState::Succeeded)]);
        assert_eq!((told(&db, "published", job.id).await, told(&db, "ended", job.id).await), (1, 1));
    }

    async fn the_result_that_a_commit_gives_takes_the_place_of_the_handlers(db: TestDb) {
        let job = running(&db).await;
        let publish = Publish::giving(json!({ "warnings": ["late"] }));
        let done = finish_with(&db, job.claim(), succeeded(), &publish, None).await.unwrap().job;
        assert_eq!((done.status, &done.result), (JobState::Succeeded, &json!({ "warnings": ["late"] })));
        assert_eq!(row(&db, job.id).await, done);
    }

    async fn a_publish_that_fails_leaves_the_job_as_it_was(db: TestDb) {
        let job = running(&db).await;
        let waiting = pending(&db).await;
        let next = request(&db, 1);
        for (error, stop) in [
            (Publish::failing(away()), Stop::Commit(away())),
            (Publish::failing(DbError::Bug("x".into())), Stop::Db(DbError::Bug("x".into()))),
        ] {
            let finished = finish_with(&db, job.claim(), succeeded(), &error, Some(&next)).await;
            assert_eq!(finished.err(), Some(stop));
            assert_eq!(row(&db, job.id).await, job);
            assert_eq!(row(&db, waiting.id).await, waiting, "the next job was not claimed either");
            assert_eq!(stages(&db, job.id).await, [Queued, Running]);
            assert_eq!((told(&db, "published", job.id).await, told(&db, "ended", job.id).await), (0, 0));
        }
    }

    async fn hooks_that_fail_leave_the_job_as_it_was(db: TestDb) {
        let job = running(&db).await;
        let hooks = Hooks::default();
        hooks.errors.lock().unwrap().push(DbError::Bug("no".into()));
        let publish = Publish::default();
        let mut end = End {
            claim: job.claim(), outcome: succeeded(), commit: Some(&publish), terminal: &hooks,
            max_attempts: MAX_ATTEMPTS, next: None,
        };
        assert!(jobs::finish::finish(&db, end.clone()).await.is_err());
        assert_eq!(row(&db, job.id).await, job);
        assert_eq!(told(&db, "published", job.id).await, 0);
        end.outcome = succeeded();
        assert!(jobs::finish::finish(&db, end).await.is_ok());
        assert_eq!((told(&db, "published", job.id).await, told(&db, "ended", job.id).await), (1, 1));
    }

    async fn the_end_of_a_job_claims_the_next_in_the_same_commit(db: TestDb) {
        let job = running(&db).await;
        let waiting = pending(&db).await;
        let next = request(&db, 1);
        let finished = finish_with(&db, job.claim(), succeeded(), &Publish::default(), Some(&next)).await.unwrap();
        assert_eq!(finished.next, [row(&db, waiting.id).await]);
        assert_eq!((finished.next[0].status, finished.next[0].worker), (JobState::Running, Some(next.worker)));
        assert_eq!(stages(&db, waiting.id).await, [Queued, Running]);
    }

    async fn a_rejected_job_fails_at_once_and_says_where_and_why(db: TestDb) {
        let job = running(&db).await;
        let guarded = checkpoint::begin(&db, job.claim()).await.unwrap();
        guarded.commit(Stage::Receive, &json!({}), &[]).await.unwrap();
        let failure = Failure::new(ErrorCode::ParseError, "Line 7 ends inside quotes.");
        let finished = finish(&db, job.claim(), Outcome::Failed(failure.clone())).await.unwrap();
        let failed = finished.job;
        assert_eq!(failed.status, JobState::Failed);
        assert_eq!(failed.result, failure.in_stage(Stage::Parse).to_result_json(), "the stage after the last commit");
        let last = ledger(&db, job.id).await.pop().unwrap();
        assert_eq!((last.stage, last.status), (Error, EventStatus::Error));
        assert_eq!(last.message, failed.result["message"].as_str().map(str::to_owned));
        assert_eq!((&last.payload["error_code"], &last.payload["failed_stage"]), (&json!("PARSE_ERROR"), &json!("parse")));
        assert_eq!((told(&db, "published", job.id).await, told(&db, "ended", job.id).await), (0, 1));
    }

    async fn a_transient_failure_waits_its_time_and_then_runs_again(db: TestDb) {
        let job = running(&db).await;
        let finished = finish(&db, job.claim(), retry(away(), 20)).await.unwrap();
        assert_eq!((finished.job.status, finished.job.attempts), (JobState::Pending, 1));
        let last = ledger(&db, job.id).await.pop().unwrap();
        assert_eq!((last.stage, &last.payload["reason"], &last.payload["attempt"]), (Requeued, &json!("transient"), &json!(1)));
        let request = request(&db, 1);
        assert!(jobs::claim::claim(&db, &request).await.unwrap().is_empty());
        pass(&db, 21);
        let again = jobs::claim::claim(&db, &request).await.unwrap().remove(0);
        assert_eq!((again.id, again.attempts, again.token.0), (job.id, 2, 2));
        assert_eq!(told(&db, "ended", job.id).await, 0, "it has not ended");
    }

    async fn a_transient_failure_at_the_cap_is_a_dead_letter(db: TestDb) {
        let job = pending(&db).await;
        for attempt in 1..=MAX_ATTEMPTS {
            let claimed = claim(&db).await;
            assert_eq!(claimed.attempts, attempt);
            finish(&db, claimed.claim(), retry(away(), 0)).await.unwrap();
        }
        let dead = row(&db, job.id).await;
        assert_eq!((dead.status, dead.attempts), (JobState::Failed, MAX_ATTEMPTS));
        assert_eq!((&dead.result["error_code"], &dead.result["retriable"]), (&json!("INFRASTRUCTURE_UNAVAILABLE"), &json!(true)));
        assert!(jobs::claim::claim(&db, &request(&db, 1)).await.unwrap().is_empty());
        let stages = stages(&db, job.id).await;
        assert_eq!(stages, [Queued, Running, Requeued, Running, Requeued, Running, Error]);
    }

    async fn a_job_handed_back_is_not_charged_and_waits_for_the_next(db: TestDb) {
        let job = running(&db).await;
        let back = drain::hand_back(&db, &*db.ids(), job.claim(), &Hooks::default()).await.unwrap();
        assert_eq!((back.status, back.attempts, back.crash_count), (JobState::Pending, 0, 0));
        assert_eq!(told(&db, "IngestRequested", job.id).await, 2, "another process is woken");
        assert_eq!(ledger(&db, job.id).await.pop().unwrap().payload["reason"], "handed_back");
        let again = claim(&db).await;
        assert_eq!((again.attempts, again.token.0), (1, 2), "the token never goes back");
    }

    async fn a_job_that_ended_never_changes(db: TestDb) {
        for outcome in [succeeded(), Outcome::Failed(Failure::new(ErrorCode::EmptyFile, "0 bytes.")), Outcome::Cancelled] {
            let job = running(&db).await;
            finish(&db, job.claim(), outcome).await.unwrap();
            let ended = row(&db, job.id).await;
            assert_eq!(finish(&db, job.claim(), succeeded()).await.err(), Some(Stop::Fenced));
            crate::build::cancel(&db, job.id).await;
            pass(&db, 10_000);
            crate::build::reap(&db).await;
            assert_eq!(row(&db, job.id).await, ended);
            let terminal = stages(&db, job.id).await.into_iter().filter(|stage| matches!(stage, Final | Error)).count();
            assert_eq!(terminal, 1);
            assert_eq!(told(&db, "ended", job.id).await, 1);
        }
    }
}
