//! `GET /tables/{table_id}` and `GET /tables/by-name/{name}`

use axum::Json;
use axum::extract::State;
use db::tables::{self, ByName};

use crate::extract::{Caller, Query, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::table::TableRead;

/// A table by its id.
#[utoipa::path(get, path = "/api/v1/tables/{table_id}", tag = "tables", operation_id = "get_table",
    params(("table_id" = Uuid, Path, description = "Table")), responses((status = 200, body = TableRead)))]
pub async fn by_id(State(app): State<App>, caller: Caller, path: Segments) -> Result<Json<TableRead>, Problem> {
    let id = path.id("table_id")?;
    let tx = app.db.scope_read(&caller.scope).await?;
    let row = super::published(&tx, id).await?;
    tx.commit().await?;
    Ok(Json(row.into()))
}

/// A table by its name; 404 when several datasets have one of that name and none is picked.
#[utoipa::path(get, path = "/api/v1/tables/by-name/{name}", tag = "tables", operation_id = "get_table_by_name",
    params(
        ("name" = String, Path, description = "Name"),
        ("dataset_id" = Option<Uuid>, Query, description = "Dataset, when several have a table of that name"),
    ),
    responses((status = 200, body = TableRead)))]
pub async fn by_name(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    mut query: Query,
) -> Result<Json<TableRead>, Problem> {
    let name = path.text("name")?;
    let dataset = query.id("dataset_id");
    query.finish()?;
    let tx = app.db.scope_read(&caller.scope).await?;
    let found = tables::by_name(&tx, name, dataset).await?;
    tx.commit().await?;
    match found {
        ByName::One(row) => Ok(Json((*row).into())),
        ByName::None => Err(Problem::not_found("table", name)),
        ByName::Ambiguous => Err(Problem::not_found("table", name)
            .detail(format!("Several datasets have a table '{name}': say which with dataset_id."))),
    }
}
