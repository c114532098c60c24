//! A job's row, typed.

use chrono::{DateTime, Utc};
use db::{DbError, Dialect, Row, Tx, params};
use domain::event::Progress;
use domain::job::{Claim, WorkerId};
use domain::table::TriggeredBy;
use domain::{ClaimToken, DatasetId, FileId, JobId, JobKind, JobState, Scope, SnapshotId, Stage, TableId};
use serde_json::Value;

/// Where a job's end is told, as given when it was made.
#[derive(Clone, PartialEq, Eq)]
pub struct JobCallback {
    /// Receiver.
    pub url: String,
    /// Signing secret, as stored (the owner of callbacks encrypts it).
    pub secret: Option<String>,
    /// Extra headers, a JSON object.
    pub headers: Value,
}

impl std::fmt::Debug for JobCallback {
    /// Never shows secret or headers.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobCallback").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A row of `flyquery_ingest_jobs`.
#[derive(Clone, PartialEq, Debug)]
pub struct JobRow {
    /// The job.
    pub id: JobId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// Its dataset.
    pub dataset: DatasetId,
    /// The table it is about, or made (when exactly one).
    pub table: Option<TableId>,
    /// The file it reads.
    pub file: Option<FileId>,
    /// The snapshot it made, when exactly one.
    pub snapshot: Option<SnapshotId>,
    /// What it does.
    pub kind: JobKind,
    /// Where it stands.
    pub status: JobState,
    /// What was asked for.
    pub request: Value,
    /// The report of a job that succeeded, or why it did not (decision 14); `{}` until then.
    pub result: Value,
    /// Claims charged so far.
    pub attempts: u32,
    /// The fencing token of the latest claim; 0 before the first.
    pub token: ClaimToken,
    /// Who holds it.
    pub worker: Option<WorkerId>,
    /// Until when, by the database's clock.
    pub lease_until: Option<DateTime<Utc>>,
    /// Not claimed before.
    pub run_after: DateTime<Utc>,
    /// A person wants it to stop.
    pub cancel_requested: bool,
    /// Times it was reaped.
    pub crash_count: u32,
    /// Last stage that was committed.
    pub stage: Option<Stage>,
    /// What that stage left for the next one.
    pub checkpoint: Option<Value>,
    /// Live progress inside the running stage.
    pub progress: Option<Progress>,
    /// The job that caused this one.
    pub parent: Option<JobId>,
    /// Who caused it.
    pub triggered_by: TriggeredBy,
    /// Cost in cents, a decimal number.
    pub cost_cents: String,
    /// From the last claim to the end, in milliseconds.
    pub elapsed_ms: Option<u64>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Its last claim.
    pub started_at: Option<DateTime<Utc>>,
    /// Its end.
    pub finished_at: Option<DateTime<Utc>>,
    /// Where its end is told.
    pub callback: Option<JobCallback>,
}

impl JobRow {
    /// Id and token: the proof that the worker named in the row holds it.
    pub fn claim(&self) -> Claim {
        Claim { job_id: self.id, token: self.token }
    }

    pub(crate) fn read(row: &Row) -> Result<Self, DbError> {
        let progress: Option<Value> = row.get("progress_json")?;
        let url: Option<String> = row.get("callback_url")?;
        let callback = match url {
            Some(url) => {
                Some(JobCallback { url, secret: row.get("callback_secret")?, headers: row.get("callback_headers")? })
            }
            None => None,
        };
        Ok(Self {
            id: row.get("id")?,
            scope: Scope { tenant: row.get("tenant_id")?, workspace: row.get("workspace_id")? },
            dataset: row.get("dataset_id")?,
            table: row.get("table_id")?,
            file: row.get("file_id")?,
            snapshot: row.get("snapshot_id")?,
            kind: row.get("job_kind")?,
            status: row.get("status")?,
            request: row.get("request_json")?,
            result: row.get("result_json")?,
            attempts: row.get("attempts")?,
            token: row.get("claim_token")?,
            worker: row.get("worker_id")?,
            lease_until: row.get("lease_until")?,
            run_after: row.get("run_after")?,
            cancel_requested: row.get("cancel_requested")?,
            crash_count: row.get("crash_count")?,
            stage: row.get("stage")?,
            checkpoint: row.get("checkpoint_json")?,
            // progress of another version is not worth an error
            progress: progress.and_then(|p| serde_json::from_value(p).ok()),
            parent: row.get("parent_job_id")?,
            triggered_by: row.get("triggered_by")?,
            cost_cents: row.get("cost_cents")?,
            elapsed_ms: row.get("elapsed_ms")?,
            created_at: row.get("created_at")?,
            started_at: row.get("started_at")?,
            finished_at: row.get("finished_at")?,
            callback,
        })
    }
}

/// The columns that [`JobRow::read`] wants, for SELECT and RETURNING.
pub(crate) fn columns(dialect: Dialect) -> String {
    format!(
        "id, tenant_id, workspace_id, dataset_id, table_id, file_id, snapshot_id, job_kind, status, request_json, \
         result_json, attempts, claim_token, worker_id, lease_until, run_after, cancel_requested, crash_count, stage, \
         checkpoint_json, progress_json, parent_job_id, triggered_by, {} AS cost_cents, elapsed_ms, created_at, \
         started_at, finished_at, callback_url, callback_secret, callback_headers",
        dialect.decimal_text("cost_cents")
    )
}

/// Condition: `column` is one of the ids that `select` gives. On Postgres the array keeps the planner from running the
/// select again for each row, which could lock more rows than its LIMIT says.
pub(crate) fn one_of(dialect: Dialect, column: &str, select: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("{column} IN ({select})"),
        Dialect::Postgres => format!("{column} = ANY(ARRAY({select}))"),
    }
}

/// A job whose row this transaction has locked.
pub(crate) struct Locked {
    /// The row as it is.
    pub(crate) job: JobRow,
    /// The database's time.
    pub(crate) now: DateTime<Utc>,
}

impl Locked {
    fn read(row: &Row) -> Result<Self, DbError> {
        Ok(Self { job: JobRow::read(row)?, now: row.get("db_now")? })
    }
}

/// Locks the row of a claim; `None` when the claim no longer holds.
pub(crate) async fn lock_claim(tx: &Tx, claim: Claim) -> Result<Option<Locked>, DbError> {
    lock_where(
        tx,
        "id = $1 AND claim_token = $2 AND status = 'RUNNING'",
        tx.dialect().for_update(),
        params![claim.job_id, claim.token],
    )
    .await
}

/// Locks one row that meets `condition`, with `tail` (ORDER BY, LIMIT, lock clause) after it.
pub(crate) async fn lock_where(
    tx: &Tx,
    condition: &str,
    tail: &str,
    values: Vec<db::Value>,
) -> Result<Option<Locked>, DbError> {
    let sql = format!(
        "SELECT {}, {} AS db_now FROM flyquery_ingest_jobs WHERE {condition}{tail}",
        columns(tx.dialect()),
        tx.now()
    );
    tx.row(&sql, values).await?.as_ref().map(Locked::read).transpose()
}
