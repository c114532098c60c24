//! Stage 10 as a plan: the engine applies it in the transaction that ends the job, so that the snapshots become READY
//! and current exactly when the job becomes SUCCEEDED.

use db::{ChangeRow, DbError, Tx};
use domain::event::{EventStage, NewEvent};
use domain::report::{IngestReport, StageOutcome, StageReport, TableReport, Warning, WarningCode};
use domain::table::ObjectKind;
use domain::{FileStatus, JobState, SnapshotId, Stage, TableId};
use serde_json::json;

use crate::checkpoint::{After, Section, Work, after};
use crate::context::Context;
use crate::failure::{Stop, defect};
use crate::stages::reconcile::{Likeness, compare};
use crate::step::fail_point;

/// What to publish.
pub struct PublishPlan {
    ctx: Context,
    work: Work,
}

/// What was published.
pub struct Published {
    /// Ledger events, one per table.
    pub events: Vec<NewEvent>,
    /// The job's result.
    pub report: IngestReport,
    /// Columns that wait for a DESCRIBE_PASS because the budget had ended.
    pub deferred: u64,
}

impl PublishPlan {
    pub(crate) fn new(ctx: Context, embedded: After<after::Embed>) -> Self {
        Self { ctx, work: embedded.into_work() }
    }

    /// Applies the plan. May be applied again when the transaction was rolled back.
    pub async fn apply(&self, tx: &Tx) -> Result<Published, Stop> {
        fail_point("publish.before");
        let mut events = Vec::with_capacity(self.work.sections.len());
        let mut warnings = self.work.warnings.clone();
        for section in &self.work.sections {
            events.push(self.publish(tx, section, &mut warnings).await.map_err(|s| s.in_stage(Stage::Publish))?);
        }
        let keys: Vec<String> = self.work.sections.iter().map(|s| s.object_key.clone()).collect();
        if !db::pending_objects::adopt(tx, &keys).await? {
            return Err(defect("A sweep took the Parquet file of a running job.").in_stage(Stage::Publish).into());
        }
        db::files::set_status(tx, self.work.file.id, FileStatus::Parsed, None).await?;
        fail_point("publish.uncommitted");
        Ok(Published { events, report: self.report(warnings), deferred: self.work.tally.deferred })
    }

    async fn publish(&self, tx: &Tx, section: &Section, warnings: &mut Vec<Warning>) -> Result<NewEvent, Stop> {
        let target = section.target();
        let table = db::tables::lock(tx, target.table).await?.ok_or_else(|| defect("A table of the job is gone."))?;
        if table.current_snapshot != target.previous {
            // Another upload was published while this one ran: compare with what is current now.
            db::schema_changes::delete_of_next(tx, target.snapshot).await?;
            let ids = (target.table, table.current_snapshot, target.snapshot);
            compare(&self.ctx, tx, ids, &section.schema, &Likeness::default()).await?;
        }
        if let Some(current) = table.current_snapshot {
            carry_late(tx, current, target.snapshot).await?;
        }
        db::snapshots::mark_ready(tx, target.snapshot).await?;
        let current = db::snapshots::current(tx, target.table).await?;
        let ours = db::files::get(tx, self.work.file.id).await?.map(|f| f.accepted_seq);
        let later = current.as_ref().is_some_and(|c| c.accepted_seq > ours);
        if later {
            let message = "A file that was accepted later is already current; this version stays available by its id.";
            warnings.push(Warning::new(WarningCode::Superseded, message).table(&section.name));
        } else {
            let file = Some(self.work.file.id);
            db::tables::set_current(tx, target.table, target.snapshot, file, section.path.as_deref()).await?;
            let before = current.and_then(|c| c.byte_size).unwrap_or(0);
            account(tx, before, section.parquet_bytes).await?;
        }
        let payload = json!({
            "table_id": target.table, "snapshot_id": target.snapshot, "table": section.name,
            "current": !later, "n_rows": section.rows, "n_columns": section.schema.columns.len(),
        });
        Ok(NewEvent::ok(EventStage::Published, payload))
    }

    /// Table and snapshot, when there is exactly one table.
    pub fn only(&self) -> Option<(TableId, SnapshotId)> {
        match self.work.sections.as_slice() {
            [section] => Some((section.target().table, section.target().snapshot)),
            _ => None,
        }
    }

    /// What the describer has cost, as the wire writes it.
    pub fn cost_cents(&self) -> String {
        self.work.tally.cost_cents()
    }

    /// The job's result.
    fn report(&self, warnings: Vec<Warning>) -> IngestReport {
        let tables = self.work.sections.iter().map(|s| self.table_report(s)).collect();
        let mut stages = self.work.stages.clone();
        stages.push(StageReport { stage: Stage::Publish, status: StageOutcome::Done, elapsed_ms: 0 });
        let elapsed: u64 = stages.iter().map(|s| s.elapsed_ms).sum();
        IngestReport {
            job_id: self.ctx.job.claim.job_id,
            status: JobState::Succeeded,
            file_id: self.work.file.id,
            dataset_id: self.work.dataset,
            tables,
            stages,
            warnings,
            elapsed_ms: elapsed,
            cost_cents: self.cost_cents(),
        }
    }

    fn table_report(&self, section: &Section) -> TableReport {
        let target = section.target();
        TableReport {
            table_id: target.table,
            name: section.name.clone(),
            qualified_name: section.qualified_name(&self.work.dataset_name),
            snapshot_id: target.snapshot,
            sheet_or_json_path: section.path.clone(),
            n_columns: section.schema.columns.len() as u64,
            n_rows_estimate: section.rows,
            n_rows_actual: section.rows,
            parquet_byte_size: section.parquet_bytes,
        }
    }
}

/// What people wrote about the current snapshot after stage 3 had copied their words is copied now: the snapshot they
/// wrote it on is about to disappear from view.
async fn carry_late(tx: &Tx, current: SnapshotId, next: SnapshotId) -> Result<(), Stop> {
    let Some(taken) = db::snapshots::get(tx, next).await?.map(|row| row.taken_at) else { return Ok(()) };
    let edited = db::schema_objects::changed_since(tx, current, taken).await?;
    if edited.is_empty() {
        return Ok(());
    }
    let changes = db::schema_changes::of_next(tx, next).await?;
    let objects = db::schema_objects::list(tx, next).await?;
    for old in edited {
        let renamed = changes.iter().filter(|c| c.column_name == old.name).find_map(ChangeRow::renamed_to);
        let name = renamed.unwrap_or(&old.name);
        let new =
            objects.iter().find(|new| new.kind == old.kind && (new.name == name || old.kind == ObjectKind::Table));
        if let Some(new) = new {
            db::schema_objects::carry(tx, &old, new.id).await?;
        }
    }
    Ok(())
}

/// The quota counts originals and current Parquet (decision 66).
async fn account(tx: &Tx, before: u64, after: u64) -> Result<(), DbError> {
    let size = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    db::workspaces::add_storage(tx, size(after) - size(before)).await.map(|_| ())
}
