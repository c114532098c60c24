//! `GET /ingest-jobs`

use axum::Json;
use axum::extract::State;
use domain::{JobKind, limits};
use jobs::inspect::{self, JobFilter};

use crate::extract::{Caller, Query};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::job::IngestJobListResponse;

/// The workspace's jobs, last started first.
#[utoipa::path(get, path = "/api/v1/ingest-jobs", tag = "ingest-jobs", operation_id = "list_ingest_jobs",
    params(
        ("status" = Option<String>, Query, description = "Comma list of states"),
        ("kind" = Option<String>, Query, description = "Comma list of kinds; `job_kind` is another word for it"),
        ("dataset_id" = Option<Uuid>, Query, description = "Dataset"),
        ("table_id" = Option<Uuid>, Query, description = "Table"),
        ("attempts_gte" = Option<u32>, Query, description = "Claimed at least so often"),
        ("created_before" = Option<DateTime<Utc>>, Query, description = "Made before this time"),
        ("created_after" = Option<DateTime<Utc>>, Query, description = "Made at this time or after"),
        ("limit" = Option<i64>, Query, description = "Jobs wanted, 1 to 200; 50 when absent"),
        ("offset" = Option<i64>, Query, description = "Jobs to skip"),
    ),
    responses((status = 200, body = IngestJobListResponse)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    mut query: Query,
) -> Result<Json<IngestJobListResponse>, Problem> {
    let mut kinds: Vec<JobKind> = query.words("kind");
    kinds.extend(query.words::<JobKind>("job_kind"));
    let filter = JobFilter {
        statuses: query.words("status"),
        kinds,
        dataset: query.id("dataset_id"),
        table: query.id("table_id"),
        attempts_gte: query.parsed("attempts_gte", "a whole number"),
        created_before: query.time("created_before"),
        created_after: query.time("created_after"),
    };
    let window = query.window(50).clamp(limits::JOBS_PAGE);
    query.finish()?;
    let tx = app.db.scope_read(&caller.scope).await?;
    let found = inspect::list(&tx, &filter, window.limit as u64, window.offset as u64).await?;
    tx.commit().await?;
    Ok(Json(IngestJobListResponse {
        items: found.items.into_iter().map(Into::into).collect(),
        total: found.total,
        limit: window.limit,
        offset: window.offset,
    }))
}
