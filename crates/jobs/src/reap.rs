//! Reaping: what a dead, frozen or hung worker left RUNNING goes back to the queue or ends. Anyone may do it, any number
//! at once: every write is guarded by the condition that made the row a victim, and locked rows are passed over.

use std::time::Duration;

use db::{Db, DbError, Tx, params};
use domain::event::{EventStage, NewEvent};
use domain::ports::clock::Entropy;
use domain::{ErrorCode, Failure, JobState, limits};
use serde_json::json;

use crate::ending::{Ending, end};
use crate::handler::OnTerminal;
use crate::ledger;
use crate::metrics;
use crate::row::{JobRow, Locked, columns, lock_where, one_of};
use crate::wake;

/// How the reaper judges.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReapConfig {
    /// Attempts at which a job is given up.
    pub max_attempts: u32,
    /// Outer bound of a claim from its start, however well it is renewed: a hung handler is found by it.
    pub processing_lease: Duration,
    /// Rows of one statement; it is repeated until nothing is left.
    pub batch: u64,
}

impl ReapConfig {
    /// A batch of [`limits::SWEEP_BATCH`].
    pub fn new(max_attempts: u32, processing_lease: Duration) -> Self {
        Self { max_attempts, processing_lease, batch: limits::SWEEP_BATCH }
    }
}

/// What a reap did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReapReport {
    /// Jobs that went back to the queue.
    pub requeued: u64,
    /// Jobs that ended because a cancel had been requested.
    pub cancelled: u64,
    /// Jobs that ended at the cap.
    pub dead: u64,
}

impl ReapReport {
    /// Jobs touched.
    pub fn total(&self) -> u64 {
        self.requeued + self.cancelled + self.dead
    }
}

/// Why a RUNNING job is taken from its worker.
#[derive(Clone, Copy)]
enum Lapse {
    /// Nobody renewed it.
    Lease,
    /// It ran past the outer bound.
    Bound(Duration),
    /// The home starts and its only process has died: every RUNNING job is a victim.
    Restart,
}

impl Lapse {
    fn condition(self, tx: &Tx) -> String {
        match self {
            Self::Lease => format!("(lease_until IS NULL OR lease_until < {})", tx.now()),
            Self::Bound(bound) => format!("started_at < {}", tx.now_plus(-bound.as_secs_f64())),
            Self::Restart => "1 = 1".to_owned(),
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Lease => "lease_expired",
            Self::Bound(_) => "processing_lease",
            Self::Restart => "restart",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Self::Lease => "The worker stopped answering while it ran the job.",
            Self::Bound(_) => "The job ran past FLYQUERY_PROCESSING_LEASE_S.",
            Self::Restart => "The process ended while it ran the job.",
        }
    }
}

/// Takes every job whose lease or outer bound has passed from its worker, and ends waiting jobs that are at the cap.
pub async fn reap(
    db: &Db,
    entropy: &dyn Entropy,
    config: &ReapConfig,
    terminal: &dyn OnTerminal,
) -> Result<ReapReport, DbError> {
    let mut report = ReapReport::default();
    for lapse in [Lapse::Lease, Lapse::Bound(config.processing_lease)] {
        take(db, entropy, config, lapse, terminal, &mut report).await?;
    }
    bury_waiting(db, config, terminal, &mut report).await?;
    Ok(report)
}

/// Takes every RUNNING job from its worker, whatever its lease says. Only for a home with one process, by the holder of
/// its lock, before it runs anything (decision 67).
pub async fn recover_all(
    db: &Db,
    entropy: &dyn Entropy,
    max_attempts: u32,
    terminal: &dyn OnTerminal,
) -> Result<ReapReport, DbError> {
    let mut report = ReapReport::default();
    let config = ReapConfig::new(max_attempts, Duration::MAX);
    take(db, entropy, &config, Lapse::Restart, terminal, &mut report).await?;
    Ok(report)
}

async fn take(
    db: &Db,
    entropy: &dyn Entropy,
    config: &ReapConfig,
    lapse: Lapse,
    terminal: &dyn OnTerminal,
    report: &mut ReapReport,
) -> Result<(), DbError> {
    loop {
        let requeued = requeue_batch(db, entropy, config, lapse).await?;
        report.requeued += requeued;
        metrics::reaped("requeued", requeued);
        if requeued < config.batch {
            break;
        }
    }
    while let Some(ended) = end_one(db, config, lapse, terminal).await? {
        count_end(&ended, report);
    }
    Ok(())
}

/// One guarded statement for all that may run again.
async fn requeue_batch(db: &Db, entropy: &dyn Entropy, config: &ReapConfig, lapse: Lapse) -> Result<u64, DbError> {
    let tx = db.fleet().await?;
    let victim = format!("status = 'RUNNING' AND {} AND cancel_requested = $1 AND attempts < $2", lapse.condition(&tx));
    let victims = format!(
        "SELECT id FROM flyquery_ingest_jobs WHERE {victim} ORDER BY lease_until, id LIMIT $3{}",
        tx.dialect().skip_locked()
    );
    let sql = format!(
        "UPDATE flyquery_ingest_jobs SET status = 'PENDING', crash_count = crash_count + 1, run_after = {now}, \
         worker_id = NULL, lease_until = NULL, progress_json = NULL WHERE {chosen} AND {victim} RETURNING {columns}",
        now = tx.now(),
        chosen = one_of(tx.dialect(), "id", &victims),
        columns = columns(tx.dialect()),
    );
    let rows = tx.rows(&sql, params![false, config.max_attempts, config.batch]).await?;
    let jobs = rows.iter().map(JobRow::read).collect::<Result<Vec<_>, _>>()?;
    if jobs.is_empty() {
        tx.rollback().await?;
        return Ok(0);
    }
    let event = |job: &JobRow| {
        let payload =
            json!({ "reason": lapse.reason(), "code": ErrorCode::WorkerLost, "crash_count": job.crash_count });
        NewEvent::error(EventStage::Requeued, lapse.sentence(), payload)
    };
    let events: Vec<_> = jobs.iter().map(|job| (job, event(job))).collect();
    ledger::append_each(&tx, &events).await?;
    for job in &jobs {
        wake::announce(&tx, entropy, job).await?;
    }
    tx.commit().await?;
    Ok(jobs.len() as u64)
}

/// Ends one victim that was cancelled or is at the cap, in a transaction bound to its workspace for the hooks.
async fn end_one(
    db: &Db,
    config: &ReapConfig,
    lapse: Lapse,
    terminal: &dyn OnTerminal,
) -> Result<Option<JobRow>, DbError> {
    let tx = db.fleet().await?;
    let condition =
        format!("status = 'RUNNING' AND {} AND (cancel_requested = $1 OR attempts >= $2)", lapse.condition(&tx));
    let locked = lock_first(&tx, &condition, "lease_until", params![true, config.max_attempts]).await?;
    let Some(locked) = locked else { return Ok(None) };
    let ending = if locked.job.cancel_requested {
        Ending::Cancelled
    } else {
        let detail = format!("{} It was attempt {} of {}.", lapse.sentence(), locked.job.attempts, config.max_attempts);
        Ending::Failed(Failure::new(ErrorCode::WorkerLost, detail))
    };
    end_bound(tx, &locked, ending, true, terminal).await.map(Some)
}

/// Waiting jobs at the cap (it was lowered, or the claim never counted on them) are claimed by nobody: dead letters.
async fn bury_waiting(
    db: &Db,
    config: &ReapConfig,
    terminal: &dyn OnTerminal,
    report: &mut ReapReport,
) -> Result<(), DbError> {
    loop {
        let tx = db.fleet().await?;
        // the first condition is what the index of retries knows
        let condition = "status = 'PENDING' AND attempts > 0 AND attempts >= $1";
        let locked = lock_first(&tx, condition, "run_after", params![config.max_attempts]).await?;
        let Some(locked) = locked else { return Ok(()) };
        let code =
            if locked.job.crash_count > 0 { ErrorCode::WorkerLost } else { ErrorCode::InfrastructureUnavailable };
        let detail = format!("{} attempts were made, {} are allowed.", locked.job.attempts, config.max_attempts);
        let ended = end_bound(tx, &locked, Ending::Failed(Failure::new(code, detail)), false, terminal).await?;
        count_end(&ended, report);
    }
}

async fn lock_first(tx: &Tx, condition: &str, order: &str, values: Vec<db::Value>) -> Result<Option<Locked>, DbError> {
    let tail = format!(" ORDER BY {order}, id LIMIT 1{}", tx.dialect().skip_locked());
    lock_where(tx, condition, &tail, values).await
}

async fn end_bound(
    mut tx: Tx,
    locked: &Locked,
    ending: Ending<'_>,
    crashed: bool,
    terminal: &dyn OnTerminal,
) -> Result<JobRow, DbError> {
    tx.bind(&locked.job.scope)?;
    let ended = end(&tx, locked, ending, crashed, terminal).await?;
    tx.commit().await?;
    Ok(ended)
}

fn count_end(ended: &JobRow, report: &mut ReapReport) {
    metrics::settled(ended);
    if ended.status == JobState::Cancelled {
        report.cancelled += 1;
        metrics::reaped("cancelled", 1);
    } else {
        report.dead += 1;
        metrics::reaped("dead", 1);
    }
}

/// Tells the bus again of jobs that have been due for longer than `grace`: their message was lost, or nobody was
/// there to hear it. Up to `limit` of them, oldest first; a worker that wakes drains the rest.
pub async fn republish_orphans(db: &Db, entropy: &dyn Entropy, grace: Duration, limit: u64) -> Result<u64, DbError> {
    let tx = db.fleet().await?;
    let sql = format!(
        "SELECT {} FROM flyquery_ingest_jobs WHERE status = 'PENDING' AND run_after < {} ORDER BY run_after, id LIMIT $1",
        columns(tx.dialect()),
        tx.now_plus(-grace.as_secs_f64()),
    );
    let rows = tx.rows(&sql, params![limit]).await?;
    for row in &rows {
        wake::announce(&tx, entropy, &JobRow::read(row)?).await?;
    }
    tx.commit().await?;
    Ok(rows.len() as u64)
}
