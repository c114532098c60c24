//! `DELETE /datasets/{dataset_id}`

use axum::Json;
use axum::extract::State;
use db::datasets;
use domain::DatasetId;
use serde_json::json;

use crate::extract::{Caller, Segments};
use crate::problem::Problem;
use crate::resources::{Deed, note};
use crate::state::App;
use crate::wire::dataset::DatasetRead;

/// Archives a dataset: it takes no more files and frees its name; what it holds stays.
#[utoipa::path(delete, path = "/api/v1/datasets/{dataset_id}", tag = "datasets", operation_id = "archive_dataset",
    params(("dataset_id" = Uuid, Path, description = "Dataset")), responses((status = 200, body = DatasetRead)))]
pub async fn archive(State(app): State<App>, caller: Caller, path: Segments) -> Result<Json<DatasetRead>, Problem> {
    let id: DatasetId = path.id("dataset_id")?;
    let tx = app.db.scope(&caller.scope).await?;
    let row = datasets::archive(&tx, id).await?.ok_or_else(|| Problem::not_found("dataset", id))?;
    let deed = Deed {
        event_type: "dataset.archived",
        resource_kind: "dataset",
        resource_id: id.to_string(),
        payload: json!({ "name": row.name }),
    };
    note(&app, &tx, caller.scope.workspace, &caller.who, deed).await?;
    tx.commit().await?;
    Ok(Json(row.into()))
}
