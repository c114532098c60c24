//! Claiming: one statement takes waiting jobs, raises their tokens and charges their attempts.

use std::time::Duration;

use chrono::{DateTime, Utc};
use db::{Db, DbError, Dialect, Tx, params};
use domain::JobKind;
use domain::job::WorkerId;

use crate::enqueue::running_event;
use crate::ledger;
use crate::metrics;
use crate::row::{JobRow, columns, one_of};

/// Names the advisory lock under which one process at a time takes a job that crashed before.
const CRASHED_LOCK: i64 = 0x666c_7971_6372;

/// Which waiting jobs to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// Those that never took a worker down.
    Healthy,
    /// One that did, to be run alone; none while another process runs one.
    Crashed,
}

/// What a worker asks for.
#[derive(Clone, Copy, Debug)]
pub struct ClaimRequest {
    /// Who asks.
    pub worker: WorkerId,
    /// How many jobs at most.
    pub slots: u32,
    /// How long a claim is good unless renewed.
    pub lease: Duration,
    /// Jobs with that many attempts are not taken; [`crate::reap`] ends them.
    pub max_attempts: u32,
    /// Which.
    pub which: Which,
}

/// Claims up to `slots` jobs, oldest first, in a transaction of its own.
pub async fn claim(db: &Db, request: &ClaimRequest) -> Result<Vec<JobRow>, DbError> {
    let tx = db.fleet().await?;
    let jobs = claim_in(&tx, request).await?;
    if jobs.is_empty() {
        tx.rollback().await?;
    } else {
        tx.commit().await?;
        metrics::claimed(&jobs);
    }
    Ok(jobs)
}

/// As [`claim`], inside the transaction that ends another job.
pub(crate) async fn claim_in(tx: &Tx, request: &ClaimRequest) -> Result<Vec<JobRow>, DbError> {
    let slots = match request.which {
        Which::Healthy => request.slots,
        Which::Crashed if alone(tx).await? => request.slots.min(1),
        Which::Crashed => 0,
    };
    if slots == 0 {
        return Ok(Vec::new());
    }
    let waiting = format!(
        "SELECT id FROM flyquery_ingest_jobs WHERE {due} AND attempts < $3 AND {which} \
         ORDER BY run_after, id LIMIT $4{lock}",
        due = due(tx),
        which = which_condition(tx, request.which),
        lock = tx.dialect().skip_locked(),
    );
    let sql = format!(
        "UPDATE flyquery_ingest_jobs SET status = 'RUNNING', claim_token = claim_token + 1, attempts = attempts + 1, \
         worker_id = $1, started_at = {now}, lease_until = {until}, progress_json = NULL \
         WHERE {chosen} AND status = 'PENDING' RETURNING {columns}",
        now = tx.now(),
        until = tx.now_plus_bound("$2"),
        chosen = one_of(tx.dialect(), "id", &waiting),
        columns = columns(tx.dialect()),
    );
    let values = params![request.worker, request.lease.as_secs_f64(), request.max_attempts, slots];
    let mut jobs = tx.rows(&sql, values).await?.iter().map(JobRow::read).collect::<Result<Vec<_>, _>>()?;
    jobs.sort_by_key(|job| (job.run_after, job.id));
    let events: Vec<_> = jobs.iter().map(|job| (job, running_event(job))).collect();
    ledger::append_each(tx, &events).await?;
    Ok(jobs)
}

/// Condition: the job waits and may be claimed, and this version knows its kind; others are left to those that do.
pub(crate) fn due(tx: &Tx) -> String {
    let kinds: Vec<String> = JobKind::ALL.iter().map(|kind| format!("'{kind}'")).collect();
    format!("status = 'PENDING' AND run_after <= {} AND job_kind IN ({})", tx.now(), kinds.join(", "))
}

/// Condition on the crash count. A crashed job has been claimed before, which is what the index of retries knows.
pub(crate) fn which_condition(tx: &Tx, which: Which) -> String {
    match which {
        Which::Healthy => "crash_count = 0".to_owned(),
        Which::Crashed => format!(
            "attempts > 0 AND crash_count > 0 AND NOT EXISTS (SELECT 1 FROM flyquery_ingest_jobs AS busy \
             WHERE busy.status = 'RUNNING' AND busy.crash_count > 0 AND busy.lease_until > {})",
            tx.now()
        ),
    }
}

/// Whether no other process is choosing a crashed job at this moment. SQLite has one writer anyway.
async fn alone(tx: &Tx) -> Result<bool, DbError> {
    match tx.dialect() {
        Dialect::Sqlite => Ok(true),
        Dialect::Postgres => {
            let row = tx.row("SELECT pg_try_advisory_xact_lock($1) AS alone", params![CRASHED_LOCK]).await?;
            row.map_or(Ok(false), |row| row.get("alone"))
        }
    }
}

/// The RUNNING jobs of a worker, whether it knows of them or not, with what is left of their leases: a claim whose
/// answer was lost is found here.
pub async fn held_by(tx: &Tx, worker: WorkerId) -> Result<Vec<(JobRow, Duration)>, DbError> {
    let sql = format!(
        "SELECT {}, {now} AS db_now FROM flyquery_ingest_jobs WHERE status = 'RUNNING' AND worker_id = $1 AND lease_until > {now} \
         ORDER BY id LIMIT 1000",
        columns(tx.dialect()),
        now = tx.now()
    );
    let with_rest = |row: &db::Row| {
        let job = JobRow::read(row)?;
        let now: DateTime<Utc> = row.get("db_now")?;
        let left = job.lease_until.and_then(|until| (until - now).to_std().ok()).unwrap_or_default();
        Ok((job, left))
    };
    tx.rows(&sql, params![worker]).await?.iter().map(with_rest).collect()
}
