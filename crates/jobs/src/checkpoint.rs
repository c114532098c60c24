//! The commit of a stage: its rows, its checkpoint and its ledger events, guarded by the claim.

use db::{Db, DbError, Tx, params};
use domain::event::NewEvent;
use domain::job::Claim;
use domain::{Failure, Stage};
use serde_json::Value;

use crate::ledger;
use crate::row::{JobRow, lock_claim};

/// Why a worker's write did not happen. Nothing of it is in the database.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Stop {
    /// The claim does not hold any more: stop, silently.
    #[error("the job belongs to another claim")]
    Fenced,
    /// A cancel was requested.
    #[error("a cancel was requested")]
    Cancelled,
    /// The publish plan could not be carried out.
    #[error(transparent)]
    Commit(Failure),
    /// The database refused or was away. After a lost COMMIT it is open whether the write happened.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// A transaction under the job's row lock. Dropped without [`Guarded::commit`] it leaves nothing, but the lock may stay
/// for the moment that the pool needs to roll it back; [`Guarded::rollback`] waits for that.
#[derive(Debug)]
pub struct Guarded {
    tx: Tx,
    job: JobRow,
}

/// Opens a transaction, locks the job's row and checks the claim and the cancel flag. Keep it short: on SQLite it
/// holds the one writer.
pub async fn begin(db: &Db, claim: Claim) -> Result<Guarded, Stop> {
    let mut tx = db.fleet().await?;
    let Some(locked) = lock_claim(&tx, claim).await? else {
        tx.rollback().await?;
        return Err(Stop::Fenced);
    };
    if locked.job.cancel_requested {
        // at once, not when the pool gets to it: the row is locked
        tx.rollback().await?;
        return Err(Stop::Cancelled);
    }
    tx.bind(&locked.job.scope)?;
    Ok(Guarded { tx, job: locked.job })
}

impl Guarded {
    /// The transaction, bound to the job's workspace.
    pub fn tx(&self) -> &Tx {
        &self.tx
    }

    /// The row as it is under the lock.
    pub fn job(&self) -> &JobRow {
        &self.job
    }

    /// Drops every change and the lock.
    pub async fn rollback(self) -> Result<(), DbError> {
        self.tx.rollback().await
    }

    /// Notes `stage` as done, with what it leaves for the next one, appends its events and commits.
    pub async fn commit(self, stage: Stage, checkpoint: &Value, events: &[NewEvent]) -> Result<(), Stop> {
        let sql = "UPDATE flyquery_ingest_jobs SET stage = $3, checkpoint_json = $4, progress_json = NULL \
                   WHERE id = $1 AND claim_token = $2 AND status = 'RUNNING'";
        let written = self.tx.execute(sql, params![self.job.id, self.job.token, stage, checkpoint]).await?;
        if written != 1 {
            return Err(Stop::Fenced);
        }
        ledger::append(&self.tx, &self.job, events).await?;
        self.tx.commit().await?;
        Ok(())
    }
}
