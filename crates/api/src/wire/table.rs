//! Tables, their snapshots and changes, and pages of their rows.

use chrono::{DateTime, Utc};
use db::{ChangeRow, SnapshotRow, TableRow};
use domain::Column;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::words;

/// A table.
#[derive(Debug, Serialize, ToSchema)]
pub struct TableRead {
    /// Id.
    pub id: Uuid,
    /// Tenant.
    pub tenant_id: String,
    /// Workspace.
    pub workspace_id: Uuid,
    /// Dataset.
    pub dataset_id: Uuid,
    /// The file of its current snapshot.
    pub source_file_id: Option<Uuid>,
    /// Name inside the dataset; what SQL calls it.
    pub name: String,
    /// `<dataset>.<table>`.
    pub qualified_name: String,
    /// UPLOADED or DERIVED.
    #[schema(value_type = words::TableKind)]
    pub kind: String,
    /// Where in its file it came from.
    pub sheet_or_json_path: Option<String>,
    /// The snapshot that answers queries.
    pub current_snapshot_id: Option<Uuid>,
    /// What it holds.
    pub description: Option<String>,
    /// Who says so.
    pub description_source: Option<String>,
    /// Who answers for it.
    pub business_owner: Option<String>,
    /// Whether it is listed and queried.
    pub is_active: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// Columns of the current snapshot.
    pub n_columns: Option<u64>,
}

impl From<TableRow> for TableRead {
    fn from(row: TableRow) -> Self {
        Self {
            id: row.id.0,
            tenant_id: row.tenant.to_string(),
            workspace_id: row.workspace.0,
            dataset_id: row.dataset.0,
            source_file_id: row.source_file.map(|id| id.0),
            name: row.name,
            qualified_name: row.qualified_name,
            kind: row.kind.to_string(),
            sheet_or_json_path: row.sheet_or_json_path,
            current_snapshot_id: row.current_snapshot.map(|id| id.0),
            description: row.description,
            description_source: row.description_source.map(|source| source.to_string()),
            business_owner: row.business_owner,
            is_active: row.is_active,
            created_at: row.created_at,
            updated_at: row.updated_at,
            n_columns: row.n_columns,
        }
    }
}

/// One version of a table.
#[derive(Debug, Serialize, ToSchema)]
pub struct SnapshotRead {
    /// Id.
    pub id: Uuid,
    /// Table.
    pub table_id: Uuid,
    /// When it was taken.
    pub taken_at: DateTime<Utc>,
    /// Columns.
    pub n_columns: u64,
    /// Rows.
    pub n_rows_actual: Option<u64>,
    /// Same as `n_rows_actual`.
    pub n_rows_estimate: Option<u64>,
    /// Bytes of its Parquet file.
    pub parquet_byte_size: Option<u64>,
    /// PARTIAL, READY or FAILED.
    #[schema(value_type = words::SnapshotStatus)]
    pub status: String,
    /// Who caused it.
    #[schema(value_type = words::TriggeredBy)]
    pub triggered_by: String,
}

impl From<SnapshotRow> for SnapshotRead {
    fn from(row: SnapshotRow) -> Self {
        Self {
            id: row.id.0,
            table_id: row.table.0,
            taken_at: row.taken_at,
            n_columns: row.n_columns,
            n_rows_actual: row.n_rows_actual,
            n_rows_estimate: row.n_rows_estimate,
            parquet_byte_size: row.byte_size,
            status: row.status.to_string(),
            triggered_by: row.triggered_by.to_string(),
        }
    }
}

/// One difference between two snapshots.
#[derive(Debug, Serialize, ToSchema)]
pub struct SchemaChangeRead {
    /// Id.
    pub id: Uuid,
    /// Table.
    pub table_id: Uuid,
    /// The older snapshot.
    pub prev_snapshot_id: Option<Uuid>,
    /// The newer snapshot.
    pub next_snapshot_id: Uuid,
    /// Column; the old name of a renamed one.
    pub column_name: String,
    /// What happened to it.
    #[schema(value_type = words::ChangeKind)]
    pub change: String,
    /// As it was.
    #[schema(value_type = Option<Object>)]
    pub before_json: Option<Value>,
    /// As it is.
    #[schema(value_type = Option<Object>)]
    pub after_json: Option<Value>,
    /// Why it is taken for a rename.
    pub llm_rationale: Option<String>,
    /// Who confirmed a rename.
    pub approved_by: Option<String>,
    /// When.
    pub approved_at: Option<DateTime<Utc>>,
    /// When it was found.
    pub created_at: DateTime<Utc>,
}

impl From<ChangeRow> for SchemaChangeRead {
    fn from(row: ChangeRow) -> Self {
        Self {
            id: row.id.0,
            table_id: row.table.0,
            prev_snapshot_id: row.prev_snapshot.map(|id| id.0),
            next_snapshot_id: row.next_snapshot.0,
            column_name: row.column_name,
            change: row.change.to_string(),
            before_json: row.before,
            after_json: row.after,
            llm_rationale: row.rationale,
            approved_by: row.approved_by.map(|actor| actor.0),
            approved_at: row.approved_at,
            created_at: row.created_at,
        }
    }
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ColumnRead {
    /// Name.
    pub name: String,
    /// SQL type.
    pub data_type: String,
    /// Whether values may be missing.
    pub is_nullable: bool,
}

impl From<Column> for ColumnRead {
    fn from(column: Column) -> Self {
        Self { data_type: column.sql_type.to_string(), name: column.name, is_nullable: column.nullable }
    }
}

/// A page of a table's rows in file order.
#[derive(Debug, Serialize, ToSchema)]
pub struct TableRows {
    /// Table.
    pub table_id: Uuid,
    /// The snapshot that answers.
    pub snapshot_id: Uuid,
    /// Columns in order.
    pub columns: Vec<ColumnRead>,
    /// Values in the columns' order, one list a row.
    #[schema(value_type = Vec<Vec<Value>>)]
    pub rows: Vec<Vec<Value>>,
    /// Rows in all.
    pub total: u64,
    /// Rows asked for, at most 1000.
    pub limit: i64,
    /// Rows skipped.
    pub offset: i64,
    /// Whether more follow.
    pub has_more: bool,
}
