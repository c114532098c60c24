//! What must happen in the very transaction that ends a job, whoever ends it: worker, reaper or cancel.

use std::sync::Arc;

use async_trait::async_trait;
use db::outbox::NewOutboxEvent;
use db::{DbError, Tx};
use domain::drift::ChangeKind;
use domain::event::topic;
use domain::ports::clock::{Clock, Entropy};
use domain::report::TableReport;
use domain::{FileStatus, IngestPolicy, JobKind, JobState, Stage};
use jobs::{JobRow, OnTerminal};
use serde_json::json;
use tokio::sync::Notify;

use crate::follow_up;

/// The hooks of this product on the engine.
pub struct Terminal {
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    swept: Arc<Notify>,
}

impl Terminal {
    /// `swept` wakes the sweep, so that what a cancelled or failed job wrote goes soon.
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>, swept: Arc<Notify>) -> Self {
        Self { clock, entropy, swept }
    }

    /// A job that ended without effect leaves no half table: its PARTIAL snapshots go, and the tables only it made.
    async fn undo(&self, tx: &Tx, job: &JobRow) -> Result<(), DbError> {
        db::snapshots::delete_partial_of_job(tx, job.id).await?;
        db::tables::delete_unpublished_of_job(tx, job.id).await?;
        if let (Some(file), JobState::Failed, JobKind::ParseAndIngest) = (job.file, job.status, job.kind) {
            db::files::set_status(tx, file, FileStatus::Failed, Some(&job.result)).await?;
        }
        Ok(())
    }

    /// A table that joins others may be what their columns were waiting for: all of the dataset is related once more,
    /// by a job that is made once however many tables join while it waits (decision 54).
    async fn relate_to_others(&self, tx: &Tx, job: &JobRow, published: &[TableReport]) -> Result<(), DbError> {
        let mut joined = false;
        for table in published {
            joined |= db::snapshots::is_first(tx, table.table_id, table.snapshot_id).await?;
        }
        if !joined || db::tables::count_published(tx, job.dataset).await? <= published.len() as u64 {
            return Ok(());
        }
        let policy = db::datasets::get(tx, job.dataset).await?.map(|dataset| dataset.ingest_policy);
        let skips = policy.is_some_and(|json| IngestPolicy::parse(&json).is_ok_and(|it| it.skips(Stage::Relate)));
        if skips { Ok(()) } else { follow_up::once(tx, &*self.entropy, job, JobKind::RelationPass).await }
    }

    /// One schema event per published table (decision 57).
    async fn announce(&self, tx: &Tx, job: &JobRow, published: &[TableReport]) -> Result<(), DbError> {
        for table in published {
            let Some(snapshot) = db::snapshots::get(tx, table.snapshot_id).await? else { continue };
            let changes = db::schema_changes::list(tx, table.table_id).await?;
            let of = |kind: ChangeKind| {
                changes.iter().filter(|c| c.next_snapshot == table.snapshot_id && c.change == kind).count()
            };
            let previous = changes.iter().find(|c| c.next_snapshot == table.snapshot_id);
            let payload = json!({
                "event": "flyquery.schema.updated", "version": "1",
                "event_type": "flyquery.schema.updated",
                "tenant_id": job.scope.tenant, "workspace_id": job.scope.workspace, "dataset_id": job.dataset,
                "table_id": table.table_id, "snapshot_id": table.snapshot_id,
                "prev_snapshot_id": previous.and_then(|c| c.prev_snapshot),
                "diff_summary": {
                    "added": of(ChangeKind::Added), "removed": of(ChangeKind::Removed),
                    "type_changed": of(ChangeKind::TypeChanged), "renamed": of(ChangeKind::Renamed),
                    "renamed_candidates": of(ChangeKind::RenamedCandidate),
                },
                "parquet_object_key": snapshot.object_key, "snapshot_hash": snapshot.hash,
                "n_columns": table.n_columns, "n_rows_actual": table.n_rows_actual,
                "triggered_at": self.clock.now(), "created_at": self.clock.now(),
            });
            let event = NewOutboxEvent {
                id: self.entropy.id(),
                topic: topic::SCHEMA.to_owned(),
                event_type: "flyquery.schema.updated".to_owned(),
                payload,
            };
            db::outbox::insert(tx, &job.scope, &event).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl OnTerminal for Terminal {
    async fn ended(&self, tx: &Tx, job: &JobRow) -> Result<(), DbError> {
        match job.status {
            JobState::Succeeded => {
                let published = published(job);
                self.announce(tx, job, &published).await?;
                self.relate_to_others(tx, job, &published).await?;
            }
            JobState::Failed | JobState::Cancelled => self.undo(tx, job).await?,
            JobState::Pending | JobState::Running => {}
        }
        // Notified before the commit on purpose: the sweep only takes what a committed row says is over, and looks again.
        self.swept.notify_one();
        Ok(())
    }
}

fn published(job: &JobRow) -> Vec<TableReport> {
    job.result.get("tables").cloned().and_then(|tables| serde_json::from_value(tables).ok()).unwrap_or_default()
}
