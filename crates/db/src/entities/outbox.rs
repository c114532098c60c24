//! `flyquery_event_outbox`.

use chrono::{DateTime, Utc};
use domain::{TenantId, WorkspaceId};
use uuid::Uuid;

use crate::error::DbError;
use crate::row::Row;

/// A bus event that was committed with the change it tells of.
#[derive(Clone, PartialEq, Debug)]
pub struct OutboxRow {
    /// Stable id to dedupe on.
    pub id: Uuid,
    /// Whose event it is.
    pub tenant: TenantId,
    /// In which workspace.
    pub workspace: WorkspaceId,
    /// Destination.
    pub topic: String,
    /// What happened.
    pub event_type: String,
    /// Its facts.
    pub payload: serde_json::Value,
    /// When it was committed.
    pub created_at: DateTime<Utc>,
    /// How often it was taken out to be sent.
    pub attempts: u32,
}

impl OutboxRow {
    pub(crate) const COLUMNS: &'static str =
        "id, tenant_id, workspace_id, topic, event_type, payload_json, created_at, attempts";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            tenant: row.get("tenant_id")?,
            workspace: row.get("workspace_id")?,
            topic: row.get("topic")?,
            event_type: row.get("event_type")?,
            payload: row.get("payload_json")?,
            created_at: row.get("created_at")?,
            attempts: row.get("attempts")?,
        })
    }
}
