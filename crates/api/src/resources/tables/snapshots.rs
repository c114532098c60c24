//! `GET /tables/{table_id}/snapshots` and `GET /tables/{table_id}/snapshots/{snapshot_id}`

use axum::Json;
use axum::extract::State;
use db::snapshots;
use domain::SnapshotId;

use crate::extract::{Caller, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::page::Paginated;
use crate::wire::table::SnapshotRead;

/// A table's snapshots, oldest first.
#[utoipa::path(get, path = "/api/v1/tables/{table_id}/snapshots", tag = "tables",
    operation_id = "list_table_snapshots", params(("table_id" = Uuid, Path, description = "Table")),
    responses((status = 200, body = Paginated<SnapshotRead>)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
) -> Result<Json<Paginated<SnapshotRead>>, Problem> {
    let id = path.id("table_id")?;
    let tx = app.db.scope_read(&caller.scope).await?;
    super::published(&tx, id).await?;
    let rows = snapshots::list(&tx, id).await?;
    tx.commit().await?;
    Ok(Json(Paginated::whole(rows.into_iter().map(Into::into).collect())))
}

/// One snapshot of a table.
#[utoipa::path(get, path = "/api/v1/tables/{table_id}/snapshots/{snapshot_id}", tag = "tables",
    operation_id = "get_table_snapshot",
    params(
        ("table_id" = Uuid, Path, description = "Table"),
        ("snapshot_id" = Uuid, Path, description = "Snapshot"),
    ),
    responses((status = 200, body = SnapshotRead)))]
pub async fn get(State(app): State<App>, caller: Caller, path: Segments) -> Result<Json<SnapshotRead>, Problem> {
    let table = path.id("table_id")?;
    let id: SnapshotId = path.id("snapshot_id")?;
    let tx = app.db.scope_read(&caller.scope).await?;
    super::published(&tx, table).await?;
    let row = snapshots::get(&tx, id).await?.filter(|row| row.table == table);
    tx.commit().await?;
    row.map(|row| Json(row.into())).ok_or_else(|| Problem::not_found("snapshot", id))
}
