//! `GET /tables/{table_id}/objects`

use axum::Json;
use axum::extract::State;
use db::schema_objects;

use crate::extract::{Caller, Query, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::page::Paginated;
use crate::wire::schema_object::SchemaObjectRead;

/// What is known of a table's current snapshot, or of another: the table first, then its columns.
#[utoipa::path(get, path = "/api/v1/tables/{table_id}/objects", tag = "tables", operation_id = "list_table_objects",
    params(
        ("table_id" = Uuid, Path, description = "Table"),
        ("snapshot_id" = Option<Uuid>, Query, description = "A READY snapshot of the table; the current one when absent"),
    ),
    responses((status = 200, body = Paginated<SchemaObjectRead>)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    mut query: Query,
) -> Result<Json<Paginated<SchemaObjectRead>>, Problem> {
    let id = path.id("table_id")?;
    let wanted = query.id("snapshot_id");
    query.finish()?;
    let tx = app.db.scope_read(&caller.scope).await?;
    let table = super::published(&tx, id).await?;
    let snapshot = match wanted {
        Some(snapshot) => Some(super::version(&tx, &table, snapshot).await?.snapshot_id),
        None => table.current_snapshot,
    };
    let rows = match snapshot {
        Some(snapshot) => schema_objects::list(&tx, snapshot).await?,
        None => Vec::new(),
    };
    tx.commit().await?;
    Ok(Json(Paginated::whole(rows.into_iter().map(Into::into).collect())))
}
