//! A bound on the requests handled at once: past it a request is answered 503 instead of queued without end.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::ErrorCode;

use crate::problem::Problem;
use crate::state::App;

/// The layer. Health and metrics need no place, so that an overloaded server can still be watched.
pub async fn take_place(State(app): State<App>, request: Request, next: Next) -> Response {
    if !request.uri().path().starts_with("/api/") {
        return next.run(request).await;
    }
    let Ok(_place) = app.places.try_acquire() else {
        return Problem::new(ErrorCode::ServiceUnavailable)
            .detail("The server handles as many requests as it can.")
            .into_response();
    };
    next.run(request).await
}
