//! `DELETE /relations/{relation_id}`

use axum::Json;
use axum::extract::State;
use db::relations;
use domain::RelationId;
use serde_json::json;

use crate::extract::{Caller, Segments};
use crate::problem::Problem;
use crate::resources::{Deed, note};
use crate::state::App;
use crate::wire::relation::RelationRead;

/// Forgets a relation; a later pass may propose it again. To keep it away, reject it.
#[utoipa::path(delete, path = "/api/v1/relations/{relation_id}", tag = "relations",
    operation_id = "delete_relation", params(("relation_id" = Uuid, Path, description = "Relation")),
    responses((status = 200, body = RelationRead)))]
pub async fn delete(State(app): State<App>, caller: Caller, path: Segments) -> Result<Json<RelationRead>, Problem> {
    let id: RelationId = path.id("relation_id")?;
    let tx = app.db.scope(&caller.scope).await?;
    let row = relations::get(&tx, id).await?.ok_or_else(|| Problem::not_found("relation", id))?;
    relations::delete(&tx, id).await?;
    let deed = Deed {
        event_type: "relation.deleted",
        resource_kind: "relation",
        resource_id: id.to_string(),
        payload: json!({ "kind": row.kind, "status": row.status }),
    };
    note(&app, &tx, caller.scope.workspace, &caller.who, deed).await?;
    tx.commit().await?;
    Ok(Json(row.into()))
}
