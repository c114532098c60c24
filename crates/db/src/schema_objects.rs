//! Schema objects: the rows that describe a table and its columns in one snapshot. What a person said is never
//! overwritten by a describer or scanner. The statements that write annotations are in [`annotate`].

mod annotate;
mod person;

pub use annotate::{
    NewDescription, NewEmbedding, NewPii, set_descriptions, set_embeddings, set_pii, set_profiles, set_samples,
    set_vectors,
};
pub use person::{ObjectUpdate, carry, move_annotations, update_by_person};

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use domain::table::ObjectKind;
use domain::{DatasetId, ObjectId, SnapshotId, TableId};

use crate::batch::batches;
use crate::entities::{Annotations, ObjectRow};
use crate::error::DbError;
use crate::page::{Filter, Listing};
use crate::params;
use crate::tx::Tx;

/// A table or column to be described.
#[derive(Clone, PartialEq, Debug)]
pub struct NewObject {
    /// Its id.
    pub id: ObjectId,
    /// The table, or the table of the column.
    pub table: TableId,
    /// The snapshot.
    pub snapshot: SnapshotId,
    /// Table or column.
    pub kind: ObjectKind,
    /// The table's object, for a column; it stands earlier in the list or is there already.
    pub parent: Option<ObjectId>,
    /// Bare name.
    pub name: String,
    /// `<dataset>.<table>` or `<dataset>.<table>.<column>`.
    pub qualified_name: String,
    /// Place among the columns, from 0.
    pub ordinal: u32,
    /// SQL type name of a column.
    pub data_type: Option<String>,
    /// Whether a column has rows without a value.
    pub is_nullable: Option<bool>,
    /// Digest of what describers go by: they skip an object whose digest they have seen.
    pub source_hash: String,
    /// What is taken over from the snapshot before (`ObjectRow::carried`).
    pub annotations: Annotations,
}

/// Values of a row of [`insert_many`].
const VALUES: usize = 20;

/// Makes the objects of a snapshot.
pub async fn insert_many(tx: &Tx, objects: &[NewObject]) -> Result<(), DbError> {
    let scope = tx.scope()?;
    let now = tx.now();
    for batch in batches(objects) {
        let mut sql = format!(
            "INSERT INTO {} (id, tenant_id, workspace_id, table_id, snapshot_id, kind, parent_id, name, \
             qualified_name, ordinal, data_type, is_nullable, source_hash, description, description_source, \
             synonyms_json, pii_tag, pii_source, business_owner, governance_json, created_at, last_seen_at, \
             last_changed_at) VALUES ",
            ObjectRow::TABLE
        );
        let mut params = Vec::with_capacity(batch.len() * VALUES);
        for (i, new) in batch.iter().enumerate() {
            let list = crate::Dialect::list(1 + i * VALUES, VALUES);
            let comma = if i == 0 { "" } else { ", " };
            let _ = write!(sql, "{comma}({list}, {now}, {now}, {now})");
            let said = &new.annotations;
            params.extend(params![
                new.id,
                &scope.tenant,
                scope.workspace,
                new.table,
                new.snapshot,
                new.kind,
                new.parent,
                new.name.as_str(),
                new.qualified_name.as_str(),
                new.ordinal,
                &new.data_type,
                new.is_nullable,
                new.source_hash.as_str(),
                &said.description,
                said.description_source,
                serde_json::json!(said.synonyms),
                &said.pii_tag,
                said.pii_source,
                &said.business_owner,
                serde_json::Value::Object(said.governance.clone())
            ]);
        }
        tx.execute(&sql, params).await?;
    }
    Ok(())
}

/// The objects of a snapshot: the table first, then its columns by qualified name.
pub async fn list(tx: &Tx, snapshot: SnapshotId) -> Result<Vec<ObjectRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("snapshot_id", snapshot);
    listing(filter).all(tx, ObjectRow::from_row).await
}

/// The objects of a snapshot that changed after that time.
pub async fn changed_since(tx: &Tx, snapshot: SnapshotId, time: DateTime<Utc>) -> Result<Vec<ObjectRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("snapshot_id", snapshot);
    let after = filter.bind(time);
    filter.and(&format!("last_changed_at > {after}"));
    listing(filter).all(tx, ObjectRow::from_row).await
}

/// Profiles of the columns of those snapshots that have one of those names, as (snapshot, name, profile); the caller
/// bounds the number of both.
pub async fn profiles(
    tx: &Tx,
    snapshots: &[SnapshotId],
    names: &[&str],
) -> Result<Vec<(SnapshotId, String, serde_json::Value)>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.one_of("snapshot_id", padded(snapshots));
    filter.one_of("name", padded(names));
    filter.eq("kind", ObjectKind::Column);
    filter.and("profile_json IS NOT NULL");
    let columns = "snapshot_id, name, profile_json";
    let listing = Listing { columns, from: ObjectRow::TABLE, filter, order: "snapshot_id, name" };
    listing.all(tx, |row| Ok((row.get("snapshot_id")?, row.get("name")?, row.get("profile_json")?))).await
}

/// The items with the last one repeated up to a power of two, so that few texts of a statement occur.
fn padded<T: Copy>(items: &[T]) -> Vec<T> {
    let mut padded = items.to_vec();
    if let Some(last) = items.last() {
        padded.resize(items.len().next_power_of_two(), *last);
    }
    padded
}

/// The object of that id.
pub async fn get(tx: &Tx, id: ObjectId) -> Result<Option<ObjectRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("id", id);
    listing(filter).first(tx, ObjectRow::from_row).await
}

/// The objects of those ids, in no particular order; the caller bounds their number.
pub async fn by_ids(tx: &Tx, ids: &[ObjectId]) -> Result<Vec<ObjectRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.one_of("id", ids);
    listing(filter).all(tx, ObjectRow::from_row).await
}

/// The objects of the current snapshots of a dataset's active tables, table by table.
pub async fn list_current(tx: &Tx, dataset: DatasetId) -> Result<Vec<ObjectRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    let placeholder = filter.bind(dataset);
    filter.and(&format!(
        "snapshot_id IN (SELECT t.current_snapshot_id FROM flyquery_tables t \
         WHERE t.dataset_id = {placeholder} AND t.is_active)"
    ));
    let by_table = Listing { order: "table_id, kind DESC, qualified_name", ..listing(filter) };
    by_table.all(tx, ObjectRow::from_row).await
}

/// Marks the columns of those names as gone; how many there were.
pub async fn deactivate(tx: &Tx, snapshot: SnapshotId, names: &[String]) -> Result<u64, DbError> {
    let mut touched = 0;
    for batch in batches(names) {
        let mut filter = Filter::scoped(tx)?;
        filter.eq("snapshot_id", snapshot);
        filter.and("kind = 'COLUMN' AND is_active");
        filter.one_of("name", batch);
        let no = filter.bind(false);
        let sql = format!(
            "UPDATE {} SET is_active = {no}, last_changed_at = {} WHERE {}",
            ObjectRow::TABLE,
            tx.now(),
            filter.sql()
        );
        touched += tx.execute(&sql, filter.into_params()).await?;
    }
    Ok(touched)
}

fn listing(filter: Filter) -> Listing {
    // TABLE sorts after COLUMN
    Listing { columns: ObjectRow::COLUMNS, from: ObjectRow::TABLE, filter, order: "kind DESC, qualified_name" }
}
