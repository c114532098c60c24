//! The outermost layer: correlation and request ids, echoed headers, security headers, and the one place where a
//! problem gets its body. Nothing leaves as HTML or plain text with an error status.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use super::verbs::WrittenPath;
use crate::problem::Problem;
use crate::state::App;

/// Tenant of a request.
pub const TENANT: HeaderName = HeaderName::from_static("x-tenant-id");
/// Workspace of a request.
pub const WORKSPACE: HeaderName = HeaderName::from_static("x-workspace-id");
const CORRELATION: HeaderName = HeaderName::from_static("x-correlation-id");
const REQUEST: HeaderName = HeaderName::from_static("x-request-id");
/// Headers of a request that come back on its answer as they were sent.
const ECHOED: [HeaderName; 3] = [TENANT, HeaderName::from_static("traceparent"), HeaderName::from_static("tracestate")];
/// Characters of an id that a caller may choose.
const ID_CHARS: usize = 128;

/// Ties an answer, its log lines and its audit rows together.
#[derive(Clone, Debug)]
pub struct Correlation(pub Arc<str>);

/// The layer.
pub async fn envelope(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let correlation = chosen(request.headers(), &CORRELATION).unwrap_or_else(|| app.entropy.id().to_string());
    let request_id = chosen(request.headers(), &REQUEST).unwrap_or_else(|| app.entropy.id().to_string());
    let echoed: Vec<(HeaderName, HeaderValue)> =
        ECHOED.iter().filter_map(|name| Some((name.clone(), request.headers().get(name)?.clone()))).collect();
    let path = match request.extensions().get::<WrittenPath>() {
        Some(WrittenPath(path)) => path.clone(),
        None => request.uri().path().to_owned(),
    };
    request.extensions_mut().insert(Correlation(correlation.as_str().into()));

    let span = tracing::info_span!("request", method = %request.method(), path, correlation_id = correlation);
    let mut response = next.run(request).instrument(span.clone()).await;
    tracing::debug!(parent: &span, status = response.status().as_u16(), "answered");

    if let Some(problem) = problem_of(&mut response) {
        problem.render(&mut response, &path, &correlation);
    }
    let headers = response.headers_mut();
    headers.extend(echoed);
    for (name, id) in [(CORRELATION, correlation), (REQUEST, request_id)] {
        headers.insert(name, HeaderValue::try_from(id).expect("ids are visible ASCII"));
    }
    harden(headers);
    response
}

/// The problem that a response carries, or that stands for a framework's bare error status.
fn problem_of(response: &mut Response) -> Option<Problem> {
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        return Some(problem);
    }
    let status = response.status();
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|t| t.as_bytes().starts_with(b"application/json"));
    (!is_json && (status.is_client_error() || status.is_server_error())).then(|| Problem::from_status(status))
}

/// An id that the caller chose: visible ASCII of bounded length, else it is ignored.
fn chosen(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?.trim();
    let fine = !text.is_empty() && text.len() <= ID_CHARS && text.bytes().all(|b| b.is_ascii_graphic());
    fine.then(|| text.to_owned())
}

fn harden(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
