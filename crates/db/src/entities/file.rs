//! `flyquery_files`.

use chrono::{DateTime, Utc};
use domain::{Actor, Compression, DatasetId, FileFormat, FileId, FileStatus, TenantId, WorkspaceId};

use crate::error::DbError;
use crate::row::Row;

/// An uploaded file.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the columns of contract 3.1")]
pub struct FileRow {
    pub id: FileId,
    pub tenant: TenantId,
    pub workspace: WorkspaceId,
    pub dataset: DatasetId,
    pub original_filename: String,
    /// `None` when the content was rejected before its format was known.
    pub file_format: Option<FileFormat>,
    pub compression: Compression,
    pub size_bytes: u64,
    pub content_hash_sha256: String,
    pub object_key: String,
    pub extraction_rules: serde_json::Value,
    pub uploaded_at: DateTime<Utc>,
    pub uploaded_by: Actor,
    pub status: FileStatus,
    pub error: Option<serde_json::Value>,
    /// Place in the order of acceptance (decision 40): a file accepted later has a higher one.
    pub accepted_seq: i64,
}

impl FileRow {
    pub(crate) const TABLE: &'static str = "flyquery_files";
    pub(crate) const COLUMNS: &'static str = "id, tenant_id, workspace_id, dataset_id, original_filename, \
        file_format, compression, size_bytes, content_hash_sha256, object_store_key, table_extraction_rules_json, \
        uploaded_at, uploaded_by, status, error_json, accepted_seq";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            tenant: row.get("tenant_id")?,
            workspace: row.get("workspace_id")?,
            dataset: row.get("dataset_id")?,
            original_filename: row.get("original_filename")?,
            file_format: row.get("file_format")?,
            compression: row.get("compression")?,
            size_bytes: row.get("size_bytes")?,
            content_hash_sha256: row.get("content_hash_sha256")?,
            object_key: row.get("object_store_key")?,
            extraction_rules: row.get("table_extraction_rules_json")?,
            uploaded_at: row.get("uploaded_at")?,
            uploaded_by: row.get("uploaded_by")?,
            status: row.get("status")?,
            error: row.get("error_json")?,
            accepted_seq: row.get("accepted_seq")?,
        })
    }
}
