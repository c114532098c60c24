//! `GET /tables/{table_id}/changes`

use axum::Json;
use axum::extract::State;
use db::schema_changes;

use crate::extract::{Caller, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::page::Paginated;
use crate::wire::table::SchemaChangeRead;

/// How a table's columns changed from snapshot to snapshot, oldest first.
#[utoipa::path(get, path = "/api/v1/tables/{table_id}/changes", tag = "tables", operation_id = "list_table_changes",
    params(("table_id" = Uuid, Path, description = "Table")),
    responses((status = 200, body = Paginated<SchemaChangeRead>)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
) -> Result<Json<Paginated<SchemaChangeRead>>, Problem> {
    let id = path.id("table_id")?;
    let tx = app.db.scope_read(&caller.scope).await?;
    super::published(&tx, id).await?;
    let rows = schema_changes::list(&tx, id).await?;
    tx.commit().await?;
    Ok(Json(Paginated::whole(rows.into_iter().map(Into::into).collect())))
}
