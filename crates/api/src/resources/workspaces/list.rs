//! `GET /workspaces`

use axum::Json;
use axum::extract::State;
use db::workspaces::{self, WorkspaceFilter};
use domain::limits;

use crate::extract::{Query, Tenant};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::page::Paginated;
use crate::wire::workspace::WorkspaceRead;

/// The tenant's workspaces, newest first.
#[utoipa::path(get, path = "/api/v1/workspaces", tag = "workspaces", operation_id = "list_workspaces",
    params(
        ("q" = Option<String>, Query, description = "Part of slug or name, in any case"),
        ("slug" = Option<String>, Query, description = "Exact slug"),
        ("status" = Option<String>, Query, description = "ACTIVE or ARCHIVED"),
        ("limit" = Option<i64>, Query, description = "Items wanted, 1 to 1000; 100 when absent"),
        ("offset" = Option<i64>, Query, description = "Items to skip"),
    ),
    responses((status = 200, body = Paginated<WorkspaceRead>)))]
pub async fn list(
    State(app): State<App>,
    caller: Tenant,
    mut query: Query,
) -> Result<Json<Paginated<WorkspaceRead>>, Problem> {
    let filter = WorkspaceFilter {
        q: query.pattern("q", limits::SEARCH_QUERY_CHARS),
        slug: query.text("slug"),
        status: query.parsed("status", "ACTIVE, ARCHIVED or PURGING"),
    };
    let asked = query.window(100);
    query.finish()?;
    let tx = app.db.tenant_read(&caller.tenant).await?;
    let found = workspaces::list(&tx, &filter, asked.clamp(limits::PAGE).into()).await?;
    tx.commit().await?;
    let items = found.items.into_iter().map(Into::into).collect();
    Ok(Json(Paginated::page(items, found.total as i64, asked.limit, asked.offset)))
}
