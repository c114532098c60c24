//! The two writes by which a job leaves RUNNING (or PENDING): its end and its way back into the queue. Both expect
//! the caller to hold the row's lock.

use std::time::Duration;

use db::{DbError, Tx, params};
use domain::event::{EventStage, NewEvent};
use domain::{ErrorCode, Failure, JobState, SnapshotId, Stage, TableId};
use serde_json::{Value, json};

use crate::handler::OnTerminal;
use crate::ledger;
use crate::row::{JobRow, Locked, columns};

/// How a job ends.
pub(crate) enum Ending<'a> {
    /// With its effect.
    Succeeded {
        result: Value,
        table: Option<TableId>,
        snapshot: Option<SnapshotId>,
        cost_cents: Option<&'a str>,
        events: Vec<NewEvent>,
    },
    /// Without it.
    Failed(Failure),
    /// On request.
    Cancelled,
}

/// Why a job goes back to the queue.
#[derive(Clone, Debug)]
pub(crate) enum Return<'a> {
    /// After a transient failure, not before the delay is over.
    Retry { failure: &'a Failure, delay: Duration },
    /// By a process that leaves; the attempt is given back.
    HandedBack,
}

/// Ends the job: row, last ledger event, hooks.
pub(crate) async fn end(
    tx: &Tx,
    locked: &Locked,
    ending: Ending<'_>,
    crashed: bool,
    terminal: &dyn OnTerminal,
) -> Result<JobRow, DbError> {
    let job = &locked.job;
    let (state, result, ids, cost, events) = match ending {
        Ending::Succeeded { result, table, snapshot, cost_cents, events } => {
            (JobState::Succeeded, result, (table, snapshot), cost_cents, events)
        }
        Ending::Failed(failure) => {
            let failure = placed(job, failure);
            (JobState::Failed, failure.to_result_json(), (None, None), None, vec![error_event(job, &failure)])
        }
        Ending::Cancelled => {
            let failure = placed(job, Failure::new(ErrorCode::JobCancelled, "It was cancelled on request."));
            (JobState::Cancelled, failure.to_result_json(), (None, None), None, vec![error_event(job, &failure)])
        }
    };
    let elapsed = job.started_at.map(|start| (locked.now - start).num_milliseconds().max(0));
    let sql = format!(
        "UPDATE flyquery_ingest_jobs SET status = $4, result_json = $5, finished_at = $6, elapsed_ms = $7, \
         table_id = COALESCE($8, table_id), snapshot_id = COALESCE($9, snapshot_id), \
         cost_cents = COALESCE({cost}, cost_cents), crash_count = crash_count + $11, lease_until = NULL, \
         progress_json = NULL \
         WHERE id = $1 AND claim_token = $2 AND status = $3 RETURNING {columns}",
        cost = tx.dialect().decimal("$10"),
        columns = columns(tx.dialect())
    );
    let values = params![
        job.id,
        job.token,
        job.status,
        state,
        result,
        locked.now,
        elapsed,
        ids.0,
        ids.1,
        cost.map(str::to_owned),
        i64::from(crashed),
    ];
    let ended = written(tx.row(&sql, values).await?.as_ref().map(JobRow::read))?;
    let mut events = events;
    if state == JobState::Succeeded {
        events.push(final_event(&ended));
    }
    ledger::append(tx, &ended, &events).await?;
    terminal.ended(tx, &ended).await?;
    Ok(ended)
}

/// Sends the job back to the queue: row and ledger event.
pub(crate) async fn requeue(tx: &Tx, job: &JobRow, why: Return<'_>) -> Result<JobRow, DbError> {
    let (delay, refund, event) = match why {
        Return::Retry { failure, delay } => (delay, 0_i64, retry_event(job, failure, delay)),
        Return::HandedBack => (Duration::ZERO, 1, handed_back_event()),
    };
    let sql = format!(
        "UPDATE flyquery_ingest_jobs SET status = 'PENDING', run_after = {due}, \
         attempts = CASE WHEN attempts >= $4 THEN attempts - $4 ELSE 0 END, worker_id = NULL, lease_until = NULL, \
         progress_json = NULL WHERE id = $1 AND claim_token = $2 AND status = 'RUNNING' RETURNING {columns}",
        due = tx.now_plus_bound("$3"),
        columns = columns(tx.dialect())
    );
    let values = params![job.id, job.token, delay.as_secs_f64(), refund];
    let back = written(tx.row(&sql, values).await?.as_ref().map(JobRow::read))?;
    // the event belongs to the attempt that ended, whatever was given back
    ledger::append(tx, job, &[event]).await?;
    Ok(back)
}

/// The caller holds the row's lock, so a guarded write must find it.
fn written(row: Option<Result<JobRow, DbError>>) -> Result<JobRow, DbError> {
    row.unwrap_or_else(|| Err(DbError::Bug("a locked job was not found by its own guard".to_owned())))
}

/// A failure that names no stage happened in the one after the last committed one.
fn placed(job: &JobRow, failure: Failure) -> Failure {
    let stages = job.kind.stages();
    let running: Option<Stage> = match job.stage {
        None => stages.first().copied(),
        Some(last) => stages.iter().copied().find(|stage| stage.number() > last.number()),
    };
    match running {
        Some(stage) if job.started_at.is_some() => failure.in_stage(stage),
        _ => failure,
    }
}

fn error_event(job: &JobRow, failure: &Failure) -> NewEvent {
    let result = failure.to_result_json();
    let message = result["message"].as_str().unwrap_or_default().to_owned();
    let payload = json!({
        "code": failure.code,
        "error_code": failure.code,
        "error_type": failure.class(),
        "failed_stage": failure.stage,
        "retriable": result["retriable"],
        "job_kind": job.kind,
    });
    NewEvent::error(EventStage::Error, message, payload)
}

fn final_event(job: &JobRow) -> NewEvent {
    let payload = json!({
        "job_kind": job.kind,
        "table_id": job.table,
        "snapshot_id": job.snapshot,
        "elapsed_ms": job.elapsed_ms,
    });
    NewEvent::ok(EventStage::Final, payload)
}

fn retry_event(job: &JobRow, failure: &Failure, delay: Duration) -> NewEvent {
    let failure = placed(job, failure.clone());
    let payload = json!({
        "reason": "transient",
        "code": failure.code,
        "failed_stage": failure.stage,
        "delay_ms": u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
    });
    NewEvent::error(EventStage::Requeued, failure.detail, payload)
}

fn handed_back_event() -> NewEvent {
    NewEvent::ok(EventStage::Requeued, json!({ "reason": "handed_back" }))
        .with_message("The process that ran the job is shutting down; another one goes on.")
}
