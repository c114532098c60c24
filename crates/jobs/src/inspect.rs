//! Reading: one job, lists, ledger pages, what a stream needs and what a poll needs.

use std::time::Duration;

use chrono::{DateTime, Utc};
use db::{DbError, Dialect, Tx, Value, params};
use domain::event::{EventStage, Progress};
use domain::{DatasetId, EventId, JobId, JobKind, JobState, TableId};

use crate::claim::{Which, due, which_condition};
use crate::ledger::EventRow;
use crate::row::{JobRow, columns};

/// A page and the number of all rows that match.
#[derive(Clone, PartialEq, Debug)]
pub struct Listed<T> {
    /// The page.
    pub items: Vec<T>,
    /// Rows that match, on whatever page.
    pub total: u64,
}

/// Which jobs; empty lists and `None` mean any.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct JobFilter {
    /// In one of these states.
    pub statuses: Vec<JobState>,
    /// Of one of these kinds.
    pub kinds: Vec<JobKind>,
    /// Of this dataset.
    pub dataset: Option<DatasetId>,
    /// About this table.
    pub table: Option<TableId>,
    /// With at least so many attempts.
    pub attempts_gte: Option<u32>,
    /// Made before.
    pub created_before: Option<DateTime<Utc>>,
    /// Made at or after.
    pub created_after: Option<DateTime<Utc>>,
}

/// Which events; an empty list and `None` mean any.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EventFilter {
    /// With a greater id.
    pub after: Option<EventId>,
    /// Of one of these stages.
    pub stages: Vec<EventStage>,
}

/// Where a job stands, for those who watch many.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// The job.
    pub job: JobId,
    /// Its state.
    pub state: JobState,
    /// How far the running stage is.
    pub progress: Option<Progress>,
}

/// Conditions with their values, numbered as they come.
struct Conditions {
    sql: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    /// Tenant and workspace first, always.
    fn scoped(tx: &Tx) -> Result<Self, DbError> {
        let scope = tx.scope()?;
        Ok(Self {
            sql: vec!["tenant_id = $1 AND workspace_id = $2".to_owned()],
            values: params![&scope.tenant, scope.workspace],
        })
    }

    fn and(&mut self, condition: &str, value: Vec<Value>) {
        self.values.extend(value);
        self.sql.push(format!("{condition} ${}", self.values.len()));
    }

    fn one_of(&mut self, column: &str, values: Vec<Value>) {
        if !values.is_empty() {
            self.sql.push(format!("{column} IN ({})", Dialect::list(self.values.len() + 1, values.len())));
            self.values.extend(values);
        }
    }

    fn sql(&self) -> String {
        self.sql.join(" AND ")
    }

    /// `LIMIT … OFFSET …`, as the last values.
    fn page(mut self, limit: u64, offset: u64) -> (String, Vec<Value>) {
        let next = self.values.len() + 1;
        self.values.extend(params![limit, offset]);
        (format!(" LIMIT ${next} OFFSET ${}", next + 1), self.values)
    }
}

async fn count(tx: &Tx, table: &str, conditions: &Conditions) -> Result<u64, DbError> {
    let sql = format!("SELECT COUNT(*) AS n FROM {table} WHERE {}", conditions.sql());
    tx.row(&sql, conditions.values.clone()).await?.map_or(Ok(0), |row| row.get("n"))
}

/// A job of the workspace.
pub async fn get(tx: &Tx, job: JobId) -> Result<Option<JobRow>, DbError> {
    let mut conditions = Conditions::scoped(tx)?;
    conditions.and("id =", params![job]);
    let sql = format!("SELECT {} FROM flyquery_ingest_jobs WHERE {}", columns(tx.dialect()), conditions.sql());
    tx.row(&sql, conditions.values).await?.as_ref().map(JobRow::read).transpose()
}

/// Jobs of the workspace: the latest started first, those that never started last.
pub async fn list(tx: &Tx, filter: &JobFilter, limit: u64, offset: u64) -> Result<Listed<JobRow>, DbError> {
    let mut conditions = Conditions::scoped(tx)?;
    conditions.one_of("status", filter.statuses.iter().flat_map(|status| params![status]).collect());
    conditions.one_of("job_kind", filter.kinds.iter().flat_map(|kind| params![kind]).collect());
    if let Some(dataset) = filter.dataset {
        conditions.and("dataset_id =", params![dataset]);
    }
    if let Some(table) = filter.table {
        conditions.and("table_id =", params![table]);
    }
    if let Some(attempts) = filter.attempts_gte {
        conditions.and("attempts >=", params![attempts]);
    }
    if let Some(before) = filter.created_before {
        conditions.and("created_at <", params![before]);
    }
    if let Some(after) = filter.created_after {
        conditions.and("created_at >=", params![after]);
    }
    let total = count(tx, "flyquery_ingest_jobs", &conditions).await?;
    let select = format!(
        "SELECT {} FROM flyquery_ingest_jobs WHERE {} ORDER BY started_at DESC NULLS LAST, id DESC",
        columns(tx.dialect()),
        conditions.sql()
    );
    let (page, values) = conditions.page(limit, offset);
    let rows = tx.rows(&format!("{select}{page}"), values).await?;
    Ok(Listed { items: rows.iter().map(JobRow::read).collect::<Result<_, _>>()?, total })
}

/// A page of a job's ledger, oldest first; `total` counts what the filter lets through.
pub async fn events(
    tx: &Tx,
    job: JobId,
    filter: &EventFilter,
    limit: u64,
    offset: u64,
) -> Result<Listed<EventRow>, DbError> {
    let mut conditions = Conditions::scoped(tx)?;
    conditions.and("ingest_job_id =", params![job]);
    if let Some(after) = filter.after {
        conditions.and("id >", params![after]);
    }
    conditions.one_of("stage", filter.stages.iter().flat_map(|stage| params![stage]).collect());
    let total = count(tx, "flyquery_ingest_events", &conditions).await?;
    let select =
        format!("SELECT {} FROM flyquery_ingest_events WHERE {} ORDER BY id", EventRow::COLUMNS, conditions.sql());
    let (page, values) = conditions.page(limit, offset);
    let rows = tx.rows(&format!("{select}{page}"), values).await?;
    Ok(Listed { items: rows.iter().map(EventRow::read).collect::<Result<_, _>>()?, total })
}

/// What a job's ledger holds after an event; `EventId(0)` for all.
pub async fn events_after(tx: &Tx, job: JobId, after: EventId, limit: u64) -> Result<Vec<EventRow>, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "SELECT {} FROM flyquery_ingest_events WHERE tenant_id = $1 AND workspace_id = $2 AND ingest_job_id = $3 \
         AND id > $4 ORDER BY id LIMIT $5",
        EventRow::COLUMNS
    );
    let values = params![&scope.tenant, scope.workspace, job, after, limit];
    tx.rows(&sql, values).await?.iter().map(EventRow::read).collect()
}

/// Whether a job's ledger holds an event.
pub async fn has_event(tx: &Tx, job: JobId, event: EventId) -> Result<bool, DbError> {
    let scope = tx.scope()?;
    let sql = "SELECT 1 AS one FROM flyquery_ingest_events WHERE tenant_id = $1 AND workspace_id = $2 \
               AND ingest_job_id = $3 AND id = $4";
    Ok(tx.row(sql, params![&scope.tenant, scope.workspace, job, event]).await?.is_some())
}

/// What the ledgers of several jobs hold after a cursor each, in a fleet transaction; by job, then oldest first. There
/// is no cursor over all jobs on purpose: across jobs ids don't grow in commit order.
pub async fn tail(tx: &Tx, cursors: &[(JobId, EventId)], limit: u64) -> Result<Vec<EventRow>, DbError> {
    if cursors.is_empty() {
        return Ok(Vec::new());
    }
    let mut values: Vec<Value> = cursors.iter().flat_map(|(job, after)| params![job, after]).collect();
    values.extend(params![limit]);
    let sql = format!(
        "SELECT {} FROM flyquery_ingest_events JOIN (VALUES {}) AS seen \
         ON ingest_job_id = seen.column1 AND id > seen.column2 ORDER BY ingest_job_id, id LIMIT ${}",
        EventRow::COLUMNS,
        Dialect::values(1, cursors.len(), 2),
        values.len()
    );
    tx.rows(&sql, values).await?.iter().map(EventRow::read).collect()
}

/// Where several jobs stand, in a fleet transaction. Jobs that are gone are left out.
pub async fn standings(tx: &Tx, jobs: &[JobId]) -> Result<Vec<Standing>, DbError> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT id, status, progress_json FROM flyquery_ingest_jobs WHERE id IN ({})",
        Dialect::list(1, jobs.len())
    );
    let rows = tx.rows(&sql, jobs.iter().flat_map(|job| params![job]).collect()).await?;
    let standing = |row: &db::Row| {
        let progress: Option<serde_json::Value> = row.get("progress_json")?;
        Ok(Standing {
            job: row.get("id")?,
            state: row.get("status")?,
            progress: progress.and_then(|p| serde_json::from_value(p).ok()),
        })
    };
    rows.iter().map(standing).collect()
}

/// What a poll of the queue sees.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // four independent findings of one look
pub struct Horizon {
    /// A healthy job waits.
    pub claimable: bool,
    /// A job that took a worker down waits, and no process runs one.
    pub crashed: bool,
    /// A RUNNING job has lapsed.
    pub expired: bool,
    /// A waiting job is at the cap.
    pub exhausted: bool,
    /// Until the earliest lease ends.
    pub next_lease: Option<Duration>,
    /// Until the next postponed job is due.
    pub next_due: Option<Duration>,
}

/// Looks at the queue without touching it, in a fleet transaction.
pub async fn horizon(tx: &Tx, max_attempts: u32, processing_lease: Duration) -> Result<Horizon, DbError> {
    let sql = format!(
        "SELECT {now} AS db_now, \
         EXISTS (SELECT 1 FROM flyquery_ingest_jobs WHERE {due} AND attempts < $1 AND {healthy}) AS claimable, \
         EXISTS (SELECT 1 FROM flyquery_ingest_jobs WHERE {due} AND attempts < $1 AND {crashed}) AS crashed, \
         EXISTS (SELECT 1 FROM flyquery_ingest_jobs WHERE status = 'PENDING' AND attempts > 0 AND attempts >= $1) \
           AS exhausted, \
         EXISTS (SELECT 1 FROM flyquery_ingest_jobs WHERE status = 'RUNNING' \
           AND (lease_until IS NULL OR lease_until < {now} OR started_at < {bound})) AS expired, \
         (SELECT MIN(lease_until) FROM flyquery_ingest_jobs WHERE status = 'RUNNING') AS next_lease, \
         (SELECT MIN(run_after) FROM flyquery_ingest_jobs WHERE status = 'PENDING' AND run_after > {now}) AS next_due",
        now = tx.now(),
        due = due(tx),
        healthy = which_condition(tx, Which::Healthy),
        crashed = which_condition(tx, Which::Crashed),
        bound = tx.now_plus(-processing_lease.as_secs_f64()),
    );
    let Some(row) = tx.row(&sql, params![max_attempts]).await? else { return Ok(Horizon::default()) };
    let now: DateTime<Utc> = row.get("db_now")?;
    let until = |time: Option<DateTime<Utc>>| time.map(|time| (time - now).to_std().unwrap_or(Duration::ZERO));
    Ok(Horizon {
        claimable: row.get("claimable")?,
        crashed: row.get("crashed")?,
        expired: row.get("expired")?,
        exhausted: row.get("exhausted")?,
        next_lease: until(row.get("next_lease")?),
        next_due: until(row.get("next_due")?),
    })
}
