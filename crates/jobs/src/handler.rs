//! The traits by which the rest of flyquery tells the engine what a job does, and what a running job is given.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use db::{Db, DbError, Tx};
use domain::event::{NewEvent, Progress};
use domain::job::Claim;
use domain::{ErrorCode, Failure, SnapshotId, TableId};
use serde_json::Value;
use tokio::sync::watch;

use crate::checkpoint::{self, Guarded, Stop};
use crate::row::JobRow;

/// Runs jobs.
///
/// A handler must not block the thread it is polled on: CPU work belongs on threads of its own, which ask
/// [`JobContext::signal`] at every batch. It may be stopped by being dropped after it ignored a stop for a while; its
/// threads are then fenced off, but should still end soon.
#[async_trait]
pub trait Handler: Send + Sync + 'static {
    /// Runs one job from its last checkpoint. A panic is caught and ends the job as a defect of ours.
    async fn run(&self, ctx: JobContext) -> HandlerEnd;
}

/// What a job publishes, in the transaction that ends it.
#[async_trait]
pub trait Commit: Send + Sync {
    /// Writes the effect and says what it was. `tx` is bound to the job's workspace and holds the job's row lock. An
    /// error rolls everything back. It may be called again, on a new transaction, when the commit did not come through.
    async fn apply(&self, tx: &Tx, job: &JobRow) -> Result<Effect, CommitError>;
}

/// What a [`Commit`] did.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// Ledger events of stage 10.
    pub events: Vec<NewEvent>,
    /// The job's `result_json`, where only the commit knows it whole; it takes the place of [`Success::result`].
    pub result: Option<Value>,
}

/// Why a publish did not happen.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CommitError {
    /// The database refused or was away.
    #[error(transparent)]
    Db(#[from] DbError),
    /// The plan itself can't be carried out; the class of the code says whether the job is retried.
    #[error(transparent)]
    Failed(#[from] Failure),
}

/// What else happens in the transaction that ends a job, whoever ends it.
#[async_trait]
pub trait OnTerminal: Send + Sync {
    /// `job` is the row after its end: `status` is terminal and `result` is set. The ledger's last event is written.
    /// `tx` is bound to the job's workspace.
    async fn ended(&self, tx: &Tx, job: &JobRow) -> Result<(), DbError>;
}

/// No hooks.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;

#[async_trait]
impl OnTerminal for NoHooks {
    async fn ended(&self, _tx: &Tx, _job: &JobRow) -> Result<(), DbError> {
        Ok(())
    }
}

/// How a handler ended.
pub enum HandlerEnd {
    /// Done; the effect is published with the job's end.
    Succeeded(Box<Success>),
    /// The class of the failure decides: transient is retried, everything else ends the job.
    Failed(Failure),
    /// It stopped because a cancel was requested.
    Cancelled,
    /// It stopped because it was asked to hand the job back, or its time was over.
    HandedBack,
    /// It stopped because the claim no longer holds: nothing may be written any more.
    Lost,
}

impl From<Stop> for HandlerEnd {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Fenced => Self::Lost,
            Stop::Cancelled => Self::Cancelled,
            Stop::Commit(failure) => Self::Failed(failure),
            Stop::Db(error) => Self::Failed(error.into()),
        }
    }
}

/// What a job leaves when it succeeds.
pub struct Success {
    /// The job's `result_json`, unless the commit gives another.
    pub result: Value,
    /// The table it made, when exactly one.
    pub table: Option<TableId>,
    /// The snapshot it made, when exactly one.
    pub snapshot: Option<SnapshotId>,
    /// What it cost, in cents, a decimal number.
    pub cost_cents: Option<String>,
    /// What is published with its end.
    pub commit: Option<Box<dyn Commit>>,
}

/// What a running job should heed. Ordered: it only ever rises.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Signal {
    /// Go on.
    None,
    /// A person wants the job to stop: end with [`HandlerEnd::Cancelled`] at the next checkpoint.
    CancelRequested,
    /// The process is leaving: end with [`HandlerEnd::HandedBack`], the next claim resumes from the last checkpoint.
    HandBack,
    /// The job's time is over: as `HandBack`, but the attempt stays charged.
    TimedOut,
    /// The claim does not hold any more, or may not: stop at once and write nothing.
    Lost,
}

/// The receiving end of a job's [`Signal`].
#[derive(Clone, Debug)]
pub struct CancelSignal(watch::Receiver<Signal>);

impl CancelSignal {
    /// What stands now. Cheap enough for every batch.
    pub fn get(&self) -> Signal {
        *self.0.borrow()
    }

    /// Waits until there is something to heed.
    pub async fn raised(&self) -> Signal {
        self.at_least(Signal::CancelRequested).await
    }

    /// Waits until the signal has risen to `level`.
    pub(crate) async fn at_least(&self, level: Signal) -> Signal {
        let mut receiver = self.0.clone();
        match receiver.wait_for(|signal| *signal >= level).await {
            Ok(signal) => *signal,
            // the engine has let go of the job: nothing can be written any more
            Err(_) => Signal::Lost,
        }
    }
}

/// The sending end.
#[derive(Clone, Debug)]
pub(crate) struct Raiser(watch::Sender<Signal>);

impl Raiser {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Signal::None))
    }

    /// Raises the signal; a lower one than what stands is ignored. Whether it changed.
    pub(crate) fn raise(&self, to: Signal) -> bool {
        self.0.send_if_modified(|signal| {
            let rises = to > *signal;
            if rises {
                *signal = to;
            }
            rises
        })
    }

    pub(crate) fn listen(&self) -> CancelSignal {
        CancelSignal(self.0.subscribe())
    }
}

/// Where a handler notes how far a long stage is. The latest note rides on the next heartbeat.
#[derive(Clone, Debug, Default)]
pub struct ProgressSlot(Arc<Mutex<Option<Progress>>>);

impl ProgressSlot {
    /// Replaces the note.
    pub fn set(&self, progress: Progress) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    }

    pub(crate) fn get(&self) -> Option<Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What a handler is given.
#[derive(Clone)]
pub struct JobContext {
    /// The row as it was claimed.
    pub job: JobRow,
    /// The proof of the claim.
    pub claim: Claim,
    /// The database.
    pub db: Db,
    /// What to heed.
    pub signal: CancelSignal,
    /// Where to note progress.
    pub progress: ProgressSlot,
}

impl JobContext {
    /// Opens a transaction that holds the job's row, if the claim is still good and nobody cancelled.
    pub async fn begin(&self) -> Result<Guarded, Stop> {
        if self.signal.get() == Signal::Lost {
            return Err(Stop::Fenced);
        }
        checkpoint::begin(&self.db, self.claim).await
    }
}

/// The failure of a job whose handler ran past its time.
pub(crate) fn timed_out(seconds: f64) -> Failure {
    Failure::new(ErrorCode::HandlerTimeout, format!("The job did not end within {seconds:.0} s."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_signal_only_rises_and_outlives_its_raiser_as_lost() {
        let raiser = Raiser::new();
        let signal = raiser.listen();
        assert_eq!(signal.get(), Signal::None);
        assert!(raiser.raise(Signal::HandBack));
        assert!(!raiser.raise(Signal::CancelRequested));
        assert_eq!(signal.raised().await, Signal::HandBack);
        drop(raiser);
        assert_eq!(signal.at_least(Signal::Lost).await, Signal::Lost);
    }
}
