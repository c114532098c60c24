//! `GET /datasets`

use axum::Json;
use axum::extract::State;
use db::datasets::{self, DatasetFilter};
use db::workspaces;
use domain::{ErrorCode, Scope, WorkspaceId, limits};

use crate::extract::{Caller, Query};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::dataset::DatasetRead;
use crate::wire::page::Paginated;

/// The workspace's datasets, newest first.
#[utoipa::path(get, path = "/api/v1/datasets", tag = "datasets", operation_id = "list_datasets",
    params(
        ("q" = Option<String>, Query, description = "Part of name or description, in any case"),
        ("name" = Option<String>, Query, description = "Exact name"),
        ("status" = Option<String>, Query, description = "ACTIVE or ARCHIVED"),
        ("workspace_id" = Option<Uuid>, Query, description = "Another workspace of the tenant; overrides the header"),
        ("limit" = Option<i64>, Query, description = "Items wanted, 1 to 1000; 100 when absent"),
        ("offset" = Option<i64>, Query, description = "Items to skip"),
    ),
    responses((status = 200, body = Paginated<DatasetRead>)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    mut query: Query,
) -> Result<Json<Paginated<DatasetRead>>, Problem> {
    let filter = DatasetFilter {
        q: query.pattern("q", limits::SEARCH_QUERY_CHARS),
        name: query.text("name"),
        status: query.parsed("status", "ACTIVE, ARCHIVED or PURGING"),
    };
    let other: Option<WorkspaceId> = query.id("workspace_id");
    let asked = query.window(100);
    query.finish()?;
    let scope = match other {
        Some(workspace) if workspace != caller.scope.workspace => own_workspace(&app, &caller, workspace).await?,
        _ => caller.scope,
    };
    let tx = app.db.scope_read(&scope).await?;
    let found = datasets::list(&tx, &filter, asked.clamp(limits::PAGE).into()).await?;
    tx.commit().await?;
    let items = found.items.into_iter().map(Into::into).collect();
    Ok(Json(Paginated::page(items, found.total as i64, asked.limit, asked.offset)))
}

/// The scope of another workspace, if it is one of the caller's tenant.
async fn own_workspace(app: &App, caller: &Caller, workspace: WorkspaceId) -> Result<Scope, Problem> {
    let tx = app.db.tenant_read(&caller.scope.tenant).await?;
    let found = workspaces::get(&tx, workspace).await?;
    tx.commit().await?;
    if found.is_none() {
        return Err(Problem::new(ErrorCode::WorkspaceNotFound).detail(format!("There is no workspace '{workspace}'.")));
    }
    Ok(Scope { tenant: caller.scope.tenant.clone(), workspace })
}
