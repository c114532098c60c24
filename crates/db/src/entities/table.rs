//! `flyquery_tables`.

use chrono::{DateTime, Utc};
use domain::semantic::DescriptionSource;
use domain::table::TableKind;
use domain::{DatasetId, FileId, Locale, SnapshotId, TableId, TenantId, WorkspaceId};

use crate::error::DbError;
use crate::row::Row;

/// A table.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the columns of contract 3.1")]
pub struct TableRow {
    pub id: TableId,
    pub tenant: TenantId,
    pub workspace: WorkspaceId,
    pub dataset: DatasetId,
    pub source_file: Option<FileId>,
    pub name: String,
    pub qualified_name: String,
    pub kind: TableKind,
    pub sheet_or_json_path: Option<String>,
    /// `None` until a first snapshot is READY; such a table is not shown to anyone.
    pub current_snapshot: Option<SnapshotId>,
    pub description: Option<String>,
    pub description_source: Option<DescriptionSource>,
    pub business_owner: Option<String>,
    pub governance: Option<serde_json::Value>,
    pub locale_override: Option<Locale>,
    pub is_active: bool,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub archived_at: Option<DateTime<Utc>>,
    /// Of the current snapshot.
    pub n_columns: Option<u64>,
}

impl TableRow {
    pub(crate) const TABLE: &'static str = "flyquery_tables";
    pub(crate) const COLUMNS: &'static str = "id, tenant_id, workspace_id, dataset_id, source_file_id, name, \
        qualified_name, kind, sheet_or_json_path, current_snapshot_id, description, description_source, \
        business_owner, governance_json, locale_override, is_active, created_at, updated_at, archived_at, \
        (SELECT s.n_columns FROM flyquery_schema_snapshots s WHERE s.id = current_snapshot_id) AS n_columns";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            tenant: row.get("tenant_id")?,
            workspace: row.get("workspace_id")?,
            dataset: row.get("dataset_id")?,
            source_file: row.get("source_file_id")?,
            name: row.get("name")?,
            qualified_name: row.get("qualified_name")?,
            kind: row.get("kind")?,
            sheet_or_json_path: row.get("sheet_or_json_path")?,
            current_snapshot: row.get("current_snapshot_id")?,
            description: row.get("description")?,
            description_source: row.get("description_source")?,
            business_owner: row.get("business_owner")?,
            governance: row.get("governance_json")?,
            locale_override: row.get("locale_override")?,
            is_active: row.get("is_active")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            archived_at: row.get("archived_at")?,
            n_columns: row.get("n_columns")?,
        })
    }
}
