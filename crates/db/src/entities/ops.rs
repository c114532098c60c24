//! `flyquery_audit_events` and `flyquery_cost_events`.

use chrono::{DateTime, Utc};
use domain::{Actor, JobId, TenantId, WorkspaceId};
use uuid::Uuid;

use crate::error::DbError;
use crate::row::Row;

/// Who did what.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the columns of contract 3.1")]
pub struct AuditRow {
    pub id: Uuid,
    pub tenant: TenantId,
    pub workspace: WorkspaceId,
    pub actor: Actor,
    pub event_type: String,
    pub resource_kind: String,
    pub resource_id: Option<String>,
    pub correlation_id: Option<String>,
    pub payload: Option<serde_json::Value>,
    pub created_at: DateTime<Utc>,
}

impl AuditRow {
    pub(crate) const TABLE: &'static str = "flyquery_audit_events";
    pub(crate) const COLUMNS: &'static str = "id, tenant_id, workspace_id, actor, event_type, resource_kind, \
        resource_id, correlation_id, payload_json, created_at";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            tenant: row.get("tenant_id")?,
            workspace: row.get("workspace_id")?,
            actor: row.get("actor")?,
            event_type: row.get("event_type")?,
            resource_kind: row.get("resource_kind")?,
            resource_id: row.get("resource_id")?,
            correlation_id: row.get("correlation_id")?,
            payload: row.get("payload_json")?,
            created_at: row.get("created_at")?,
        })
    }
}

/// What something cost.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the columns of contract 3.1")]
pub struct CostRow {
    pub id: Uuid,
    pub tenant: TenantId,
    pub workspace: WorkspaceId,
    pub actor: Actor,
    pub model: Option<String>,
    pub operation: String,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// A decimal number.
    pub cost_cents: String,
    pub job: Option<JobId>,
    pub query: Option<Uuid>,
    pub correlation_id: Option<String>,
    pub created_at: DateTime<Utc>,
}

impl CostRow {
    pub(crate) const TABLE: &'static str = "flyquery_cost_events";
    pub(crate) const COLUMNS: &'static str = "id, tenant_id, workspace_id, actor, model, operation, input_tokens, \
        output_tokens, CAST(cost_cents AS text) AS cost_cents, ingest_job_id, query_id, correlation_id, created_at";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            tenant: row.get("tenant_id")?,
            workspace: row.get("workspace_id")?,
            actor: row.get("actor")?,
            model: row.get("model")?,
            operation: row.get("operation")?,
            input_tokens: row.get("input_tokens")?,
            output_tokens: row.get("output_tokens")?,
            cost_cents: row.get("cost_cents")?,
            job: row.get("ingest_job_id")?,
            query: row.get("query_id")?,
            correlation_id: row.get("correlation_id")?,
            created_at: row.get("created_at")?,
        })
    }
}
