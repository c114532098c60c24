//! `PUT /workspaces/{workspace_id}`

use axum::Json;
use axum::extract::State;
use db::workspaces::{self, WorkspaceUpdate as Changes};
use domain::{Locale, WorkspaceId};
use serde_json::json;

use crate::extract::{Body, Segments, Tenant};
use crate::problem::Problem;
use crate::resources::{Deed, note};
use crate::state::App;
use crate::wire::workspace::{WorkspaceRead, WorkspaceUpdate};

/// Changes a workspace; null leaves a field unchanged.
#[utoipa::path(put, path = "/api/v1/workspaces/{workspace_id}", tag = "workspaces", operation_id = "update_workspace",
    params(("workspace_id" = Uuid, Path, description = "Workspace")), request_body = WorkspaceUpdate,
    responses((status = 200, body = WorkspaceRead)))]
pub async fn update(
    State(app): State<App>,
    caller: Tenant,
    path: Segments,
    Body(body): Body<WorkspaceUpdate>,
) -> Result<Json<WorkspaceRead>, Problem> {
    let id: WorkspaceId = path.id("workspace_id")?;
    let changes = Changes {
        name: body.name,
        kms_key_uri: body.kms_key_uri,
        retention_days: body.retention_days,
        allow_direct_sql: body.allow_direct_sql,
        default_locale: body.default_locale.map(Locale::new),
        metadata: body.metadata_json,
    };
    let tx = app.db.tenant(&caller.tenant).await?;
    let row = workspaces::update(&tx, id, &changes).await?.ok_or_else(|| Problem::no_workspace(id))?;
    let deed = Deed {
        event_type: "workspace.updated",
        resource_kind: "workspace",
        resource_id: id.to_string(),
        payload: json!({ "allow_direct_sql": row.allow_direct_sql }),
    };
    note(&app, &tx, id, &caller.who, deed).await?;
    tx.commit().await?;
    Ok(Json(row.into()))
}
