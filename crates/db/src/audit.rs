//! Audit events: who did what. Written in the transaction of what was done.

use chrono::{DateTime, Utc};
use domain::{Actor, WorkspaceId};
use uuid::Uuid;

use crate::entities::AuditRow;
use crate::error::DbError;
use crate::page::{Filter, Listing, Page, Paged};
use crate::params;
use crate::tx::Tx;

/// An event to be recorded.
#[derive(Clone, PartialEq, Debug)]
pub struct NewAudit {
    /// Its id.
    pub id: Uuid,
    /// Who did it.
    pub actor: Actor,
    /// What was done, for example `dataset.created`.
    pub event_type: String,
    /// What it was done to.
    pub resource_kind: String,
    /// Which one.
    pub resource_id: Option<String>,
    /// Ties it to the request.
    pub correlation_id: Option<String>,
    /// Its facts; no cell's text.
    pub payload: serde_json::Value,
}

/// Which events a list shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AuditFilter {
    /// Of one type.
    pub event_type: Option<String>,
    /// By one actor.
    pub actor: Option<String>,
    /// On one kind of resource.
    pub resource_kind: Option<String>,
    /// From here on, included.
    pub from: Option<DateTime<Utc>>,
    /// Up to here, excluded.
    pub to: Option<DateTime<Utc>>,
}

/// Records an event. The transaction may be bound to the tenant only, for what is done to workspaces themselves.
pub async fn insert(tx: &Tx, workspace: WorkspaceId, new: &NewAudit) -> Result<(), DbError> {
    let sql = format!(
        "INSERT INTO {} (id, tenant_id, workspace_id, actor, event_type, resource_kind, resource_id, \
         correlation_id, payload_json, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {})",
        AuditRow::TABLE,
        tx.now()
    );
    let params = params![
        new.id,
        tx.tenant()?,
        workspace,
        &new.actor,
        new.event_type.as_str(),
        new.resource_kind.as_str(),
        &new.resource_id,
        &new.correlation_id,
        &new.payload
    ];
    tx.execute(&sql, params).await?;
    Ok(())
}

/// A page of the workspace's events, newest first.
pub async fn list(tx: &Tx, wanted: &AuditFilter, page: Page) -> Result<Paged<AuditRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq_if("event_type", wanted.event_type.as_deref());
    filter.eq_if("actor", wanted.actor.as_deref());
    filter.eq_if("resource_kind", wanted.resource_kind.as_deref());
    filter.between("created_at", wanted.from, wanted.to);
    let order = "created_at DESC, id DESC";
    Listing { columns: AuditRow::COLUMNS, from: AuditRow::TABLE, filter, order }
        .page(tx, page, AuditRow::from_row)
        .await
}
