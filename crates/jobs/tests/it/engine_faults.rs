//! What an engine does when handlers, hooks or the database misbehave.

use std::sync::Arc;
use std::time::Duration;

use db::DbError;
use domain::{ErrorCode, Failure, JobState, Stage};
use jobs::{HandlerEnd, Settled, Signal, Stop, Success};
use serde_json::json;
use tokio::sync::mpsc;

use crate::build::{Hooks, Publish, ledger, pending, row, stages, told};
use crate::engine::{config, start, start_with, success};

const LONG: Duration = Duration::from_mins(1);

test_support::for_each_db! {
    async fn a_handler_that_panics_fails_its_job_and_its_slot_goes_on(db: TestDb) {
        let (bad, good) = (pending(&db).await.id, pending(&db).await.id);
        let mut stand = start(&db, config(&db, 1), move |ctx, _| {
            Box::pin(async move {
                assert!(ctx.job.id != bad, "a secret cell");
                success()
            })
        });
        assert_eq!(stand.started.recv().await, Some(bad));
        assert_eq!(stand.started.recv().await, Some(good));
        stand.engine.shutdown(LONG).await;
        let failed = row(&db, bad).await;
        assert_eq!((failed.status, &failed.result["error_code"]), (JobState::Failed, &json!("internal_error")));
        assert!(failed.result["error_detail"].as_str().unwrap().contains("correlation id"));
        let told = format!("{:?}", ledger(&db, bad).await);
        assert!(!told.contains("secret"), "what a panic says may quote a cell");
        assert_eq!(row(&db, good).await.status, JobState::Succeeded);
    }

    async fn a_handler_past_its_time_is_stopped_and_its_job_tried_again(db: TestDb) {
        let id = pending(&db).await.id;
        let mut config = config(&db, 1);
        config.handler_timeout = Duration::from_millis(30);
        let mut stand = start(&db, config, |ctx, _| {
            Box::pin(async move {
                if ctx.job.attempts == 1 {
                    // heeds the signal
                    assert_eq!(ctx.signal.raised().await, Signal::TimedOut);
                    return HandlerEnd::HandedBack;
                }
                // does not: it is dropped
                std::future::pending().await
            })
        });
        for _ in 0..3 {
            assert_eq!(stand.started.recv().await, Some(id));
        }
        stand.engine.shutdown(LONG).await;
        let dead = row(&db, id).await;
        assert_eq!((dead.status, dead.attempts), (JobState::Failed, 3));
        assert_eq!(dead.result["error_code"], "HANDLER_TIMEOUT");
    }

    async fn a_process_that_cannot_renew_stops_its_jobs_by_its_own_clock(db: TestDb) {
        let id = pending(&db).await.id;
        let beats = db.second().await;
        beats.close().await;
        let (tell, mut heard) = mpsc::unbounded_channel();
        let mut stand = start_with(&db, beats, config(&db, 1), Arc::new(jobs::NoHooks), move |ctx, _| {
            let tell = tell.clone();
            Box::pin(async move {
                let signal = ctx.signal.raised().await;
                tell.send((signal, ctx.begin().await.err())).ok();
                success()
            })
        });
        stand.started.recv().await.unwrap();
        // well before the 60 s of the lease are over
        stand.clock.advance(Duration::from_secs(49));
        assert_eq!(heard.recv().await, Some((Signal::Lost, Some(Stop::Fenced))));
        stand.engine.shutdown(LONG).await;
        let left = row(&db, id).await;
        assert_eq!((left.status, left.token.0), (JobState::Running, 1), "nothing was written");
        assert_eq!(told(&db, "published", id).await, 0);
    }

    async fn beats_keep_a_job_trusted_as_time_goes_by(db: TestDb) {
        let id = pending(&db).await.id;
        let mut stand = start(&db, config(&db, 1), |ctx, steer| {
            Box::pin(async move {
                steer.pass_gate().await;
                if ctx.signal.get() == Signal::None { success() } else { HandlerEnd::Lost }
            })
        });
        stand.started.recv().await.unwrap();
        for _ in 0..10 {
            // a beat has renewed the lease when its time in the row has moved
            let before = row(&db, id).await.lease_until;
            while row(&db, id).await.lease_until == before {
                tokio::task::yield_now().await;
            }
            stand.clock.advance(Duration::from_secs(20));
        }
        stand.gate.add_permits(1);
        stand.engine.shutdown(LONG).await;
        assert_eq!(row(&db, id).await.status, JobState::Succeeded);
    }

    async fn a_job_taken_away_stops_and_leaves_no_trace(db: TestDb) {
        let id = pending(&db).await.id;
        let mut stand = start(&db, config(&db, 1), |ctx, _| {
            Box::pin(async move {
                assert_eq!(ctx.signal.raised().await, Signal::Lost);
                success()
            })
        });
        stand.started.recv().await.unwrap();
        let tx = db.fleet().await.unwrap();
        let taken = "UPDATE flyquery_ingest_jobs SET claim_token = claim_token + 1 WHERE id = $1";
        tx.execute(taken, db::params![id]).await.unwrap();
        tx.commit().await.unwrap();
        stand.engine.shutdown(LONG).await;
        assert_eq!(row(&db, id).await.status, JobState::Running);
        assert_eq!(told(&db, "published", id).await, 0);
    }

    async fn an_end_that_the_database_refuses_for_a_while_is_written_in_the_end(db: TestDb) {
        let id = pending(&db).await.id;
        let hooks = Hooks::default();
        hooks.errors.lock().unwrap().extend([DbError::Unavailable("away".into()), DbError::Unavailable("away".into())]);
        let mut stand = start_with(&db, db.db(), config(&db, 1), Arc::new(hooks), |_, _| Box::pin(async { success() }));
        stand.started.recv().await.unwrap();
        stand.engine.shutdown(LONG).await;
        assert_eq!(row(&db, id).await.status, JobState::Succeeded);
        assert_eq!((told(&db, "published", id).await, told(&db, "ended", id).await), (1, 1));
    }

    async fn a_claim_whose_answer_was_lost_is_found_again(db: TestDb) {
        let config = config(&db, 2);
        // what a broken connection leaves: ours in the database, unknown to the process
        let lost = pending(&db).await.id;
        let mut request = crate::build::request(&db, 1);
        request.worker = config.worker;
        jobs::claim::claim(&db, &request).await.unwrap();
        let known = pending(&db).await.id;
        let hooks = Hooks::default();
        hooks.errors.lock().unwrap().push(DbError::Unavailable("broken".into()));
        let mut stand = start_with(&db, db.db(), config, Arc::new(hooks), |_, _| Box::pin(async { success() }));
        assert_eq!(stand.started.recv().await, Some(known));
        assert_eq!(stand.started.recv().await, Some(lost));
        stand.engine.shutdown(LONG).await;
        for id in [known, lost] {
            let done = row(&db, id).await;
            assert_eq!((done.status, done.attempts, done.crash_count), (JobState::Succeeded, 1, 0));
        }
    }

    async fn a_publish_that_cannot_be_carried_out_becomes_the_failure_it_is(db: TestDb) {
        let stand = start(&db, config(&db, 0), |ctx, _| {
            Box::pin(async move {
                let publish = match ctx.job.request["publish"].as_str() {
                    Some("rejected") => Publish::failing(Failure::new(ErrorCode::PiiRejected, "Column mail.")),
                    Some("transient") => Publish::failing(Failure::new(ErrorCode::StorageFull, "Full.")),
                    _ => Publish::failing(DbError::Bug("a defect".into())),
                };
                let result = json!({});
                let commit = Some(Box::new(publish) as Box<dyn jobs::Commit>);
                HandlerEnd::Succeeded(Box::new(Success { result, table: None, snapshot: None, cost_cents: None, commit }))
            })
        });
        for (publish, state, code) in [
            ("rejected", JobState::Failed, ErrorCode::PiiRejected),
            ("transient", JobState::Pending, ErrorCode::StorageFull),
            ("defect", JobState::Failed, ErrorCode::InternalError),
        ] {
            let mut new = crate::build::new_job(&db);
            new.request = json!({ "publish": publish });
            let tx = db.tx().await;
            let job = jobs::enqueue(&tx, &*db.ids(), new, stand.engine.birth()).await.unwrap();
            tx.commit().await.unwrap();
            let id = job.id;
            let (Settled::Ended(_, failure) | Settled::Requeued(_, failure)) =
                stand.engine.adopt(job, Duration::ZERO).settled().await else { panic!("lost") };
            assert_eq!((row(&db, id).await.status, failure.unwrap().code), (state, code));
            assert_eq!(told(&db, "published", id).await, 0);
        }
        stand.engine.shutdown(LONG).await;
    }

    async fn a_handler_that_meets_the_fence_at_a_checkpoint_writes_nothing_more(db: TestDb) {
        let job = crate::build::enqueue(&db, jobs::Birth::Running { worker: crate::build::worker(&db), lease: LONG }).await;
        let stand = start(&db, config(&db, 0), |ctx, _| {
            Box::pin(async move {
                let tx = ctx.db.fleet().await.expect("a transaction");
                let taken = "UPDATE flyquery_ingest_jobs SET claim_token = claim_token + 1 WHERE id = $1";
                tx.execute(taken, db::params![ctx.job.id]).await.expect("written");
                tx.commit().await.expect("committed");
                match ctx.begin().await {
                    Ok(guarded) => guarded.commit(Stage::Receive, &json!({}), &[]).await.map_or_else(HandlerEnd::from, |()| success()),
                    Err(stop) => stop.into(),
                }
            })
        });
        let id = job.id;
        assert_eq!(stand.engine.adopt(job, Duration::ZERO).settled().await, Settled::Lost(id));
        stand.engine.shutdown(LONG).await;
        assert_eq!(stages(&db, id).await.len(), 2);
    }
}
