//! A job is born: row, first ledger event and outbox row in the caller's transaction.

use std::time::Duration;

use db::{DbError, Tx, params};
use domain::event::{EventStage, NewEvent};
use domain::job::WorkerId;
use domain::ports::clock::Entropy;
use domain::table::TriggeredBy;
use domain::{DatasetId, FileId, JobId, JobKind, JobState, Scope, TableId};
use serde_json::{Value, json};

use crate::ledger;
use crate::metrics;
use crate::row::{JobCallback, JobRow, columns};
use crate::wake;

/// A job to be made.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// Its id, made by the caller.
    pub id: JobId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// Its dataset.
    pub dataset: DatasetId,
    /// The table it is about.
    pub table: Option<TableId>,
    /// The file it reads.
    pub file: Option<FileId>,
    /// What it does.
    pub kind: JobKind,
    /// What was asked for, a JSON object.
    pub request: Value,
    /// The job that caused it.
    pub parent: Option<JobId>,
    /// Who caused it.
    pub triggered_by: TriggeredBy,
    /// Where its end is told.
    pub callback: Option<JobCallback>,
}

impl NewJob {
    /// A job without table, file, parent and callback, made by a user. Set the fields that differ.
    pub fn new(id: JobId, scope: Scope, dataset: DatasetId, kind: JobKind) -> Self {
        Self {
            id,
            scope,
            dataset,
            table: None,
            file: None,
            kind,
            request: json!({}),
            parent: None,
            triggered_by: TriggeredBy::User,
            callback: None,
        }
    }
}

/// In which state a job is born.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Birth {
    /// It waits for a worker.
    Pending,
    /// It is claimed in the same breath, by a process that runs it while its client waits.
    Running {
        /// The process.
        worker: WorkerId,
        /// How long the claim is good unless renewed.
        lease: Duration,
    },
}

/// Makes the job. The ledger gets `queued` (and `running`), the bus is told when a worker is wanted.
pub async fn enqueue(tx: &Tx, entropy: &dyn Entropy, new: NewJob, birth: Birth) -> Result<JobRow, DbError> {
    let job = insert(tx, new, birth).await?;
    let queued = NewEvent::ok(EventStage::Queued, json!({ "job_kind": job.kind, "attempt": 0 }));
    match birth {
        Birth::Pending => {
            ledger::append(tx, &job, &[queued]).await?;
            wake::announce(tx, entropy, &job).await?;
        }
        Birth::Running { .. } => ledger::append(tx, &job, &[queued, running_event(&job)]).await?,
    }
    metrics::enqueued(job.kind);
    Ok(job)
}

/// The ledger event of a claim.
pub(crate) fn running_event(job: &JobRow) -> NewEvent {
    NewEvent::ok(EventStage::Running, json!({ "claim_token": job.token, "resumes_after": job.stage }))
}

async fn insert(tx: &Tx, new: NewJob, birth: Birth) -> Result<JobRow, DbError> {
    let (state, charge, worker, lease) = match birth {
        Birth::Pending => (JobState::Pending, 0_i64, None, None),
        Birth::Running { worker, lease } => (JobState::Running, 1, Some(worker), Some(lease.as_secs_f64())),
    };
    let (url, secret, headers) = match new.callback {
        Some(callback) => (Some(callback.url), callback.secret, callback.headers),
        None => (None, None, json!({})),
    };
    // a NULL lease moves no time: the expression is only used when there is one
    let (started, until) = match birth {
        Birth::Pending => ("NULL".to_owned(), "NULL".to_owned()),
        Birth::Running { .. } => (tx.now(), tx.now_plus(lease.unwrap_or_default())),
    };
    let sql = format!(
        "INSERT INTO flyquery_ingest_jobs \
         (id, tenant_id, workspace_id, dataset_id, table_id, file_id, job_kind, request_json, status, attempts, \
         claim_token, worker_id, parent_job_id, triggered_by, callback_url, callback_secret, callback_headers, \
         created_at, run_after, started_at, lease_until) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14, $15, $16, {now}, {now}, {started}, \
         {until}) RETURNING {columns}",
        now = tx.now(),
        columns = columns(tx.dialect())
    );
    let values = params![
        new.id,
        new.scope.tenant,
        new.scope.workspace,
        new.dataset,
        new.table,
        new.file,
        new.kind,
        new.request,
        state,
        charge,
        worker,
        new.parent,
        new.triggered_by,
        url,
        secret,
        headers,
    ];
    let row = tx.row(&sql, values).await?;
    row.as_ref().map_or_else(|| Err(DbError::Bug("an inserted job was not returned".to_owned())), JobRow::read)
}

/// The oldest PENDING job of a kind in a dataset, so that a second one need not be made.
pub async fn pending_of_kind(tx: &Tx, dataset: DatasetId, kind: JobKind) -> Result<Option<JobId>, DbError> {
    let scope = tx.scope()?;
    let sql = "SELECT id FROM flyquery_ingest_jobs WHERE tenant_id = $1 AND workspace_id = $2 AND dataset_id = $3 \
               AND job_kind = $4 AND status = 'PENDING' ORDER BY created_at, id LIMIT 1";
    let values = params![&scope.tenant, scope.workspace, dataset, kind];
    tx.row(sql, values).await?.map(|row| row.get("id")).transpose()
}
