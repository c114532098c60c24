//! `GET /tables/{table_id}/rows`

use axum::Json;
use axum::extract::State;
use db::snapshots;
use domain::{TableId, limits};

use crate::extract::{Caller, Query, Segments};
use crate::problem::Problem;
use crate::resources::sql;
use crate::state::App;
use crate::wire::table::TableRows;

/// A page of a table's rows in file order.
#[utoipa::path(get, path = "/api/v1/tables/{table_id}/rows", tag = "tables", operation_id = "list_table_rows",
    params(
        ("table_id" = Uuid, Path, description = "Table"),
        ("snapshot_id" = Option<Uuid>, Query, description = "A READY snapshot of the table; the current one when absent"),
        ("limit" = Option<i64>, Query, description = "Rows wanted, 1 to 1000; 100 when absent"),
        ("offset" = Option<i64>, Query, description = "Rows to skip"),
    ),
    responses((status = 200, body = TableRows)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    mut query: Query,
) -> Result<Json<TableRows>, Problem> {
    let id: TableId = path.id("table_id")?;
    let window = query.window(100).clamp(limits::PAGE);
    let wanted = query.id("snapshot_id");
    query.finish()?;
    let tx = app.db.scope_read(&caller.scope).await?;
    let table = match wanted {
        Some(snapshot) => super::version(&tx, &super::published(&tx, id).await?, snapshot).await?,
        None => snapshots::published_table(&tx, id).await?.ok_or_else(|| Problem::not_found("table", id))?,
    };
    tx.commit().await?;

    let _place = sql::place(&app)?;
    let page = app.sql.rows(&table, window.offset as u64, window.limit as usize).await.map_err(sql::problem)?;
    let seen = (window.offset as u64).saturating_add(page.rows.len() as u64);
    Ok(Json(TableRows {
        table_id: table.table_id.0,
        snapshot_id: table.snapshot_id.0,
        columns: page.columns.into_iter().map(Into::into).collect(),
        rows: page.rows,
        total: table.n_rows,
        limit: window.limit,
        offset: window.offset,
        has_more: seen < table.n_rows,
    }))
}
