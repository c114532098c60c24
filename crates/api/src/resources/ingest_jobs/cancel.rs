//! `POST /ingest-jobs/{job_id}:cancel`

use axum::Json;
use axum::extract::State;
use domain::JobId;

use crate::extract::{Caller, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::job::CancelResponse;

/// Asks a job to stop: a waiting one at once, a running one at its next checkpoint, an ended one not at all.
#[utoipa::path(post, path = "/api/v1/ingest-jobs/{job_id}:cancel", tag = "ingest-jobs",
    operation_id = "cancel_ingest_job", params(("job_id" = Uuid, Path, description = "Job")),
    responses((status = 200, body = CancelResponse)))]
pub async fn cancel(State(app): State<App>, caller: Caller, path: Segments) -> Result<Json<CancelResponse>, Problem> {
    let id: JobId = path.id("job_id")?;
    let tx = app.db.scope(&caller.scope).await?;
    let answer = jobs::cancel::cancel(&tx, id, app.terminal.as_ref()).await?;
    let answer = answer.ok_or_else(|| Problem::not_found("job", id))?;
    tx.commit().await?;
    (app.nudge)();
    Ok(Json(CancelResponse { id: answer.id.0, status: answer.status.to_string(), message: answer.message }))
}
