//! The fence a job runs behind: how the pipeline commits, learns that it should stop, and reports progress, without
//! knowing how jobs are claimed.

use async_trait::async_trait;
use db::{DbError, Tx};
use domain::Stage;
use domain::event::{NewEvent, Progress};

/// Why a job must stop now. Nothing is written after one of these.
#[derive(Debug)]
pub enum Halt {
    /// A person cancelled the job.
    Cancelled,
    /// The job belongs to another claim, or its lease could not be renewed.
    Lost,
    /// The process shuts down: the job goes back to the queue as it is.
    HandBack,
    /// The job ran past its time.
    TimedOut,
    /// The database did not answer.
    Db(DbError),
    /// The commit itself was refused.
    Failed(domain::Failure),
}

/// A job's fence.
#[async_trait]
pub trait Fence: Send + Sync {
    /// Opens a transaction that holds the job's row, if the claim is still good.
    async fn begin(&self) -> Result<Box<dyn GuardedTx>, Halt>;
    /// A stop that is already known; cheap, asked at every batch.
    fn halted(&self) -> Option<Halt>;
    /// Notes how far a long stage is; shown on streams, lost without harm.
    fn progress(&self, progress: Progress);
}

/// A transaction under the job's row lock.
#[async_trait]
pub trait GuardedTx: Send {
    /// The transaction, bound to the job's tenant and workspace.
    fn tx(&self) -> &Tx;
    /// Writes checkpoint and ledger events, and commits everything.
    async fn commit(
        self: Box<Self>,
        stage: Stage,
        checkpoint: serde_json::Value,
        events: Vec<NewEvent>,
    ) -> Result<(), Halt>;
}
