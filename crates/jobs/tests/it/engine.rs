//! The engine of a process, with handlers that the tests steer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use db::Db;
use domain::event::Progress;
use domain::job::{Backoff, WorkerId};
use domain::ports::clock::Clock;
use domain::{ErrorCode, Failure, JobId, JobState};
use futures::future::BoxFuture;
use jobs::{
    Engine, EngineConfig, EngineParts, Handler, HandlerEnd, JobContext, NoHooks, OnTerminal, Settled, Signal, Success,
};
use serde_json::json;
use test_support::TestDb;
use tokio::sync::{Semaphore, mpsc};

use crate::build::{Hooks, crashed_job, enqueue, pass, pending, row, stages, told};

/// A clock that moves when the test says so.
#[derive(Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(u64::try_from(by.as_millis()).expect("short"), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH
    }
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A handler from a closure.
pub struct Does<F>(pub F);

#[async_trait]
impl<F> Handler for Does<F>
where
    F: Fn(JobContext) -> BoxFuture<'static, HandlerEnd> + Send + Sync + 'static,
{
    async fn run(&self, ctx: JobContext) -> HandlerEnd {
        (self.0)(ctx).await
    }
}

pub fn success() -> HandlerEnd {
    let result = json!({ "status": "SUCCEEDED" });
    let commit = Box::<crate::build::Publish>::default();
    HandlerEnd::Succeeded(Box::new(Success {
        result,
        table: None,
        snapshot: None,
        cost_cents: None,
        commit: Some(commit),
    }))
}

pub fn config(db: &TestDb, slots: usize) -> EngineConfig {
    EngineConfig {
        beat: Duration::from_millis(10),
        lease: Duration::from_mins(1),
        stop_patience: Duration::from_millis(50),
        backoff: Backoff { base: Duration::ZERO, cap: Duration::ZERO, jitter: 0.0 },
        poll_busy: Duration::from_millis(10),
        poll_idle: Duration::from_millis(100),
        ..EngineConfig::new(WorkerId(db.id()), slots, Duration::from_secs(20))
    }
}

/// An engine and what it was started with.
pub struct Stand {
    pub engine: Engine,
    pub clock: Arc<ManualClock>,
    /// Jobs whose handler has begun, in that order.
    pub started: mpsc::UnboundedReceiver<JobId>,
    /// A permit lets one gated handler go on.
    pub gate: Arc<Semaphore>,
}

/// What a test's handler is given beside the context.
#[derive(Clone)]
pub struct Steer {
    pub started: mpsc::UnboundedSender<JobId>,
    pub gate: Arc<Semaphore>,
}

impl Steer {
    pub async fn pass_gate(&self) {
        self.gate.acquire().await.expect("open").forget();
    }
}

pub fn start<F>(db: &TestDb, config: EngineConfig, behave: F) -> Stand
where
    F: Fn(JobContext, Steer) -> BoxFuture<'static, HandlerEnd> + Send + Sync + 'static,
{
    start_with(db, db.db(), config, Arc::new(NoHooks), behave)
}

pub fn start_with<F>(db: &TestDb, beat_db: Db, config: EngineConfig, terminal: Arc<dyn OnTerminal>, behave: F) -> Stand
where
    F: Fn(JobContext, Steer) -> BoxFuture<'static, HandlerEnd> + Send + Sync + 'static,
{
    let (sender, started) = mpsc::unbounded_channel();
    let steer = Steer { started: sender, gate: Arc::new(Semaphore::new(0)) };
    let gate = Arc::clone(&steer.gate);
    let clock = Arc::new(ManualClock::default());
    let handler = Does(move |ctx: JobContext| {
        steer.started.send(ctx.job.id).ok();
        behave(ctx, steer.clone())
    });
    let parts = EngineParts {
        db: db.db(),
        beat_db,
        clock: Arc::clone(&clock) as Arc<dyn Clock>,
        entropy: db.ids(),
        handler: Arc::new(handler),
        terminal,
        config,
    };
    Stand { engine: Engine::start(parts), clock, started, gate }
}

/// Long enough for everything that is going on to end by itself.
const LONG: Duration = Duration::from_mins(1);

test_support::for_each_db! {
    async fn an_engine_runs_what_waits_and_what_comes(db: TestDb) {
        let before = [pending(&db).await.id, pending(&db).await.id, pending(&db).await.id];
        let mut stand = start(&db, config(&db, 2), |_, _| Box::pin(async { success() }));
        let mut began = Vec::new();
        for _ in before {
            began.push(stand.started.recv().await.unwrap());
        }
        // which of two slots is the first to begin is open
        began.sort();
        assert_eq!(began, before);
        let later = pending(&db).await.id;
        stand.engine.waker().wake();
        assert_eq!(stand.started.recv().await, Some(later));
        let report = stand.engine.shutdown(LONG).await;
        assert_eq!((report.handed_back, report.unfinished), (0, 0));
        for id in before.into_iter().chain([later]) {
            assert_eq!(row(&db, id).await.status, JobState::Succeeded);
            assert_eq!(told(&db, "published", id).await, 1);
        }
        assert!(stand.engine.last_poll_age().is_some());
    }

    async fn never_more_jobs_run_than_there_are_slots(db: TestDb) {
        for _ in 0..6 {
            pending(&db).await;
        }
        let busiest = Arc::new(AtomicU64::new(0));
        let now = Arc::new(AtomicU64::new(0));
        let (seen, count) = (Arc::clone(&busiest), Arc::clone(&now));
        let mut stand = start(&db, config(&db, 2), move |_, steer| {
            let (seen, count) = (Arc::clone(&seen), Arc::clone(&count));
            Box::pin(async move {
                seen.fetch_max(count.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                steer.pass_gate().await;
                count.fetch_sub(1, Ordering::SeqCst);
                success()
            })
        });
        for _ in 0..6 {
            stand.started.recv().await.unwrap();
            stand.gate.add_permits(1);
        }
        stand.engine.shutdown(LONG).await;
        assert!(busiest.load(Ordering::SeqCst) <= 2);
    }

    async fn a_transient_failure_is_tried_again_and_at_the_cap_given_up(db: TestDb) {
        let id = pending(&db).await.id;
        let mut stand = start(&db, config(&db, 1), |_, _| {
            Box::pin(async { HandlerEnd::Failed(Failure::new(ErrorCode::StorageFull, "Full.")) })
        });
        for _ in 0..3 {
            assert_eq!(stand.started.recv().await, Some(id));
        }
        stand.engine.shutdown(LONG).await;
        let dead = row(&db, id).await;
        assert_eq!((dead.status, dead.attempts), (JobState::Failed, 3));
        assert_eq!(dead.result["error_code"], "STORAGE_FULL");
    }

    async fn a_sync_job_runs_beside_the_slots_and_tells_how_it_settled(db: TestDb) {
        let stand = start(&db, config(&db, 0), |ctx, _| {
            Box::pin(async move {
                match ctx.job.request["end"].as_str() {
                    Some("reject") => HandlerEnd::Failed(Failure::new(ErrorCode::EmptyFile, "0 bytes.")),
                    Some("away") => HandlerEnd::Failed(Failure::new(ErrorCode::InfrastructureUnavailable, "Away.")),
                    _ => success(),
                }
            })
        });
        let mut settled = Vec::new();
        for end in ["succeed", "reject", "away"] {
            let since = stand.clock.monotonic();
            let mut new = crate::build::new_job(&db);
            new.request = json!({ "end": end });
            let tx = db.tx().await;
            let job = jobs::enqueue(&tx, &*db.ids(), new, stand.engine.birth()).await.unwrap();
            tx.commit().await.unwrap();
            settled.push((job.id, stand.engine.adopt(job, since).settled().await));
        }
        let [(done, Settled::Ended(good, None)), (bad, Settled::Ended(rejected, Some(failure))), (later, Settled::Requeued(again, Some(_)))] =
            &settled[..] else { panic!("{settled:?}") };
        assert_eq!(**good, row(&db, *done).await);
        assert_eq!((good.status, rejected.status, failure.code), (JobState::Succeeded, JobState::Failed, ErrorCode::EmptyFile));
        assert_eq!(rejected.id, *bad);
        assert_eq!((again, row(&db, *later).await.status), (later, JobState::Pending));
        stand.engine.shutdown(LONG).await;
    }

    async fn a_cancel_reaches_a_running_handler_with_a_beat(db: TestDb) {
        let id = pending(&db).await.id;
        let mut stand = start(&db, config(&db, 1), |ctx, _| {
            Box::pin(async move {
                ctx.progress.set(Progress { stage: "parse".into(), table: None, rows: 3, bytes: 9, bytes_total: Some(10) });
                match ctx.signal.raised().await {
                    Signal::CancelRequested => HandlerEnd::Cancelled,
                    other => panic!("{other:?}"),
                }
            })
        });
        stand.started.recv().await.unwrap();
        crate::build::cancel(&db, id).await;
        stand.engine.shutdown(LONG).await;
        assert_eq!(row(&db, id).await.status, JobState::Cancelled);
    }

    async fn a_shutdown_lets_jobs_end_within_the_grace_and_hands_the_rest_back_uncharged(db: TestDb) {
        let (quick, slow, deaf, waits) = (pending(&db).await.id, pending(&db).await.id, pending(&db).await.id, pending(&db).await.id);
        let mut stand = start(&db, config(&db, 3), move |ctx, steer| {
            Box::pin(async move {
                if ctx.job.id == quick {
                    steer.pass_gate().await;
                    return success();
                }
                if ctx.job.id == deaf {
                    std::future::pending::<()>().await;
                }
                assert_eq!(ctx.signal.raised().await, Signal::HandBack);
                HandlerEnd::HandedBack
            })
        });
        for _ in 0..3 {
            stand.started.recv().await.unwrap();
        }
        // the first is let go when claiming has stopped, and the grace is over when it has ended
        let grace = async {
            stand.gate.add_permits(1);
            while row(&db, quick).await.status != JobState::Succeeded {
                tokio::task::yield_now().await;
            }
        };
        let report = stand.engine.shutdown_until(grace).await;
        assert_eq!((report.handed_back, report.unfinished), (2, 0));
        for id in [slow, deaf] {
            let back = row(&db, id).await;
            assert_eq!((back.status, back.attempts, back.crash_count), (JobState::Pending, 0, 0));
        }
        assert_eq!(row(&db, waits).await.token.0, 0, "a process that leaves claims nothing");
    }

    async fn a_crashed_job_waits_until_its_process_is_empty_and_keeps_it_empty(db: TestDb) {
        let first = pending(&db).await.id;
        let mut stand = start(&db, config(&db, 2), |ctx, steer| {
            Box::pin(async move {
                steer.pass_gate().await;
                if ctx.job.crash_count > 0 {
                    let tx = ctx.db.fleet_read().await.expect("a transaction");
                    let row = tx.row("SELECT COUNT(*) AS n FROM flyquery_ingest_jobs WHERE status = 'RUNNING'", vec![]).await;
                    assert_eq!(row.expect("read").expect("a count").get::<u64>("n"), Ok(1), "it is alone");
                }
                success()
            })
        });
        assert_eq!(stand.started.recv().await, Some(first));
        // made while the engine is busy with the first
        let crashed = {
            let job = enqueue(&db, jobs::Birth::Running { worker: crate::build::worker(&db), lease: Duration::ZERO }).await;
            crate::build::reap(&db).await;
            job.id
        };
        let second = pending(&db).await.id;
        stand.engine.waker().wake();
        // the healthy one may have been taken before the crashed one was seen; then it ends first
        stand.gate.add_permits(1);
        let mut order = Vec::new();
        for _ in 0..2 {
            order.push(stand.started.recv().await.unwrap());
            stand.gate.add_permits(1);
        }
        order.sort();
        let mut expected = [crashed, second];
        expected.sort();
        assert_eq!(order, expected);
        stand.engine.shutdown(LONG).await;
        for id in [first, second, crashed] {
            assert_eq!(row(&db, id).await.status, JobState::Succeeded, "{:?}", stages(&db, id).await);
        }
    }

    async fn an_idle_engine_reaps_what_another_process_left(db: TestDb) {
        let job = crate::build::running(&db).await;
        pass(&db, 61);
        let hooks = Arc::new(Hooks::default());
        let mut stand = start_with(&db, db.db(), config(&db, 1), hooks, |_, _| Box::pin(async { success() }));
        assert_eq!(stand.started.recv().await, Some(job.id));
        stand.engine.shutdown(LONG).await;
        let done = row(&db, job.id).await;
        assert_eq!((done.status, done.crash_count, done.attempts), (JobState::Succeeded, 1, 2));
    }

    async fn a_job_that_crashed_once_runs_after_the_restart(db: TestDb) {
        let job = crashed_job(&db).await;
        let mut stand = start(&db, config(&db, 2), |_, _| Box::pin(async { success() }));
        assert_eq!(stand.started.recv().await, Some(job.id));
        stand.engine.shutdown(LONG).await;
        assert_eq!(row(&db, job.id).await.status, JobState::Succeeded);
    }
}
