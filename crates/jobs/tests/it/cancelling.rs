//! Cancelling, in every state and against every end.

use std::sync::Arc;

use domain::event::EventStage::{Error, Published, Queued, Running};
use domain::{ErrorCode, Failure, JobState};
use jobs::{CancelEffect, NoHooks, Outcome, Stop, cancel as cancelling, checkpoint, drain};
use serde_json::json;
use test_support::TestDb;
use tokio::sync::Barrier;

use crate::build::{Hooks, cancel, finish, ledger, pass, pending, reap, retry, row, running, stages, succeeded, told};

async fn assert_cancelled(db: &TestDb, job: domain::JobId) {
    let ended = row(db, job).await;
    assert_eq!(ended.status, JobState::Cancelled);
    assert_eq!(ended.result["error_code"], "JOB_CANCELLED");
    let last = ledger(db, job).await.pop().unwrap();
    assert_eq!((last.stage, &last.payload["code"]), (Error, &json!("JOB_CANCELLED")));
    assert_eq!((told(db, "published", job).await, told(db, "ended", job).await), (0, 1));
    assert!(!stages(db, job).await.contains(&Published));
}

test_support::for_each_db! {
    async fn a_waiting_job_is_cancelled_at_once(db: TestDb) {
        let job = pending(&db).await;
        let answer = cancel(&db, job.id).await;
        assert_eq!((answer.status, answer.effect), (JobState::Cancelled, CancelEffect::Done));
        assert_cancelled(&db, job.id).await;
        assert_eq!(stages(&db, job.id).await, [Queued, Error]);
        assert!(jobs::claim::claim(&db, &crate::build::request(&db, 1)).await.unwrap().is_empty());
    }

    async fn a_running_job_is_flagged_and_its_end_is_cancelled_whatever_its_worker_says(db: TestDb) {
        let failed = Outcome::Failed(Failure::new(ErrorCode::ParseError, "Line 2."));
        let transient = retry(Failure::new(ErrorCode::StorageFull, "Full."), 1);
        for outcome in [succeeded(), failed, transient, Outcome::Cancelled] {
            let job = running(&db).await;
            let answer = cancel(&db, job.id).await;
            assert_eq!((answer.status, answer.effect), (JobState::Running, CancelEffect::Requested));
            assert!(row(&db, job.id).await.cancel_requested);
            assert_eq!(cancel(&db, job.id).await.effect, CancelEffect::Requested, "asking twice changes nothing");
            finish(&db, job.claim(), outcome).await.unwrap();
            assert_cancelled(&db, job.id).await;
            assert_eq!(stages(&db, job.id).await, [Queued, Running, Error]);
        }
    }

    async fn a_cancelled_job_that_is_handed_back_or_reaped_ends_cancelled(db: TestDb) {
        let handed_back = running(&db).await;
        cancel(&db, handed_back.id).await;
        drain::hand_back(&db, &*db.ids(), handed_back.claim(), &Hooks::default()).await.unwrap();
        assert_cancelled(&db, handed_back.id).await;

        let abandoned = running(&db).await;
        cancel(&db, abandoned.id).await;
        pass(&db, 61);
        assert_eq!(reap(&db).await.cancelled, 1);
        assert_cancelled(&db, abandoned.id).await;
    }

    async fn a_job_that_ended_answers_with_its_end(db: TestDb) {
        let job = running(&db).await;
        finish(&db, job.claim(), succeeded()).await.unwrap();
        let answer = cancel(&db, job.id).await;
        assert_eq!((answer.status, answer.effect), (JobState::Succeeded, CancelEffect::AlreadyTerminal));
        assert!(answer.message.contains("SUCCEEDED"));
        let waiting = pending(&db).await;
        cancel(&db, waiting.id).await;
        assert_eq!(cancel(&db, waiting.id).await.effect, CancelEffect::AlreadyTerminal);
        assert_eq!(told(&db, "ended", waiting.id).await, 1);
    }

    async fn nobody_cancels_over_the_workspaces_wall(db: TestDb) {
        let job = pending(&db).await;
        let other = db.other_scope("rival").await;
        let tx = db.db().scope(&other).await.unwrap();
        assert_eq!(cancelling::cancel(&tx, job.id, &NoHooks).await.unwrap(), None);
        tx.commit().await.unwrap();
        assert_eq!(row(&db, job.id).await.status, JobState::Pending);
    }

    async fn purging_a_dataset_ends_what_waits_and_flags_what_runs(db: TestDb) {
        let runs = running(&db).await;
        let waits = [pending(&db).await, pending(&db).await];
        let tx = db.tx().await;
        assert_eq!(cancelling::cancel_dataset(&tx, db.dataset(), &Hooks::default()).await.unwrap(), 3);
        assert_eq!(cancelling::cancel_workspace(&tx, &Hooks::default()).await.unwrap(), 0, "nothing is left");
        tx.commit().await.unwrap();
        for job in waits {
            assert_cancelled(&db, job.id).await;
        }
        assert!(row(&db, runs.id).await.cancel_requested);
    }

    async fn a_cancel_that_waited_for_a_stage_commit_stops_the_job_before_it_publishes(db: TestDb) {
        let job = running(&db).await;
        let held = checkpoint::begin(&db, job.claim()).await.unwrap();
        let (answer, committed) = tokio::join!(cancel(&db, job.id), async {
            held.commit(domain::Stage::Embed, &json!({}), &[]).await
        });
        committed.unwrap();
        assert_eq!(answer.effect, CancelEffect::Requested);
        assert_eq!(checkpoint::begin(&db, job.claim()).await.err(), Some(Stop::Cancelled));
        finish(&db, job.claim(), succeeded()).await.unwrap();
        assert_cancelled(&db, job.id).await;
    }

    async fn of_a_cancel_and_a_success_at_once_exactly_one_wins(db: TestDb) {
        let db = Arc::new(db);
        let mut cancelled = 0;
        for round in 0..60 {
            let job = running(&db).await;
            let start = Arc::new(Barrier::new(2));
            let mut tasks = tokio::task::JoinSet::new();
            let (one, gate) = (Arc::clone(&db), Arc::clone(&start));
            let claim = job.claim();
            tasks.spawn(async move {
                gate.wait().await;
                // gives each side the first word in half of the rounds
                if round % 2 == 0 {
                    tokio::task::yield_now().await;
                }
                finish(&one, claim, succeeded()).await.unwrap();
            });
            let (other, gate) = (Arc::clone(&db), start);
            tasks.spawn(async move {
                gate.wait().await;
                let answer = cancel(&other, claim.job_id).await;
                assert_ne!(answer.effect, CancelEffect::Done);
            });
            while let Some(done) = tasks.join_next().await {
                done.unwrap();
            }
            let ended = row(&db, job.id).await;
            if ended.cancel_requested {
                cancelled += 1;
                assert_cancelled(&db, job.id).await;
            } else {
                assert_eq!(ended.status, JobState::Succeeded);
                assert_eq!((told(&db, "published", job.id).await, told(&db, "ended", job.id).await), (1, 1));
            }
        }
        println!("{cancelled} of 60 rounds were cancelled");
    }
}
