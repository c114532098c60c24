//! `POST /datasets`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::IntoResponse;
use db::datasets::{self, NewDataset};
use domain::{DatasetId, Locale};
use serde_json::json;

use crate::extract::{Body, Caller};
use crate::problem::Problem;
use crate::resources::{Deed, note, taken};
use crate::state::App;
use crate::wire::dataset::{DatasetCreate, DatasetRead};

/// Makes a dataset.
#[utoipa::path(post, path = "/api/v1/datasets", tag = "datasets", operation_id = "create_dataset",
    request_body = DatasetCreate, responses((status = 201, body = DatasetRead)))]
pub async fn create(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<DatasetCreate>,
) -> Result<impl IntoResponse, Problem> {
    let name = body.name.clone();
    let new = NewDataset {
        id: DatasetId(app.entropy.id()),
        name: body.name,
        description: body.description,
        drift_policy: body.drift_policy.unwrap_or_default(),
        default_locale: body.default_locale.map(Locale::new),
        ingest_policy: body.ingest_policy_json.unwrap_or_else(|| json!({})),
        metadata: body.metadata_json.unwrap_or_else(|| json!({})),
    };
    let tx = app.db.scope(&caller.scope).await?;
    let row = datasets::insert(&tx, &new).await.map_err(|error| taken(error, "flyquery_datasets", "name", &name))?;
    let deed = Deed {
        event_type: "dataset.created",
        resource_kind: "dataset",
        resource_id: row.id.to_string(),
        payload: json!({ "name": name }),
    };
    note(&app, &tx, caller.scope.workspace, &caller.who, deed).await?;
    tx.commit().await?;
    let location = format!("/api/v1/datasets/{}", row.id);
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(DatasetRead::from(row))))
}
