//! `GET /ingest-jobs/{job_id}`

use axum::Json;
use axum::extract::State;

use crate::extract::{Caller, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::job::IngestJobRead;

/// A job.
#[utoipa::path(get, path = "/api/v1/ingest-jobs/{job_id}", tag = "ingest-jobs", operation_id = "get_ingest_job",
    params(("job_id" = Uuid, Path, description = "Job")), responses((status = 200, body = IngestJobRead)))]
pub async fn by_id(State(app): State<App>, caller: Caller, path: Segments) -> Result<Json<IngestJobRead>, Problem> {
    let id = path.id("job_id")?;
    let tx = app.db.scope_read(&caller.scope).await?;
    let row = super::job(&tx, id).await?;
    tx.commit().await?;
    Ok(Json(row.into()))
}
