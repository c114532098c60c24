//! `GET /ingest-jobs/{job_id}/stream`

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CONNECTION, HeaderName, HeaderValue};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use db::Tx;
use domain::{ErrorCode, EventId, JobId};
use jobs::inspect;

use crate::extract::{Caller, Query, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::stream::session::{Opening, Session};
use crate::wire::job::StreamEvent;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A job's ledger as it grows: Server-Sent Events with ids, from the start or after `Last-Event-ID`, with `progress`
/// frames in between, until `final` or `error`. `event: reset` says that the id is not in this ledger and that
/// everything follows again.
#[utoipa::path(get, path = "/api/v1/ingest-jobs/{job_id}/stream", tag = "ingest-jobs",
    operation_id = "stream_ingest_job",
    params(
        ("job_id" = Uuid, Path, description = "Job"),
        ("Last-Event-ID" = Option<String>, Header, description = "Only events after this one"),
        ("after_id" = Option<i64>, Query, description = "The same, where a header can't be set"),
    ),
    responses((status = 200, body = StreamEvent, content_type = "text/event-stream",
        description = "Frames whose data is a StreamEvent; `progress` and `reset` frames have data of their own")))]
pub async fn follow(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    mut query: Query,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let job: JobId = path.id("job_id")?;
    let asked: Option<i64> = query.parsed("after_id", "an integer");
    query.finish()?;
    let place = Arc::clone(&app.streams).try_acquire_owned().map_err(|_| {
        Problem::new(ErrorCode::ServiceUnavailable).detail("The server holds as many streams as it can.")
    })?;

    let tx = app.db.scope_read(&caller.scope).await?;
    let ended = super::job(&tx, job).await?.status.is_terminal();
    let wanted = match headers.get(LAST_EVENT_ID) {
        Some(value) => Some(String::from_utf8_lossy(value.as_bytes()).trim().to_owned()),
        None => asked.map(|id| id.to_string()),
    };
    let (after, reset) = cursor(&tx, job, wanted).await?;
    tx.commit().await?;

    let keep_alive = KeepAlive::new().interval(app.settings.keep_alive).text("keep-alive");
    let opening = Opening { scope: caller.scope, job, after, reset, ended, place };
    let mut response = Sse::new(Session::open(app, opening)).keep_alive(keep_alive).into_response();
    response.headers_mut().insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("keep-alive"));
    Ok(response)
}

/// Where the stream begins: after the event the client has seen, or from the start when the ledger does not hold it.
async fn cursor(tx: &Tx, job: JobId, wanted: Option<String>) -> Result<(EventId, Option<String>), Problem> {
    const START: EventId = EventId(0);
    let Some(wanted) = wanted.filter(|id| !id.is_empty() && id != "0") else { return Ok((START, None)) };
    if let Ok(id) = wanted.parse().map(EventId)
        && inspect::has_event(tx, job, id).await?
    {
        return Ok((id, None));
    }
    Ok((START, Some(wanted.chars().take(40).collect())))
}
