//! The outbox row that tells the bus a job waits. It only wakes: losing it costs the time until the next poll.

use db::outbox::{self, NewOutboxEvent};
use db::{DbError, Tx};
use domain::event::topic;
use domain::ports::clock::Entropy;
use serde_json::json;

use crate::row::JobRow;

/// Name of the event (decision 57).
const INGEST_REQUESTED: &str = "IngestRequested";

/// Writes the row, in the transaction that made or requeued the job.
pub(crate) async fn announce(tx: &Tx, entropy: &dyn Entropy, job: &JobRow) -> Result<(), DbError> {
    let payload = json!({
        "event": INGEST_REQUESTED,
        "version": "1",
        "ingest_job_id": job.id,
        "tenant_id": job.scope.tenant,
        "workspace_id": job.scope.workspace,
        "dataset_id": job.dataset,
        "table_id": job.table,
        "file_id": job.file,
        "job_kind": job.kind,
        "triggered_by": job.triggered_by,
        "created_at": job.created_at,
    });
    let event = NewOutboxEvent {
        id: entropy.id(),
        topic: topic::INGEST.to_owned(),
        event_type: INGEST_REQUESTED.to_owned(),
        payload,
    };
    outbox::insert(tx, &job.scope, &event).await
}
