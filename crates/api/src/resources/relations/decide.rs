//! `POST /relations/{relation_id}:approve` and `:reject`. Whatever stood before, the last decision counts.

use axum::Json;
use axum::extract::State;
use db::{RelationRow, relations};
use domain::RelationId;
use domain::semantic::RelationStatus;
use serde_json::json;

use crate::extract::{Caller, Segments};
use crate::problem::Problem;
use crate::resources::{Deed, note};
use crate::state::App;
use crate::wire::relation::{RelationApprovalRead, RelationRejectionRead};

/// Confirms a relation. No later pass overwrites it.
#[utoipa::path(post, path = "/api/v1/relations/{relation_id}:approve", tag = "relations",
    operation_id = "approve_relation", params(("relation_id" = Uuid, Path, description = "Relation")),
    responses((status = 200, body = RelationApprovalRead)))]
pub async fn approve(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
) -> Result<Json<RelationApprovalRead>, Problem> {
    let row = decide(&app, &caller, path.id("relation_id")?, RelationStatus::Approved).await?;
    Ok(Json(RelationApprovalRead {
        id: row.id.0,
        status: row.status.to_string(),
        approved_by: row.approved_by.map(|actor| actor.0),
        updated_at: row.updated_at,
    }))
}

/// Refuses a relation. No later pass proposes it again.
#[utoipa::path(post, path = "/api/v1/relations/{relation_id}:reject", tag = "relations",
    operation_id = "reject_relation", params(("relation_id" = Uuid, Path, description = "Relation")),
    responses((status = 200, body = RelationRejectionRead)))]
pub async fn reject(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
) -> Result<Json<RelationRejectionRead>, Problem> {
    let row = decide(&app, &caller, path.id("relation_id")?, RelationStatus::Rejected).await?;
    Ok(Json(RelationRejectionRead { id: row.id.0, status: row.status.to_string(), updated_at: row.updated_at }))
}

async fn decide(app: &App, caller: &Caller, id: RelationId, status: RelationStatus) -> Result<RelationRow, Problem> {
    let approved = status == RelationStatus::Approved;
    let person = caller.actor_or_tenant();
    let tx = app.db.scope(&caller.scope).await?;
    let row = relations::set_status(&tx, id, status, approved.then_some(&person))
        .await?
        .ok_or_else(|| Problem::not_found("relation", id))?;
    let deed = Deed {
        event_type: if approved { "relation.approved" } else { "relation.rejected" },
        resource_kind: "relation",
        resource_id: id.to_string(),
        payload: json!({ "status": status }),
    };
    note(app, &tx, caller.scope.workspace, &caller.who, deed).await?;
    tx.commit().await?;
    Ok(row)
}
