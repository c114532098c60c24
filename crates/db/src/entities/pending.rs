//! `flyquery_pending_objects`.

use chrono::{DateTime, Utc};
use domain::{ClaimToken, DatasetId, JobId, TenantId, WorkspaceId};

use crate::error::DbError;
use crate::row::Row;

/// A key that may have been written to the object store and that no commit has named yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingRow {
    /// The key.
    pub object_key: String,
    /// Whose object it is.
    pub tenant: TenantId,
    /// In which workspace.
    pub workspace: WorkspaceId,
    /// In which dataset.
    pub dataset: Option<DatasetId>,
    /// The job whose claim writes it; `None` for an upload that has no job yet.
    pub job: Option<JobId>,
    /// The token of that claim.
    pub token: Option<ClaimToken>,
    /// When its writer last showed life.
    pub touched_at: DateTime<Utc>,
}

impl PendingRow {
    pub(crate) const COLUMNS: &'static str =
        "object_key, tenant_id, workspace_id, dataset_id, job_id, claim_token, touched_at";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            object_key: row.get("object_key")?,
            tenant: row.get("tenant_id")?,
            workspace: row.get("workspace_id")?,
            dataset: row.get("dataset_id")?,
            job: row.get("job_id")?,
            token: row.get("claim_token")?,
            touched_at: row.get("touched_at")?,
        })
    }
}
