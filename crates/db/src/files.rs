//! Uploaded files.

use domain::{Actor, Compression, DatasetId, FileFormat, FileId, FileStatus};

use crate::dialect::Dialect;
use crate::entities::FileRow;
use crate::error::DbError;
use crate::page::{Filter, Listing, Page, Paged};
use crate::params;
use crate::tx::Tx;

/// A file to be recorded.
#[derive(Clone, PartialEq, Debug)]
pub struct NewFile {
    /// Its id.
    pub id: FileId,
    /// Where it goes.
    pub dataset: DatasetId,
    /// As its sender calls it.
    pub original_filename: String,
    /// Its format, when it is known.
    pub file_format: Option<FileFormat>,
    /// Its wrapper.
    pub compression: Compression,
    /// Bytes as they arrived.
    pub size_bytes: u64,
    /// Hexadecimal.
    pub content_hash_sha256: String,
    /// Where the original is.
    pub object_key: String,
    /// How tables are found in it.
    pub extraction_rules: serde_json::Value,
    /// Who sent it.
    pub uploaded_by: Actor,
}

/// Records a file and gives it its place in the order of acceptance. [`DbError::Missing`] when its dataset is gone.
pub async fn insert(tx: &Tx, new: &NewFile) -> Result<FileRow, DbError> {
    let scope = tx.scope()?;
    // SQLite has no sequences, and one writer at a time
    let accepted = match tx.dialect() {
        Dialect::Sqlite => "(SELECT COALESCE(MAX(f.accepted_seq), 0) + 1 FROM flyquery_files f)",
        Dialect::Postgres => "nextval(pg_get_serial_sequence('flyquery_files', 'accepted_seq'))",
    };
    let sql = format!(
        "INSERT INTO {} (id, tenant_id, workspace_id, dataset_id, original_filename, file_format, compression, \
         size_bytes, content_hash_sha256, object_store_key, table_extraction_rules_json, uploaded_by, uploaded_at, \
         accepted_seq) SELECT $1, $2, $3, d.id, $5, $6, $7, $8, $9, $10, $11, $12, {}, {accepted} \
         FROM flyquery_datasets d WHERE d.tenant_id = $2 AND d.workspace_id = $3 AND d.id = $4 RETURNING {}",
        FileRow::TABLE,
        tx.now(),
        FileRow::COLUMNS
    );
    let params = params![
        new.id,
        &scope.tenant,
        scope.workspace,
        new.dataset,
        new.original_filename.as_str(),
        new.file_format,
        new.compression,
        new.size_bytes,
        new.content_hash_sha256.as_str(),
        new.object_key.as_str(),
        &new.extraction_rules,
        &new.uploaded_by
    ];
    let row = tx.row(&sql, params).await?;
    FileRow::from_row(&row.ok_or_else(|| DbError::Missing("dataset".to_owned()))?)
}

/// The file of that id, also when it is marked DELETED.
pub async fn get(tx: &Tx, id: FileId) -> Result<Option<FileRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("id", id);
    listing(filter).first(tx, FileRow::from_row).await
}

/// A page of a dataset's files that are not DELETED, newest first.
pub async fn list(tx: &Tx, dataset: DatasetId, page: Page) -> Result<Paged<FileRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("dataset_id", dataset);
    filter.and("status <> 'DELETED'");
    listing(filter).page(tx, page, FileRow::from_row).await
}

/// Sets where the file stands, and why when it failed; false when there is no such file, or it is DELETED.
pub async fn set_status(
    tx: &Tx,
    id: FileId,
    status: FileStatus,
    error: Option<&serde_json::Value>,
) -> Result<bool, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET status = $4, error_json = $5 \
         WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3 AND status <> 'DELETED'",
        FileRow::TABLE
    );
    Ok(tx.execute(&sql, params![&scope.tenant, scope.workspace, id, status, error]).await? > 0)
}

/// Records what the file turned out to be; false when there is no such file.
pub async fn set_format(tx: &Tx, id: FileId, format: FileFormat, compression: Compression) -> Result<bool, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET file_format = $4, compression = $5 WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3",
        FileRow::TABLE
    );
    Ok(tx.execute(&sql, params![&scope.tenant, scope.workspace, id, format, compression]).await? > 0)
}

fn listing(filter: Filter) -> Listing {
    Listing { columns: FileRow::COLUMNS, from: FileRow::TABLE, filter, order: "accepted_seq DESC" }
}
