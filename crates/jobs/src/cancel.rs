//! Cancelling: a PENDING job ends at once, a RUNNING one is flagged and ends at its next checkpoint.

use db::{DbError, Tx, params};
use domain::{DatasetId, JobId, JobState, limits};

use crate::ending::{Ending, end};
use crate::handler::OnTerminal;
use crate::metrics;
use crate::row::{Locked, lock_where};

/// What a cancel request did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CancelEffect {
    /// The job runs; it stops at its next checkpoint.
    Requested,
    /// The job has ended.
    Done,
    /// There was nothing left to cancel.
    AlreadyTerminal,
}

/// The answer to a cancel request (decision 44).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CancelAnswer {
    /// The job.
    pub id: JobId,
    /// Its status now.
    pub status: JobState,
    /// What the request did.
    pub effect: CancelEffect,
    /// One sentence for people.
    pub message: String,
}

/// Cancels a job of the workspace that `tx` is bound to; `None` when there is no such job.
pub async fn cancel(tx: &Tx, job: JobId, terminal: &dyn OnTerminal) -> Result<Option<CancelAnswer>, DbError> {
    let scope = tx.scope()?;
    let values = params![job, &scope.tenant, scope.workspace];
    let condition = "id = $1 AND tenant_id = $2 AND workspace_id = $3";
    match lock_where(tx, condition, tx.dialect().for_update(), values).await? {
        Some(locked) => cancel_locked(tx, &locked, terminal).await.map(Some),
        None => Ok(None),
    }
}

async fn cancel_locked(tx: &Tx, locked: &Locked, terminal: &dyn OnTerminal) -> Result<CancelAnswer, DbError> {
    let job = &locked.job;
    let (status, effect, message) = match job.status {
        JobState::Pending => {
            metrics::settled(&end(tx, locked, Ending::Cancelled, false, terminal).await?);
            (JobState::Cancelled, CancelEffect::Done, "The job was cancelled before it started.".to_owned())
        }
        JobState::Running => {
            let sql = "UPDATE flyquery_ingest_jobs SET cancel_requested = $2 WHERE id = $1 AND status = 'RUNNING'";
            tx.execute(sql, params![job.id, true]).await?;
            let message = "Cancel requested; the job stops at its next checkpoint.".to_owned();
            (JobState::Running, CancelEffect::Requested, message)
        }
        state @ (JobState::Succeeded | JobState::Failed | JobState::Cancelled) => {
            (state, CancelEffect::AlreadyTerminal, format!("The job had already ended: it is {state}."))
        }
    };
    Ok(CancelAnswer { id: job.id, status, effect, message })
}

/// Cancels what a dataset has PENDING or RUNNING; how many jobs were ended or flagged.
pub async fn cancel_dataset(tx: &Tx, dataset: DatasetId, terminal: &dyn OnTerminal) -> Result<u64, DbError> {
    cancel_all(tx, Some(dataset), terminal).await
}

/// Cancels what the bound workspace has PENDING or RUNNING; how many jobs were ended or flagged.
pub async fn cancel_workspace(tx: &Tx, terminal: &dyn OnTerminal) -> Result<u64, DbError> {
    cancel_all(tx, None, terminal).await
}

/// Every pass takes its jobs out of the condition, so it ends.
async fn cancel_all(tx: &Tx, dataset: Option<DatasetId>, terminal: &dyn OnTerminal) -> Result<u64, DbError> {
    let scope = tx.scope()?.clone();
    let mut touched = 0;
    loop {
        let mut values = params![&scope.tenant, scope.workspace, false, limits::SWEEP_BATCH];
        let of_dataset = match dataset {
            Some(dataset) => {
                values.extend(params![dataset]);
                " AND dataset_id = $5"
            }
            None => "",
        };
        let sql = format!(
            "SELECT id FROM flyquery_ingest_jobs WHERE tenant_id = $1 AND workspace_id = $2 \
             AND (status = 'PENDING' OR (status = 'RUNNING' AND cancel_requested = $3)){of_dataset} \
             ORDER BY id LIMIT $4"
        );
        let rows = tx.rows(&sql, values).await?;
        if rows.is_empty() {
            return Ok(touched);
        }
        for row in rows {
            cancel(tx, row.get("id")?, terminal).await?;
            touched += 1;
        }
    }
}
