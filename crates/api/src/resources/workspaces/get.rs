//! `GET /workspaces/{workspace_id}` and `GET /workspaces/by-slug/{slug}`

use axum::Json;
use axum::extract::State;
use db::workspaces;
use domain::WorkspaceId;

use crate::extract::{Segments, Tenant};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::workspace::WorkspaceRead;

/// A workspace by its id.
#[utoipa::path(get, path = "/api/v1/workspaces/{workspace_id}", tag = "workspaces", operation_id = "get_workspace",
    params(("workspace_id" = Uuid, Path, description = "Workspace")),
    responses((status = 200, body = WorkspaceRead)))]
pub async fn by_id(State(app): State<App>, caller: Tenant, path: Segments) -> Result<Json<WorkspaceRead>, Problem> {
    let id: WorkspaceId = path.id("workspace_id")?;
    let tx = app.db.tenant_read(&caller.tenant).await?;
    let row = workspaces::get(&tx, id).await?.ok_or_else(|| Problem::no_workspace(id))?;
    tx.commit().await?;
    Ok(Json(row.into()))
}

/// A workspace by its slug.
#[utoipa::path(get, path = "/api/v1/workspaces/by-slug/{slug}", tag = "workspaces",
    operation_id = "get_workspace_by_slug", params(("slug" = String, Path, description = "Slug")),
    responses((status = 200, body = WorkspaceRead)))]
pub async fn by_slug(State(app): State<App>, caller: Tenant, path: Segments) -> Result<Json<WorkspaceRead>, Problem> {
    let slug = path.text("slug")?;
    let tx = app.db.tenant_read(&caller.tenant).await?;
    let row = workspaces::by_slug(&tx, slug).await?.ok_or_else(|| Problem::no_workspace(slug))?;
    tx.commit().await?;
    Ok(Json(row.into()))
}
