//! Snapshots: made PARTIAL by a job's claim, READY in the transaction that ends the job, and never changed after that.

use domain::table::{PublishedTable, TriggeredBy};
use domain::{Actor, ClaimToken, DatasetId, FileId, JobId, Schema, SnapshotId, TableId};

use crate::entities::{SnapshotRow, published as read_published};
use crate::error::DbError;
use crate::page::{Filter, Listing};
use crate::params;
use crate::tx::Tx;

/// A snapshot to be made.
#[derive(Clone, PartialEq, Debug)]
pub struct NewSnapshot {
    /// Its id.
    pub id: SnapshotId,
    /// Its table.
    pub table: TableId,
    /// The table's dataset.
    pub dataset: DatasetId,
    /// SHA-256 of `Schema::canonical`, hexadecimal.
    pub hash: String,
    /// Its columns.
    pub schema: Schema,
    /// Its rows.
    pub n_rows: Option<u64>,
    /// Where its Parquet file is.
    pub object_key: Option<String>,
    /// Bytes of that file.
    pub byte_size: Option<u64>,
    /// Who caused it.
    pub triggered_by: TriggeredBy,
    /// On whose behalf.
    pub created_by: Actor,
    /// The file it comes from.
    pub file: Option<FileId>,
    /// That file's place in the order of acceptance.
    pub accepted_seq: Option<i64>,
    /// The job that makes it.
    pub job: JobId,
    /// The claim of that job.
    pub token: ClaimToken,
}

/// Makes a PARTIAL snapshot. [`DbError::Missing`] when its table is gone.
pub async fn insert_partial(tx: &Tx, new: &NewSnapshot) -> Result<SnapshotRow, DbError> {
    let scope = tx.scope()?;
    let schema = serde_json::to_value(&new.schema).map_err(|e| DbError::Bug(e.to_string()))?;
    let sql = format!(
        "INSERT INTO {} (id, tenant_id, workspace_id, dataset_id, table_id, taken_at, snapshot_hash, n_columns, \
         n_rows_estimate, n_rows_actual, parquet_object_key, parquet_byte_size, status, triggered_by, created_by, \
         schema_json, file_id, accepted_seq, job_id, claim_token) \
         SELECT $1, $2, $3, $4, t.id, {}, $6, $7, $8, $8, $9, $10, 'PARTIAL', $11, $12, $13, $14, $15, $16, $17 \
         FROM flyquery_tables t WHERE t.tenant_id = $2 AND t.workspace_id = $3 AND t.id = $5 RETURNING {}",
        SnapshotRow::TABLE,
        tx.now(),
        SnapshotRow::COLUMNS
    );
    let params = params![
        new.id,
        &scope.tenant,
        scope.workspace,
        new.dataset,
        new.table,
        new.hash.as_str(),
        new.schema.columns.len(),
        new.n_rows,
        &new.object_key,
        new.byte_size,
        new.triggered_by,
        &new.created_by,
        schema,
        new.file,
        new.accepted_seq,
        new.job,
        new.token
    ];
    let row = tx.row(&sql, params).await?;
    SnapshotRow::from_row(&row.ok_or_else(|| DbError::Missing("table".to_owned()))?)
}

/// PARTIAL → READY; false when it is not PARTIAL.
pub async fn mark_ready(tx: &Tx, id: SnapshotId) -> Result<bool, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET status = 'READY' \
         WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3 AND status = 'PARTIAL'",
        SnapshotRow::TABLE
    );
    Ok(tx.execute(&sql, params![&scope.tenant, scope.workspace, id]).await? > 0)
}

/// PARTIAL → FAILED with the reason; false when it is not PARTIAL.
pub async fn mark_failed(tx: &Tx, id: SnapshotId, failure: &serde_json::Value) -> Result<bool, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET status = 'FAILED', failure_json = $4 \
         WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3 AND status = 'PARTIAL'",
        SnapshotRow::TABLE
    );
    Ok(tx.execute(&sql, params![&scope.tenant, scope.workspace, id, failure]).await? > 0)
}

/// The snapshot of that id, whatever its status.
pub async fn get(tx: &Tx, id: SnapshotId) -> Result<Option<SnapshotRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("id", id);
    listing(filter).first(tx, SnapshotRow::from_row).await
}

/// Every snapshot of a table, oldest first.
pub async fn list(tx: &Tx, table: TableId) -> Result<Vec<SnapshotRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("table_id", table);
    listing(filter).all(tx, SnapshotRow::from_row).await
}

/// The snapshots of those ids, oldest first; unknown ids are left out.
pub async fn by_ids(tx: &Tx, ids: &[SnapshotId]) -> Result<Vec<SnapshotRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.one_of("id", ids);
    listing(filter).all(tx, SnapshotRow::from_row).await
}

/// Whether a snapshot is the only READY one of its table.
pub async fn is_first(tx: &Tx, table: TableId, id: SnapshotId) -> Result<bool, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("table_id", table);
    filter.and("status = 'READY'");
    let itself = filter.bind(id);
    filter.and(&format!("id <> {itself}"));
    let sql = format!("SELECT 1 AS one FROM {} WHERE {} LIMIT 1", SnapshotRow::TABLE, filter.sql());
    Ok(tx.row(&sql, filter.into_params()).await?.is_none())
}

/// The table's current snapshot. Its `accepted_seq` tells whether a later accepted file is current.
pub async fn current(tx: &Tx, table: TableId) -> Result<Option<SnapshotRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("table_id", table);
    filter.and("id = (SELECT t.current_snapshot_id FROM flyquery_tables t WHERE t.id = table_id)");
    listing(filter).first(tx, SnapshotRow::from_row).await
}

/// Every snapshot that a job made and that is still there, oldest first.
pub async fn of_job(tx: &Tx, job: JobId) -> Result<Vec<SnapshotRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("job_id", job);
    listing(filter).all(tx, SnapshotRow::from_row).await
}

/// Removes the PARTIAL snapshots of a job with all that hangs on them, and gives them back for their object keys.
pub async fn delete_partial_of_job(tx: &Tx, job: JobId) -> Result<Vec<SnapshotRow>, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "DELETE FROM {} WHERE tenant_id = $1 AND workspace_id = $2 AND job_id = $3 AND status = 'PARTIAL' \
         RETURNING {}",
        SnapshotRow::TABLE,
        SnapshotRow::COLUMNS
    );
    let rows = tx.rows(&sql, params![&scope.tenant, scope.workspace, job]).await?;
    rows.iter().map(SnapshotRow::from_row).collect()
}

/// The active tables of a dataset at their current snapshots, by name: what SQL sees.
pub async fn published(tx: &Tx, dataset: DatasetId) -> Result<Vec<PublishedTable>, DbError> {
    let mut filter = Filter::scoped_as(tx, "t.")?;
    filter.eq("t.dataset_id", dataset);
    filter.and("t.is_active AND s.id = t.current_snapshot_id");
    publication(filter).all(tx, read_published).await
}

/// The READY snapshots of those ids in a dataset, with their tables' names: what a pinned query sees.
pub async fn published_at(tx: &Tx, dataset: DatasetId, ids: &[SnapshotId]) -> Result<Vec<PublishedTable>, DbError> {
    let mut filter = Filter::scoped_as(tx, "t.")?;
    filter.one_of("s.id", ids);
    filter.eq("t.dataset_id", dataset);
    filter.and("t.is_active");
    publication(filter).all(tx, read_published).await
}

/// A table at its current snapshot, active or not.
pub async fn published_table(tx: &Tx, table: TableId) -> Result<Option<PublishedTable>, DbError> {
    let mut filter = Filter::scoped_as(tx, "t.")?;
    filter.eq("t.id", table);
    filter.and("s.id = t.current_snapshot_id");
    publication(filter).first(tx, read_published).await
}

fn listing(filter: Filter) -> Listing {
    Listing { columns: SnapshotRow::COLUMNS, from: SnapshotRow::TABLE, filter, order: "taken_at, id" }
}

fn publication(mut filter: Filter) -> Listing {
    filter.and("s.status = 'READY' AND s.parquet_object_key IS NOT NULL AND d.status <> 'PURGING'");
    Listing {
        columns: "s.id, s.table_id, s.schema_json, s.parquet_object_key, s.parquet_byte_size, s.n_rows_actual, t.name",
        from: "flyquery_tables t JOIN flyquery_schema_snapshots s ON s.table_id = t.id \
               JOIN flyquery_datasets d ON d.id = t.dataset_id",
        filter,
        order: "t.name, s.id",
    }
}
