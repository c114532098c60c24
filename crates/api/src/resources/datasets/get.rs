//! `GET /datasets/{dataset_id}` and `GET /datasets/by-name/{name}`

use axum::Json;
use axum::extract::State;
use db::datasets;
use domain::DatasetId;

use crate::extract::{Caller, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::dataset::DatasetRead;

/// A dataset by its id; archived ones too.
#[utoipa::path(get, path = "/api/v1/datasets/{dataset_id}", tag = "datasets", operation_id = "get_dataset",
    params(("dataset_id" = Uuid, Path, description = "Dataset")), responses((status = 200, body = DatasetRead)))]
pub async fn by_id(State(app): State<App>, caller: Caller, path: Segments) -> Result<Json<DatasetRead>, Problem> {
    let id: DatasetId = path.id("dataset_id")?;
    let tx = app.db.scope_read(&caller.scope).await?;
    let row = datasets::get(&tx, id).await?.ok_or_else(|| Problem::not_found("dataset", id))?;
    tx.commit().await?;
    Ok(Json(row.into()))
}

/// A live dataset by its name.
#[utoipa::path(get, path = "/api/v1/datasets/by-name/{name}", tag = "datasets", operation_id = "get_dataset_by_name",
    params(("name" = String, Path, description = "Name")), responses((status = 200, body = DatasetRead)))]
pub async fn by_name(State(app): State<App>, caller: Caller, path: Segments) -> Result<Json<DatasetRead>, Problem> {
    let name = path.text("name")?;
    let tx = app.db.scope_read(&caller.scope).await?;
    let row = datasets::by_name(&tx, name).await?.ok_or_else(|| Problem::not_found("dataset", name))?;
    tx.commit().await?;
    Ok(Json(row.into()))
}
