//! The ledger: what happened to a job, in order.

use chrono::{DateTime, Utc};
use db::{DbError, Row, Tx, params};
use domain::event::{EventStage, EventStatus, NewEvent};
use domain::{EventId, JobId};
use serde_json::{Value, json};

use crate::row::JobRow;

/// Rows of one INSERT; keeps the number of placeholders far below the databases' limits.
const BATCH: usize = 200;

/// A row of `flyquery_ingest_events`.
#[derive(Clone, PartialEq, Debug)]
pub struct EventRow {
    /// Its place; grows in commit order within a job.
    pub id: EventId,
    /// The job.
    pub job: JobId,
    /// Stage word.
    pub stage: EventStage,
    /// Progress or trouble.
    pub status: EventStatus,
    /// One sentence for people.
    pub message: Option<String>,
    /// Facts for programs.
    pub payload: Value,
    /// The database's time.
    pub created_at: DateTime<Utc>,
}

impl EventRow {
    pub(crate) const COLUMNS: &'static str = "id, ingest_job_id, stage, status, message, payload_json, created_at";

    pub(crate) fn read(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            job: row.get("ingest_job_id")?,
            stage: row.get("stage")?,
            status: row.get("status")?,
            message: row.get("message")?,
            payload: row.get("payload_json")?,
            created_at: row.get("created_at")?,
        })
    }
}

/// Appends events of one job. The caller holds the job's row lock, or has just inserted the row.
pub(crate) async fn append(tx: &Tx, job: &JobRow, events: &[NewEvent]) -> Result<(), DbError> {
    let rows: Vec<(&JobRow, &NewEvent)> = events.iter().map(|event| (job, event)).collect();
    append_rows(tx, &rows).await
}

/// Appends one event to each of several jobs, all of them locked by the caller.
pub(crate) async fn append_each(tx: &Tx, events: &[(&JobRow, NewEvent)]) -> Result<(), DbError> {
    let rows: Vec<(&JobRow, &NewEvent)> = events.iter().map(|(job, event)| (*job, event)).collect();
    append_rows(tx, &rows).await
}

async fn append_rows(tx: &Tx, rows: &[(&JobRow, &NewEvent)]) -> Result<(), DbError> {
    for batch in rows.chunks(BATCH) {
        let mut values = Vec::with_capacity(batch.len() * 7);
        let mut tuples = Vec::with_capacity(batch.len());
        for (index, (job, event)) in batch.iter().enumerate() {
            let first = index * 7 + 1;
            tuples.push(format!("({}, {})", db::Dialect::list(first, 7), tx.now()));
            values.extend(params![
                &job.scope.tenant,
                job.scope.workspace,
                job.id,
                event.stage,
                event.status,
                event.message.clone(),
                with_attempt(&event.payload, job.attempts),
            ]);
        }
        let sql = format!(
            "INSERT INTO flyquery_ingest_events \
             (tenant_id, workspace_id, ingest_job_id, stage, status, message, payload_json, created_at) VALUES {}",
            tuples.join(", ")
        );
        tx.execute(&sql, values).await?;
    }
    Ok(())
}

/// Every payload says which attempt it belongs to (decision 41).
fn with_attempt(payload: &Value, attempt: u32) -> Value {
    match payload {
        Value::Object(map) => {
            let mut map = map.clone();
            map.entry("attempt").or_insert_with(|| attempt.into());
            Value::Object(map)
        }
        Value::Null => json!({ "attempt": attempt }),
        other => json!({ "value": other, "attempt": attempt }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_carry_the_attempt_whatever_their_shape() {
        assert_eq!(with_attempt(&json!({"a": 1}), 2), json!({"a": 1, "attempt": 2}));
        assert_eq!(with_attempt(&Value::Null, 0), json!({"attempt": 0}));
        assert_eq!(with_attempt(&json!([1]), 1), json!({"value": [1], "attempt": 1}));
        assert_eq!(with_attempt(&json!({"attempt": 7}), 1), json!({"attempt": 7}));
    }
}
