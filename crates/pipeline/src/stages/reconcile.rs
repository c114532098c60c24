//! Stage 3: which table each section is, what changed since its current snapshot, and the rows that describe it.

mod likeness;

use async_trait::async_trait;
use db::schema_objects::NewObject;
use db::snapshots::NewSnapshot;
use db::tables::NewTable;
use db::{Annotations, ObjectRow, TableRow, Tx};
use domain::drift::{self, ChangeKind, SchemaChange};
use domain::event::{EventStage, NewEvent};
use domain::table::{ObjectKind, TableKind};
use domain::{ChangeId, DriftPolicy, ObjectId, Schema, SnapshotId, TableId};
use serde_json::json;
use sha2::{Digest, Sha256};

pub use self::likeness::Likeness;
use crate::checkpoint::{Section, Target, Work, after};
use crate::context::Context;
use crate::failure::{Stop, defect};
use crate::step::Step;

#[async_trait]
impl Step for after::Reconcile {
    type Previous = after::Parse;
    type Found = Vec<Likeness>;

    /// Only what takes long is done here: other jobs may change the rows, so all else happens under the transaction.
    async fn find(ctx: &Context, work: &Work) -> Result<Self::Found, Stop> {
        let mut found = Vec::with_capacity(work.sections.len());
        for section in &work.sections {
            found.push(likeness::of(ctx, work.dataset, section).await?);
        }
        Ok(found)
    }

    async fn write(ctx: &Context, tx: &Tx, work: &mut Work, found: Self::Found) -> Result<Vec<NewEvent>, Stop> {
        let file = db::files::get(tx, work.file.id).await?.ok_or_else(|| defect("The job's file row is gone."))?;
        let mut events = Vec::with_capacity(work.sections.len());
        for (index, likeness) in found.iter().enumerate() {
            let section = work.sections[index].clone();
            let target = reconcile(ctx, tx, work, &section, likeness, file.accepted_seq).await?;
            events.push(NewEvent::ok(
                EventStage::Reconciled,
                json!({
                    "table_id": target.table, "snapshot_id": target.snapshot, "table": section.name,
                    "n_columns": section.schema.columns.len(), "n_rows": section.rows,
                }),
            ));
            work.sections[index].target = Some(target);
        }
        Ok(events)
    }
}

async fn reconcile(
    ctx: &Context,
    tx: &Tx,
    work: &Work,
    section: &Section,
    likeness: &Likeness,
    accepted_seq: i64,
) -> Result<Target, Stop> {
    let table = table(ctx, tx, work, section).await?;
    let snapshot = SnapshotId(ctx.ports.entropy.id());
    let row = NewSnapshot {
        id: snapshot,
        table: table.id,
        dataset: work.dataset,
        hash: hash(&section.schema),
        schema: section.schema.clone(),
        n_rows: Some(section.rows),
        object_key: Some(section.object_key.clone()),
        byte_size: Some(section.parquet_bytes),
        triggered_by: ctx.job.triggered_by,
        created_by: ctx.job.actor.clone(),
        file: Some(work.file.id),
        accepted_seq: Some(accepted_seq),
        job: ctx.job.claim.job_id,
        token: ctx.job.claim.token,
    };
    db::snapshots::insert_partial(tx, &row).await?;
    let previous = table.current_snapshot;
    let changes = compare(ctx, tx, (table.id, previous, snapshot), &section.schema, likeness).await?;
    let old = match previous {
        Some(id) => db::schema_objects::list(tx, id).await?,
        None => Vec::new(),
    };
    let objects = objects(ctx, section, &table, snapshot, &old, &changes);
    db::schema_objects::insert_many(tx, &objects).await?;
    Ok(Target { table: table.id, snapshot, previous })
}

/// The table of that name, made when it is new. A table that was switched off comes back when it is published.
async fn table(ctx: &Context, tx: &Tx, work: &Work, section: &Section) -> Result<TableRow, Stop> {
    if let Some(row) = db::tables::find(tx, work.dataset, &section.name).await? {
        return Ok(row);
    }
    let new = NewTable {
        id: TableId(ctx.ports.entropy.id()),
        dataset: work.dataset,
        source_file: Some(work.file.id),
        name: section.name.clone(),
        qualified_name: section.qualified_name(&work.dataset_name),
        kind: TableKind::Uploaded,
        sheet_or_json_path: section.path.clone(),
        job: Some(ctx.job.claim.job_id),
    };
    if let Some(row) = db::tables::insert(tx, &new).await? {
        return Ok(row);
    }
    // Another first upload of that name was quicker (decision 40): this one becomes a new snapshot of its table.
    let taken = db::tables::find(tx, work.dataset, &section.name).await?;
    taken.ok_or_else(|| defect("A table's name is taken, but no table has it.").into())
}

/// Writes the differences between the table's current snapshot and the next one; none for a first upload. A likeness to
/// another snapshot than that tells nothing.
pub async fn compare(
    ctx: &Context,
    tx: &Tx,
    (table, previous, next): (TableId, Option<SnapshotId>, SnapshotId),
    schema: &Schema,
    likeness: &Likeness,
) -> Result<Vec<SchemaChange>, Stop> {
    let Some(previous) = previous else { return Ok(Vec::new()) };
    let Some(before) = db::snapshots::get(tx, previous).await? else { return Ok(Vec::new()) };
    let overlaps = if likeness.to == Some(previous) { likeness.overlaps.as_slice() } else { &[] };
    let changes = drift::diff(&before.schema, schema, overlaps, ctx.drift == DriftPolicy::Auto);
    let rows: Vec<(ChangeId, SchemaChange)> =
        changes.iter().map(|change| (ChangeId(ctx.ports.entropy.id()), change.clone())).collect();
    db::schema_changes::insert_many(tx, table, previous, next, &rows).await?;
    Ok(changes)
}

fn objects(
    ctx: &Context,
    section: &Section,
    table: &TableRow,
    snapshot: SnapshotId,
    old: &[ObjectRow],
    changes: &[SchemaChange],
) -> Vec<NewObject> {
    let whole = ObjectId(ctx.ports.entropy.id());
    let mut objects = Vec::with_capacity(section.schema.columns.len() + 1);
    objects.push(NewObject {
        id: whole,
        table: table.id,
        snapshot,
        kind: ObjectKind::Table,
        parent: None,
        name: section.name.clone(),
        qualified_name: table.qualified_name.clone(),
        ordinal: 0,
        data_type: None,
        is_nullable: None,
        source_hash: hash(&section.schema),
        annotations: carried(old, ObjectKind::Table, None),
    });
    for (index, column) in section.schema.columns.iter().enumerate() {
        let before = renamed_from(changes, &column.name).unwrap_or(&column.name);
        objects.push(NewObject {
            id: ObjectId(ctx.ports.entropy.id()),
            table: table.id,
            snapshot,
            kind: ObjectKind::Column,
            parent: Some(whole),
            name: column.name.clone(),
            qualified_name: format!("{}.{}", table.qualified_name, column.name),
            ordinal: index as u32 + 1,
            data_type: Some(column.sql_type.to_string()),
            is_nullable: Some(column.nullable),
            source_hash: hash(&Schema { columns: vec![column.clone()] }),
            annotations: carried(old, ObjectKind::Column, Some(before)),
        });
    }
    objects
}

/// What people wrote stays with the object (decision 19).
fn carried(old: &[ObjectRow], kind: ObjectKind, name: Option<&str>) -> Annotations {
    let before = old.iter().find(|o| o.kind == kind && name.is_none_or(|n| o.name == n));
    before.map(ObjectRow::carried).unwrap_or_default()
}

/// The name that a column had before, when it was renamed.
fn renamed_from<'a>(changes: &'a [SchemaChange], name: &str) -> Option<&'a str> {
    changes
        .iter()
        .filter(|c| c.change == ChangeKind::Renamed)
        .find(|c| c.after.as_ref().and_then(|a| a["column_name"].as_str()) == Some(name))
        .map(|c| c.column_name.as_str())
}

/// `snapshot_hash`: SHA-256 over the sorted (name, type) pairs.
fn hash(schema: &Schema) -> String {
    hex::encode(Sha256::digest(schema.canonical()))
}
