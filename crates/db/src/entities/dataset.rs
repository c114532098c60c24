//! `flyquery_datasets`.

use chrono::{DateTime, Utc};
use domain::{DatasetId, DriftPolicy, Lifecycle, Locale, TenantId, WorkspaceId};

use crate::error::DbError;
use crate::row::Row;

/// A dataset.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the columns of contract 3.1")]
pub struct DatasetRow {
    pub id: DatasetId,
    pub tenant: TenantId,
    pub workspace: WorkspaceId,
    pub name: String,
    pub description: Option<String>,
    pub drift_policy: DriftPolicy,
    pub default_locale: Option<Locale>,
    pub ingest_policy: serde_json::Value,
    pub status: Lifecycle,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub metadata: serde_json::Value,
}

impl DatasetRow {
    pub(crate) const TABLE: &'static str = "flyquery_datasets";
    pub(crate) const COLUMNS: &'static str = "id, tenant_id, workspace_id, name, description, drift_policy, \
        default_locale, ingest_policy_json, status, created_at, updated_at, metadata_json";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            tenant: row.get("tenant_id")?,
            workspace: row.get("workspace_id")?,
            name: row.get("name")?,
            description: row.get("description")?,
            drift_policy: row.get("drift_policy")?,
            default_locale: row.get("default_locale")?,
            ingest_policy: row.get("ingest_policy_json")?,
            status: row.get("status")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            metadata: row.get("metadata_json")?,
        })
    }
}
