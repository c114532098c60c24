//! `GET /tables` and `GET /datasets/{dataset_id}/tables`

use axum::Json;
use axum::extract::State;
use db::datasets;
use db::tables::{self, TableFilter};
use domain::{DatasetId, limits};

use crate::extract::{Caller, Query, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::page::Paginated;
use crate::wire::table::TableRead;

/// A dataset's active tables, oldest first.
#[utoipa::path(get, path = "/api/v1/datasets/{dataset_id}/tables", tag = "tables",
    operation_id = "list_dataset_tables", params(("dataset_id" = Uuid, Path, description = "Dataset")),
    responses((status = 200, body = Paginated<TableRead>)))]
pub async fn of_dataset(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
) -> Result<Json<Paginated<TableRead>>, Problem> {
    let id: DatasetId = path.id("dataset_id")?;
    let tx = app.db.scope_read(&caller.scope).await?;
    datasets::get(&tx, id).await?.ok_or_else(|| Problem::not_found("dataset", id))?;
    let rows = tables::list_active(&tx, id).await?;
    tx.commit().await?;
    Ok(Json(Paginated::whole(rows.into_iter().map(Into::into).collect())))
}

/// The workspace's tables, newest first.
#[utoipa::path(get, path = "/api/v1/tables", tag = "tables", operation_id = "list_tables",
    params(
        ("q" = Option<String>, Query, description = "Part of name or qualified name, in any case"),
        ("name" = Option<String>, Query, description = "Exact name"),
        ("dataset_id" = Option<Uuid>, Query, description = "Dataset"),
        ("kind" = Option<String>, Query, description = "UPLOADED or DERIVED"),
        ("is_active" = Option<bool>, Query, description = "true when absent; false lists only inactive ones"),
        ("limit" = Option<i64>, Query, description = "Items wanted, 1 to 1000; 100 when absent"),
        ("offset" = Option<i64>, Query, description = "Items to skip"),
    ),
    responses((status = 200, body = Paginated<TableRead>)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    mut query: Query,
) -> Result<Json<Paginated<TableRead>>, Problem> {
    let filter = TableFilter {
        q: query.pattern("q", limits::SEARCH_QUERY_CHARS),
        name: query.text("name"),
        dataset: query.id("dataset_id"),
        kind: query.parsed("kind", "UPLOADED or DERIVED"),
        is_active: query.boolean("is_active").unwrap_or(true),
    };
    let window = query.window(100).clamp(limits::PAGE);
    query.finish()?;
    let tx = app.db.scope_read(&caller.scope).await?;
    let found = tables::list(&tx, &filter, window.into()).await?;
    tx.commit().await?;
    let items = found.items.into_iter().map(Into::into).collect();
    Ok(Json(Paginated::page(items, found.total as i64, window.limit, window.offset)))
}
