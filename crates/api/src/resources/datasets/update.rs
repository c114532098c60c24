//! `PUT /datasets/{dataset_id}`

use axum::Json;
use axum::extract::State;
use db::datasets::{self, DatasetUpdate as Changes};
use domain::{DatasetId, Locale};
use serde_json::json;

use crate::extract::{Body, Caller, Segments};
use crate::problem::Problem;
use crate::resources::{Deed, note, taken};
use crate::state::App;
use crate::wire::dataset::{DatasetRead, DatasetUpdate};

/// Changes a dataset; null leaves a field unchanged.
#[utoipa::path(put, path = "/api/v1/datasets/{dataset_id}", tag = "datasets", operation_id = "update_dataset",
    params(("dataset_id" = Uuid, Path, description = "Dataset")), request_body = DatasetUpdate,
    responses((status = 200, body = DatasetRead)))]
pub async fn update(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    Body(body): Body<DatasetUpdate>,
) -> Result<Json<DatasetRead>, Problem> {
    let id: DatasetId = path.id("dataset_id")?;
    let name = body.name.clone().unwrap_or_default();
    let changes = Changes {
        name: body.name,
        description: body.description,
        drift_policy: body.drift_policy,
        default_locale: body.default_locale.map(Locale::new),
        ingest_policy: body.ingest_policy_json,
        metadata: body.metadata_json,
    };
    let tx = app.db.scope(&caller.scope).await?;
    let updated = datasets::update(&tx, id, &changes).await;
    let row = updated
        .map_err(|error| taken(error, "flyquery_datasets", "name", &name))?
        .ok_or_else(|| Problem::not_found("dataset", id))?;
    let deed = Deed {
        event_type: "dataset.updated",
        resource_kind: "dataset",
        resource_id: id.to_string(),
        payload: json!({ "name": row.name }),
    };
    note(&app, &tx, caller.scope.workspace, &caller.who, deed).await?;
    tx.commit().await?;
    Ok(Json(row.into()))
}
