//! `POST /ingest-jobs`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::IntoResponse;
use db::{DatasetRow, Tx, datasets, files, tables};
use domain::table::TriggeredBy;
use domain::{DatasetId, FileStatus, JobId, JobKind, Lifecycle};
use jobs::{Birth, NewJob};
use serde_json::{Value, json};

use crate::extract::{Body, Caller};
use crate::problem::{FieldError, Problem};
use crate::resources::NO_CALLBACKS;
use crate::state::App;
use crate::wire::job::{IngestJobCreate, IngestJobRead};

/// Makes a job of any kind; a worker takes it.
#[utoipa::path(post, path = "/api/v1/ingest-jobs", tag = "ingest-jobs", operation_id = "create_ingest_job",
    request_body = IngestJobCreate,
    responses((status = 201, body = IngestJobRead, headers(("Location" = String, description = "The job")))))]
pub async fn create(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<IngestJobCreate>,
) -> Result<impl IntoResponse, Problem> {
    if body.wants_callback {
        return Err(Problem::invalid(FieldError::new("not_supported", "/callback", NO_CALLBACKS)));
    }
    let tx = app.db.scope(&caller.scope).await?;
    let dataset = dataset_of(&tx, &body).await?;
    let id = JobId(app.entropy.id());
    let mut job = NewJob::new(id, caller.scope.clone(), dataset.id, body.job_kind);
    job.table = body.table_id;
    job.file = body.file_id;
    job.request = request(&caller, &dataset, &body);
    job.triggered_by = match body.job_kind {
        JobKind::Reparse => TriggeredBy::Reparse,
        JobKind::ParseAndIngest | JobKind::SampleRefresh | JobKind::DescribePass | JobKind::RelationPass => {
            TriggeredBy::User
        }
    };
    let row = jobs::enqueue(&tx, app.entropy.as_ref(), job, Birth::Pending).await?;
    tx.commit().await?;
    (app.nudge)();
    Ok((StatusCode::CREATED, [(LOCATION, format!("/api/v1/ingest-jobs/{id}"))], Json(IngestJobRead::from(row))))
}

/// What the job carries: the caller's own object, and who asks for which dataset. The file of a job made here has
/// been received already.
fn request(caller: &Caller, dataset: &DatasetRow, body: &IngestJobCreate) -> Value {
    let mut request = body.request_json.clone().unwrap_or_else(|| json!({}));
    request["actor"] = json!(caller.actor_or_tenant());
    request["dataset_name"] = json!(dataset.name);
    if body.file_id.is_some() {
        request["already_received"] = json!(true);
    }
    request
}

/// The live dataset that file, table and field agree on.
async fn dataset_of(tx: &Tx, body: &IngestJobCreate) -> Result<DatasetRow, Problem> {
    let mut named: Vec<(&str, DatasetId)> = body.dataset_id.map(|id| ("/dataset_id", id)).into_iter().collect();
    if let Some(id) = body.file_id {
        let file = files::get(tx, id).await?.ok_or_else(|| Problem::not_found("file", id))?;
        if file.status == FileStatus::Deleted {
            return Err(Problem::conflict(format!("The file '{id}' is deleted.")));
        }
        named.push(("/file_id", file.dataset));
    }
    if let Some(id) = body.table_id {
        let table = tables::get(tx, id).await?.ok_or_else(|| Problem::not_found("table", id))?;
        named.push(("/table_id", table.dataset));
    }
    let Some((_, dataset)) = named.first().copied() else {
        return Err(Problem::invalid(FieldError::new("missing", "/dataset_id", "is required")));
    };
    if let Some((path, other)) = named.iter().find(|(_, id)| *id != dataset) {
        let message = format!("belongs to dataset {other}, not to {dataset}");
        return Err(Problem::invalid(FieldError::new("unknown_value", *path, message)));
    }
    let row = datasets::get(tx, dataset).await?.ok_or_else(|| Problem::not_found("dataset", dataset))?;
    match row.status {
        Lifecycle::Active => Ok(row),
        Lifecycle::Archived => Err(Problem::conflict(format!("The dataset '{}' is archived.", row.name))),
        Lifecycle::Purging => Err(Problem::not_found("dataset", dataset)),
    }
}
