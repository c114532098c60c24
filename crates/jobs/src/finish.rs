//! The end of a claim: outcome, publish, last event, hooks and the claim of the next job in one transaction.

use std::time::Duration;

use db::{Db, Tx};
use domain::job::Claim;
use domain::{Failure, FailureClass, SnapshotId, TableId};
use serde_json::Value;

use crate::checkpoint::Stop;
use crate::claim::{ClaimRequest, claim_in};
use crate::ending::{Ending, Return, end, requeue};
use crate::handler::{Commit, CommitError, Effect, OnTerminal};
use crate::metrics;
use crate::row::{JobRow, Locked, lock_claim};

/// What the worker has to say about its job.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Done.
    Succeeded {
        /// The job's `result_json`.
        result: Value,
        /// The table it made, when exactly one.
        table: Option<TableId>,
        /// The snapshot it made, when exactly one.
        snapshot: Option<SnapshotId>,
        /// What it cost, in cents, a decimal number.
        cost_cents: Option<String>,
    },
    /// Given up at once. A failure of class cancelled ends the job CANCELLED.
    Failed(Failure),
    /// To be tried again after the delay; at the cap given up.
    Retry {
        /// What went wrong.
        failure: Failure,
        /// How long to wait at least.
        delay: Duration,
    },
    /// Stopped on request.
    Cancelled,
}

/// Everything [`finish`] needs beside the database.
#[derive(Clone)]
pub struct End<'a> {
    /// The claim to be ended.
    pub claim: Claim,
    /// How.
    pub outcome: Outcome,
    /// What a success publishes.
    pub commit: Option<&'a dyn Commit>,
    /// What else happens at a terminal end.
    pub terminal: &'a dyn OnTerminal,
    /// Attempts at which a retry becomes a failure.
    pub max_attempts: u32,
    /// The claim to be made in the same transaction.
    pub next: Option<&'a ClaimRequest>,
}

/// What [`finish`] left behind.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The job as it is now: terminal, or PENDING again.
    pub job: JobRow,
    /// The jobs claimed with it.
    pub next: Vec<JobRow>,
}

/// Ends the claim. A cancel requested before the row's lock was taken wins over every outcome; see
/// [`crate::protocol`].
pub async fn finish(db: &Db, end: End<'_>) -> Result<Finished, Stop> {
    let mut tx = db.fleet().await?;
    let Some(locked) = lock_claim(&tx, end.claim).await? else {
        tx.rollback().await?;
        return Err(Stop::Fenced);
    };
    tx.bind(&locked.job.scope)?;
    let (job, next) = match settle_and_claim(&tx, &locked, &end).await {
        Ok(done) => done,
        Err(stop) => {
            // the lock is given up before the caller tries again; what went wrong matters more than how this goes
            drop(tx.rollback().await);
            return Err(stop);
        }
    };
    tx.commit().await?;
    fail::fail_point!("finish.committed");
    metrics::settled(&job);
    metrics::claimed(&next);
    Ok(Finished { job, next })
}

async fn settle_and_claim(tx: &Tx, locked: &Locked, it: &End<'_>) -> Result<(JobRow, Vec<JobRow>), Stop> {
    let job = settle(tx, locked, it).await?;
    let next = match it.next {
        Some(request) => claim_in(tx, request).await?,
        None => Vec::new(),
    };
    Ok((job, next))
}

async fn settle(tx: &Tx, locked: &Locked, it: &End<'_>) -> Result<JobRow, Stop> {
    let ending = if locked.job.cancel_requested {
        Ending::Cancelled
    } else {
        match &it.outcome {
            Outcome::Succeeded { result, table, snapshot, cost_cents } => {
                let effect = match it.commit {
                    Some(commit) => commit.apply(tx, &locked.job).await.map_err(|error| match error {
                        CommitError::Db(error) => Stop::Db(error),
                        CommitError::Failed(failure) => Stop::Commit(failure),
                    })?,
                    None => Effect::default(),
                };
                let cost_cents = cost_cents.as_deref();
                let result = effect.result.unwrap_or_else(|| result.clone());
                Ending::Succeeded { result, table: *table, snapshot: *snapshot, cost_cents, events: effect.events }
            }
            Outcome::Failed(failure) if failure.class() == FailureClass::Cancelled => Ending::Cancelled,
            Outcome::Failed(failure) => Ending::Failed(failure.clone()),
            Outcome::Retry { failure, .. } if locked.job.attempts >= it.max_attempts => Ending::Failed(failure.clone()),
            Outcome::Retry { failure, delay } => {
                let why = Return::Retry { failure, delay: *delay };
                return Ok(requeue(tx, &locked.job, why).await?);
            }
            Outcome::Cancelled => Ending::Cancelled,
        }
    };
    Ok(end(tx, locked, ending, false, it.terminal).await?)
}
