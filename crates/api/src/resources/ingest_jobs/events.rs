//! `GET /ingest-jobs/{job_id}/events`

use axum::Json;
use axum::extract::State;
use domain::{EventId, limits};
use jobs::inspect::{self, EventFilter};

use crate::extract::{Caller, Query, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::job::IngestEventListResponse;

/// A job's ledger, oldest first.
#[utoipa::path(get, path = "/api/v1/ingest-jobs/{job_id}/events", tag = "ingest-jobs",
    operation_id = "list_ingest_events",
    params(
        ("job_id" = Uuid, Path, description = "Job"),
        ("after_id" = Option<i64>, Query, description = "Only events after this one"),
        ("stage" = Option<String>, Query, description = "Comma list of stages"),
        ("limit" = Option<i64>, Query, description = "Events wanted, 1 to 500; 200 when absent"),
        ("offset" = Option<i64>, Query, description = "Events to skip"),
    ),
    responses((status = 200, body = IngestEventListResponse)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    mut query: Query,
) -> Result<Json<IngestEventListResponse>, Problem> {
    let id = path.id("job_id")?;
    let filter =
        EventFilter { after: query.parsed("after_id", "an integer").map(EventId), stages: query.words("stage") };
    let window = query.window(200).clamp(limits::EVENTS_PAGE);
    query.finish()?;
    let tx = app.db.scope_read(&caller.scope).await?;
    super::job(&tx, id).await?;
    let found = inspect::events(&tx, id, &filter, window.limit as u64, window.offset as u64).await?;
    tx.commit().await?;
    Ok(Json(IngestEventListResponse {
        items: found.items.into_iter().map(Into::into).collect(),
        total: found.total,
        limit: window.limit,
        offset: window.offset,
    }))
}
