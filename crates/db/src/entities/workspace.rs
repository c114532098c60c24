//! `flyquery_workspaces`.

use chrono::{DateTime, Utc};
use domain::{Lifecycle, Locale, TenantId, WorkspaceId};

use crate::error::DbError;
use crate::row::Row;

/// A workspace.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the columns of contract 3.1")]
pub struct WorkspaceRow {
    pub id: WorkspaceId,
    pub tenant: TenantId,
    pub slug: String,
    pub name: String,
    pub kms_key_uri: Option<String>,
    pub retention_days: Option<u32>,
    pub allow_direct_sql: bool,
    pub default_locale: Locale,
    pub storage_used_bytes: u64,
    pub status: Lifecycle,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub metadata: serde_json::Value,
}

impl WorkspaceRow {
    pub(crate) const TABLE: &'static str = "flyquery_workspaces";
    pub(crate) const COLUMNS: &'static str = "id, tenant_id, slug, name, kms_key_uri, retention_days, \
        allow_direct_sql, default_locale, storage_used_bytes, status, created_at, updated_at, metadata_json";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            tenant: row.get("tenant_id")?,
            slug: row.get("slug")?,
            name: row.get("name")?,
            kms_key_uri: row.get("kms_key_uri")?,
            retention_days: row.get("retention_days")?,
            allow_direct_sql: row.get("allow_direct_sql")?,
            default_locale: row.get("default_locale")?,
            storage_used_bytes: row.get("storage_used_bytes")?,
            status: row.get("status")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            metadata: row.get("metadata_json")?,
        })
    }
}
