//! Schema changes: the differences between two snapshots of a table.

use domain::drift::{ChangeKind, SchemaChange};
use domain::{Actor, ChangeId, SnapshotId, TableId};

use crate::entities::ChangeRow;
use crate::error::DbError;
use crate::page::{Filter, Listing};
use crate::params;
use crate::tx::Tx;

/// Records the differences between two snapshots, in their order.
pub async fn insert_many(
    tx: &Tx,
    table: TableId,
    prev: SnapshotId,
    next: SnapshotId,
    changes: &[(ChangeId, SchemaChange)],
) -> Result<(), DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "INSERT INTO {} (id, tenant_id, workspace_id, table_id, prev_snapshot_id, next_snapshot_id, ordinal, \
         column_name, change, before_json, after_json, llm_rationale, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, {})",
        ChangeRow::TABLE,
        tx.now()
    );
    for (ordinal, (id, change)) in changes.iter().enumerate() {
        let params = params![
            *id,
            &scope.tenant,
            scope.workspace,
            table,
            prev,
            next,
            ordinal,
            change.column_name.as_str(),
            change.change,
            &change.before,
            &change.after,
            &change.rationale
        ];
        tx.execute(&sql, params).await?;
    }
    Ok(())
}

/// Forgets what a snapshot's comparison found, before it is compared with another one; how many rows went.
pub async fn delete_of_next(tx: &Tx, next: SnapshotId) -> Result<u64, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("next_snapshot_id", next);
    tx.execute(&format!("DELETE FROM flyquery_schema_changes WHERE {}", filter.sql()), filter.into_params()).await
}

/// What a snapshot's comparison found, READY or not.
pub async fn of_next(tx: &Tx, next: SnapshotId) -> Result<Vec<ChangeRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("next_snapshot_id", next);
    listing(filter).all(tx, ChangeRow::from_row).await
}

/// Every change of a table whose newer snapshot is READY, oldest first.
pub async fn list(tx: &Tx, table: TableId) -> Result<Vec<ChangeRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("table_id", table);
    filter.and(READY);
    listing(filter).all(tx, ChangeRow::from_row).await
}

/// The change of that id, when its newer snapshot is READY.
pub async fn get(tx: &Tx, id: ChangeId) -> Result<Option<ChangeRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("id", id);
    filter.and(READY);
    listing(filter).first(tx, ChangeRow::from_row).await
}

/// RENAMED_CANDIDATE → RENAMED; `None` when there is no candidate of that id. The REMOVED and ADDED rows that stood
/// beside the candidate go: the column did neither.
pub async fn confirm(
    tx: &Tx,
    id: ChangeId,
    after: &serde_json::Value,
    approved_by: &Actor,
) -> Result<Option<ChangeRow>, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET change = 'RENAMED', after_json = $4, approved_by = $5, approved_at = {} \
         WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3 AND change = 'RENAMED_CANDIDATE' RETURNING {}",
        ChangeRow::TABLE,
        tx.now(),
        ChangeRow::COLUMNS
    );
    let row = tx.row(&sql, params![&scope.tenant, scope.workspace, id, after, approved_by]).await?;
    let Some(change) = row.as_ref().map(ChangeRow::from_row).transpose()? else { return Ok(None) };
    let new_name = after["column_name"].as_str().unwrap_or_default();
    for (kind, name) in [(ChangeKind::Removed, change.column_name.as_str()), (ChangeKind::Added, new_name)] {
        let mut filter = Filter::scoped(tx)?;
        filter.eq("next_snapshot_id", change.next_snapshot);
        filter.eq("change", kind);
        filter.eq("column_name", name);
        let sql = format!("DELETE FROM {} WHERE {}", ChangeRow::TABLE, filter.sql());
        tx.execute(&sql, filter.into_params()).await?;
    }
    Ok(Some(change))
}

/// Changes are written at stage 3; people see them once stage 10 made their snapshot READY.
const READY: &str = "EXISTS (SELECT 1 FROM flyquery_schema_snapshots s \
    WHERE s.id = next_snapshot_id AND s.status = 'READY')";

fn listing(filter: Filter) -> Listing {
    Listing { columns: ChangeRow::COLUMNS, from: ChangeRow::TABLE, filter, order: "created_at, ordinal, id" }
}
