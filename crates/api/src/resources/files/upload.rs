//! `POST /datasets/{dataset_id}/files` and `POST /datasets/{dataset_id}/files:async`

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::IntoResponse;
use domain::ports::ingest::{SyncOutcome, UploadError, UploadForm};
use domain::{DatasetId, ErrorCode, IngestReport, TableId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use utoipa::ToSchema;

use super::receive::{check_headers, receive};
use crate::extract::{Caller, Parts, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::upload::{AsyncFileUploadAccepted, IngestJobResult};

/// The form of an upload; its parts may come in any order.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only describes the form in the API document")]
pub struct FileUploadForm {
    /// The file.
    #[schema(value_type = String, format = Binary)]
    file: String,
    /// Its name; without it the part's file name counts.
    original_filename: Option<String>,
    /// Its format; overrides detection.
    file_format: Option<String>,
    /// How tables are found in it: a JSON object.
    table_extraction_rules_json: Option<String>,
}

/// Ingests a file and answers when all ten stages are done. The job goes on when the client stops waiting.
#[utoipa::path(post, path = "/api/v1/datasets/{dataset_id}/files", tag = "files", operation_id = "upload_file",
    params(("dataset_id" = Uuid, Path, description = "Dataset")),
    request_body(content = FileUploadForm, content_type = "multipart/form-data"),
    responses((status = 200, body = IngestJobResult)))]
pub async fn sync(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    request: Request,
) -> Result<Json<IngestJobResult>, Problem> {
    let dataset = path.id("dataset_id")?;
    Ok(Json(ingest(&app, &caller, (dataset, None), request).await?.into()))
}

/// Receives a file and waits until its job has settled. With a table, the file is a new version of that one.
pub(super) async fn ingest(
    app: &App,
    caller: &Caller,
    (dataset, table): (DatasetId, Option<TableId>),
    request: Request,
) -> Result<IngestReport, Problem> {
    check_headers(app, request.headers())?;
    let _place = sync_place(&app.sync_uploads)?;
    let parts = Parts::from_request(request, app).await?;
    let received = receive(app, caller, dataset, parts).await?;
    let form = UploadForm { table, ..received.form };
    match finished(app, received.upload.run(form)).await? {
        SyncOutcome::Done(report) => Ok(*report),
        SyncOutcome::Failed(job, failure) => Err(Problem::from(failure).job(Some(job))),
        SyncOutcome::Later(job) => Err(Problem::new(ErrorCode::ServiceUnavailable)
            .detail("A service flyquery depends on did not answer; the job goes on by itself.")
            .job(Some(job))),
    }
}

/// Stores a file and answers with the job that will ingest it.
#[utoipa::path(post, path = "/api/v1/datasets/{dataset_id}/files:async", tag = "files",
    operation_id = "upload_file_async", params(("dataset_id" = Uuid, Path, description = "Dataset")),
    request_body(content = FileUploadForm, content_type = "multipart/form-data"),
    responses((status = 202, body = AsyncFileUploadAccepted, headers(("Location" = String, description = "The job")))))]
pub async fn later(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    request: Request,
) -> Result<impl IntoResponse, Problem> {
    let dataset = path.id("dataset_id")?;
    check_headers(&app, request.headers())?;
    let parts = Parts::from_request(request, &app).await?;
    let received = receive(&app, &caller, dataset, parts).await?;
    let accepted = finished(&app, received.upload.accept(received.form)).await?;
    let location = format!("/api/v1/ingest-jobs/{}", accepted.job);
    Ok((StatusCode::ACCEPTED, [(LOCATION, location)], Json(AsyncFileUploadAccepted::from(accepted))))
}

/// Runs the end of an upload to its own end, even when the client has gone: half of it would leave a blob without a job.
async fn finished<T: Send + 'static>(
    app: &App,
    end: impl Future<Output = Result<T, UploadError>> + Send + 'static,
) -> Result<T, Problem> {
    app.tasks.spawn(end).await.map_err(|stopped| Problem::defect(&stopped))?.map_err(Problem::from)
}

fn sync_place(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    Arc::clone(places).try_acquire_owned().map_err(|_| {
        Problem::new(ErrorCode::ServiceUnavailable)
            .detail("As many sync uploads run as may; send the file to files:async or wait.")
    })
}
