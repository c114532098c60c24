//! Counts and times of requests per documented path, and what becomes of a panic.

use std::any::Any;

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;
use crate::state::App;

/// The layer. Unknown paths share one label, so that a scanner can't make the metrics grow.
pub async fn measure(State(app): State<App>, request: Request, next: Next) -> Response {
    let method = method(request.method());
    let route = match request.extensions().get::<MatchedPath>() {
        Some(matched) => matched.as_str().replace("/~", ":"),
        None => "unmatched".to_owned(),
    };
    let started = app.clock.monotonic();
    let response = next.run(request).await;
    let seconds = app.clock.monotonic().saturating_sub(started).as_secs_f64();
    let status = response.status().as_u16().to_string();
    metrics::counter!("flyquery_http_requests_total", "method" => method, "route" => route.clone(), "status" => status)
        .increment(1);
    metrics::histogram!("flyquery_http_request_seconds", "method" => method, "route" => route).record(seconds);
    response
}

fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        _ => "OTHER",
    }
}

#[allow(clippy::needless_pass_by_value, reason = "the signature that the panic layer asks for")]
/// A handler that panicked answers `internal_error`; the message goes to the log.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message");
    Problem::defect(&message).into_response()
}
