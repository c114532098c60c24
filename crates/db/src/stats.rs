//! Counts of a workspace.

use crate::error::DbError;
use crate::params;
use crate::tx::Tx;

/// What a workspace holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkspaceStats {
    /// Bytes of originals and current Parquet.
    pub storage_used_bytes: u64,
    /// ACTIVE datasets.
    pub dataset_count: u64,
    /// Active published tables of ACTIVE datasets.
    pub table_count: u64,
    /// Jobs PENDING or RUNNING.
    pub ingest_job_count_pending: u64,
}

/// Counts what the transaction's workspace holds.
pub async fn workspace(tx: &Tx) -> Result<WorkspaceStats, DbError> {
    let scope = tx.scope()?;
    let sql = "SELECT \
        (SELECT w.storage_used_bytes FROM flyquery_workspaces w WHERE w.tenant_id = $1 AND w.id = $2) AS bytes, \
        (SELECT count(*) FROM flyquery_datasets d WHERE d.tenant_id = $1 AND d.workspace_id = $2 \
            AND d.status = 'ACTIVE') AS datasets, \
        (SELECT count(*) FROM flyquery_tables t JOIN flyquery_datasets d ON d.id = t.dataset_id \
            WHERE t.tenant_id = $1 AND t.workspace_id = $2 AND t.is_active AND t.current_snapshot_id IS NOT NULL \
            AND d.status = 'ACTIVE') AS tables, \
        (SELECT count(*) FROM flyquery_ingest_jobs j WHERE j.tenant_id = $1 AND j.workspace_id = $2 \
            AND j.status IN ('PENDING', 'RUNNING')) AS jobs";
    let row = tx.row(sql, params![&scope.tenant, scope.workspace]).await?;
    let row = row.ok_or_else(|| DbError::Bug("a SELECT without FROM gave no row".to_owned()))?;
    Ok(WorkspaceStats {
        storage_used_bytes: row.get::<Option<u64>>("bytes")?.unwrap_or(0),
        dataset_count: row.get("datasets")?,
        table_count: row.get("tables")?,
        ingest_job_count_pending: row.get("jobs")?,
    })
}
