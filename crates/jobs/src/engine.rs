//! The engine of a process: fetches jobs into free slots, keeps their claims alive, ends them, and leaves in order.
//!
//! Three kinds of task: one fetcher (`fetch`), which is the only one to poll; one beater (`beat`), which renews every
//! claim of the process and judges its own trust in them; one task per running job (`slot`, `settle`). They share
//! `held`, the list of claims this process believes to hold.

mod beat;
mod fetch;
mod held;
mod settle;
mod slot;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use db::Db;
use domain::job::{Backoff, WorkerId};
use domain::ports::clock::{Clock, Entropy};
use domain::{Failure, JobId, limits};
use tokio::sync::{Notify, RwLock, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::claim::{ClaimRequest, Which};
use crate::enqueue::Birth;
use crate::handler::{Handler, OnTerminal, Signal};
use crate::reap::ReapConfig;
use crate::row::JobRow;
use held::Held;
use slot::Seat;

/// How an engine behaves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EngineConfig {
    /// Name of this process, random per boot.
    pub worker: WorkerId,
    /// Jobs it claims at once; 0 for a process that only runs what it adopts.
    pub slots: usize,
    /// Time between two heartbeats while anything runs.
    pub beat: Duration,
    /// How long a claim is good unless renewed.
    pub lease: Duration,
    /// Attempts at which a job is given up.
    pub max_attempts: u32,
    /// How long a handler may run.
    pub handler_timeout: Duration,
    /// How long a handler that was told to stop may take to do so before it is dropped.
    pub stop_patience: Duration,
    /// Outer bound of a claim from its start.
    pub processing_lease: Duration,
    /// Waits after transient failures.
    pub backoff: Backoff,
    /// Wait between two polls while there is work.
    pub poll_busy: Duration,
    /// Longest wait between two polls.
    pub poll_idle: Duration,
}

impl EngineConfig {
    /// Lease and beat from the heartbeat setting (decisions 31 and 61), the contract's defaults for the rest.
    pub fn new(worker: WorkerId, slots: usize, heartbeat: Duration) -> Self {
        Self {
            worker,
            slots,
            beat: heartbeat.min(limits::BEAT_MAX),
            lease: heartbeat * 3,
            max_attempts: 3,
            handler_timeout: Duration::from_mins(10),
            stop_patience: Duration::from_secs(5),
            processing_lease: Duration::from_mins(30),
            backoff: Backoff::default(),
            poll_busy: limits::POLL_BUSY,
            poll_idle: limits::POLL_IDLE,
        }
    }

    fn reap(&self) -> ReapConfig {
        ReapConfig::new(self.max_attempts, self.processing_lease)
    }

    fn claim(&self, slots: usize, which: Which) -> ClaimRequest {
        ClaimRequest {
            worker: self.worker,
            slots: u32::try_from(slots).unwrap_or(u32::MAX),
            lease: self.lease,
            max_attempts: self.max_attempts,
            which,
        }
    }
}

/// What an engine is made of.
pub struct EngineParts {
    /// The database.
    pub db: Db,
    /// Where heartbeats go: a pool of their own keeps them from waiting behind the work. A clone of `db` does too.
    pub beat_db: Db,
    /// Trust is measured on its monotonic time.
    pub clock: Arc<dyn Clock>,
    /// Ids and jitter.
    pub entropy: Arc<dyn Entropy>,
    /// Runs the jobs.
    pub handler: Arc<dyn Handler>,
    /// Hooks of every end.
    pub terminal: Arc<dyn OnTerminal>,
    /// How it behaves.
    pub config: EngineConfig,
}

/// Wakes the fetcher before its time.
#[derive(Clone, Debug)]
pub struct Waker(Arc<Notify>);

impl Waker {
    /// There may be work.
    pub fn wake(&self) {
        self.0.notify_one();
    }
}

/// How a job left this process.
#[derive(Clone, PartialEq, Debug)]
pub enum Settled {
    /// It ended: SUCCEEDED, FAILED (with the failure, when this process found it) or CANCELLED.
    Ended(Box<JobRow>, Option<Failure>),
    /// It waits for another attempt, after a transient failure or because this process leaves.
    Requeued(JobId, Option<Failure>),
    /// Its claim did not hold any more; somebody else decides.
    Lost(JobId),
}

/// The way to learn how an adopted job settled. Dropping it lets the job go on.
#[derive(Debug)]
pub struct Settling {
    job: JobId,
    receiver: oneshot::Receiver<Settled>,
}

impl Settling {
    /// Waits until the job has left this process.
    pub async fn settled(self) -> Settled {
        self.receiver.await.unwrap_or(Settled::Lost(self.job))
    }
}

/// What a shutdown left.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DrainReport {
    /// Jobs that went back to the queue.
    pub handed_back: u64,
    /// Jobs whose hand-back did not come through in time; their leases lapse.
    pub unfinished: u64,
}

/// The engine of a process. Clones are handles on the same one.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    parts: EngineParts,
    held: Held,
    /// Something for the fetcher: a bus message, a free slot.
    wake: Arc<Notify>,
    /// No more claims.
    stop: CancellationToken,
    /// No more beats.
    stop_beats: CancellationToken,
    jobs: TaskTracker,
    services: TaskTracker,
    /// Read by whoever claims until the claim is in `held`, written by whoever looks for claims that got lost.
    claiming: RwLock<()>,
    /// A claim's answer was lost: there may be jobs of ours that we don't know.
    strays: AtomicBool,
    /// A crashed job waits for, or has, the process for itself.
    exclusive: AtomicBool,
    /// Jobs that occupy slots.
    seated: AtomicUsize,
    handed_back: AtomicU64,
    last_poll: Mutex<Option<Duration>>,
    /// Name under which adopted jobs are born: a lost claim must not be mistaken for one that is about to be adopted.
    birth_worker: WorkerId,
}

impl Engine {
    /// Starts the beater, and the fetcher when there are slots.
    pub fn start(parts: EngineParts) -> Self {
        let birth_worker = WorkerId(parts.entropy.id());
        let inner = Arc::new(Inner {
            parts,
            held: Held::default(),
            wake: Arc::new(Notify::new()),
            stop: CancellationToken::new(),
            stop_beats: CancellationToken::new(),
            jobs: TaskTracker::new(),
            services: TaskTracker::new(),
            claiming: RwLock::new(()),
            strays: AtomicBool::new(false),
            exclusive: AtomicBool::new(false),
            seated: AtomicUsize::new(0),
            handed_back: AtomicU64::new(0),
            last_poll: Mutex::new(None),
            birth_worker,
        });
        inner.services.spawn(beat::run(Arc::clone(&inner)));
        if inner.parts.config.slots > 0 {
            inner.services.spawn(fetch::run(Arc::clone(&inner)));
        }
        Self(inner)
    }

    /// Wakes the fetcher: give it to the bus subscription.
    pub fn waker(&self) -> Waker {
        Waker(Arc::clone(&self.0.wake))
    }

    /// How a job is to be born that [`Engine::adopt`] will run.
    pub fn birth(&self) -> Birth {
        Birth::Running { worker: self.0.birth_worker, lease: self.0.parts.config.lease }
    }

    /// Runs a job that was born RUNNING, beside the slots. `since` is the clock's monotonic time before the transaction
    /// that enqueued it began: the lease is trusted from there.
    pub fn adopt(&self, job: JobRow, since: Duration) -> Settling {
        let (sender, receiver) = oneshot::channel();
        let settling = Settling { job: job.id, receiver };
        let seat = Seat::beside(&self.0, &job, self.0.trusted(since, self.0.config().lease));
        let inner = Arc::clone(&self.0);
        self.0.jobs.spawn(async move {
            let (settled, _) = slot::run_one(&inner, seat, job).await;
            // nobody listens any more when the client is gone
            drop(sender.send(settled));
        });
        settling
    }

    /// Stops claiming, lets jobs run for `grace`, then hands the rest back. Beats go on until the last job is settled.
    pub async fn shutdown(&self, grace: Duration) -> DrainReport {
        self.shutdown_until(tokio::time::sleep(grace)).await
    }

    /// [`Engine::shutdown`] with a grace that is over when `over` is. Claiming has stopped after the first poll.
    pub async fn shutdown_until(&self, over: impl Future<Output = ()>) -> DrainReport {
        let inner = &self.0;
        inner.stop.cancel();
        inner.jobs.close();
        let emptied = async {
            // a claim that is under way gets its seat first, or it would be seen by nobody
            drop(inner.claiming.write().await);
            inner.jobs.wait().await;
        };
        let in_time = tokio::select! {
            biased;
            () = emptied => true,
            () = over => false,
        };
        if !in_time {
            inner.held.raise_all(Signal::HandBack);
            // each job gets its patience, then the database some time to take it back
            let rest = inner.parts.config.stop_patience * 2 + Duration::from_secs(5);
            if tokio::time::timeout(rest, inner.jobs.wait()).await.is_err() {
                tracing::error!(jobs = inner.held.len(), "jobs could not be handed back; their leases will lapse");
            }
        }
        inner.stop_beats.cancel();
        inner.services.close();
        inner.services.wait().await;
        DrainReport { handed_back: inner.handed_back.load(Ordering::SeqCst), unfinished: inner.held.len() as u64 }
    }

    /// Jobs that run in this process.
    pub fn running(&self) -> usize {
        self.0.held.len()
    }

    /// Time since the queue was last polled with success; `None` before the first time.
    pub fn last_poll_age(&self) -> Option<Duration> {
        let last = *self.0.last_poll.lock().unwrap_or_else(PoisonError::into_inner);
        last.map(|at| self.0.now().saturating_sub(at))
    }
}

impl Inner {
    fn now(&self) -> Duration {
        self.parts.clock.monotonic()
    }

    fn config(&self) -> &EngineConfig {
        &self.parts.config
    }

    /// Until when a claim may be trusted that was good for `left` at a time not before `since`: a fifth of the lease is
    /// kept back for the handler to notice.
    fn trusted(&self, since: Duration, left: Duration) -> Duration {
        (since + left).saturating_sub(self.config().lease / 5)
    }

    fn stopping(&self) -> bool {
        self.stop.is_cancelled()
    }

    fn free_slots(&self) -> usize {
        self.config().slots.saturating_sub(self.seated.load(Ordering::SeqCst))
    }
}
