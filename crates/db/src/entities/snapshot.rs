//! `flyquery_schema_snapshots`.

use chrono::{DateTime, Utc};
use domain::table::{PublishedTable, SnapshotStatus, TriggeredBy};
use domain::{Actor, ClaimToken, DatasetId, FileId, JobId, Schema, SnapshotId, TableId};

use crate::error::DbError;
use crate::row::Row;

/// One version of a table.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the columns of contract 3.1")]
pub struct SnapshotRow {
    pub id: SnapshotId,
    pub dataset: DatasetId,
    pub table: TableId,
    pub taken_at: DateTime<Utc>,
    /// SHA-256 of the sorted (name, type) pairs, hexadecimal.
    pub hash: String,
    pub n_columns: u64,
    pub n_rows_estimate: Option<u64>,
    pub n_rows_actual: Option<u64>,
    pub object_key: Option<String>,
    pub byte_size: Option<u64>,
    pub status: SnapshotStatus,
    pub failure: Option<serde_json::Value>,
    pub triggered_by: TriggeredBy,
    pub created_by: Actor,
    /// The columns in their order.
    pub schema: Schema,
    pub file: Option<FileId>,
    /// The file's place in the order of acceptance; `None` when no file is behind it.
    pub accepted_seq: Option<i64>,
    /// The job and claim that made it.
    pub job: Option<JobId>,
    pub token: Option<ClaimToken>,
}

impl SnapshotRow {
    pub(crate) const TABLE: &'static str = "flyquery_schema_snapshots";
    pub(crate) const COLUMNS: &'static str = "id, dataset_id, table_id, taken_at, snapshot_hash, n_columns, \
        n_rows_estimate, n_rows_actual, parquet_object_key, parquet_byte_size, status, failure_json, triggered_by, \
        created_by, schema_json, file_id, accepted_seq, job_id, claim_token";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            dataset: row.get("dataset_id")?,
            table: row.get("table_id")?,
            taken_at: row.get("taken_at")?,
            hash: row.get("snapshot_hash")?,
            n_columns: row.get("n_columns")?,
            n_rows_estimate: row.get("n_rows_estimate")?,
            n_rows_actual: row.get("n_rows_actual")?,
            object_key: row.get("parquet_object_key")?,
            byte_size: row.get("parquet_byte_size")?,
            status: row.get("status")?,
            failure: row.get("failure_json")?,
            triggered_by: row.get("triggered_by")?,
            created_by: row.get("created_by")?,
            schema: super::json(row, "schema_json")?,
            file: row.get("file_id")?,
            accepted_seq: row.get("accepted_seq")?,
            job: row.get("job_id")?,
            token: row.get("claim_token")?,
        })
    }
}

/// A READY snapshot with its table's name, as queries see it.
pub(crate) fn published(row: &Row) -> Result<PublishedTable, DbError> {
    Ok(PublishedTable {
        table_id: row.get("table_id")?,
        snapshot_id: row.get("id")?,
        name: row.get("name")?,
        schema: super::json(row, "schema_json")?,
        object_key: row.get("parquet_object_key")?,
        byte_size: row.get::<Option<u64>>("parquet_byte_size")?.unwrap_or(0),
        n_rows: row.get::<Option<u64>>("n_rows_actual")?.unwrap_or(0),
    })
}
