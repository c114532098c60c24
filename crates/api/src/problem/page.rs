//! `/problems/<code>`: the page that a problem's `type` leads to.

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use domain::ErrorCode;

use super::Problem;

/// What a code means and what to do about it. Markdown, or HTML for a browser.
#[utoipa::path(
    get, path = "/problems/{code}", tag = "service", operation_id = "get_problem_page",
    params(("code" = String, Path, description = "a code of the closed list")),
    responses((status = 200, body = String, content_type = "text/markdown"))
)]
pub async fn show(Path(code): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let code: ErrorCode = code.parse().map_err(|_| {
        Problem::new(ErrorCode::ResourceNotFound).detail("There is no such code; /problems lists every code.")
    })?;
    Ok(answer(&headers, markdown(code), code.title()))
}

/// Every code with its title.
#[utoipa::path(
    get, path = "/problems", tag = "service", operation_id = "list_problem_pages",
    responses((status = 200, body = String, content_type = "text/markdown"))
)]
pub async fn list(headers: HeaderMap) -> Response {
    let lines = ErrorCode::ALL.iter().map(|code| format!("- [{code}](/problems/{code}): {}\n", code.title()));
    let text = lines.fold("# Problems\n\n".to_owned(), |text, line| text + &line);
    answer(&headers, &text, "Problems")
}

macro_rules! page {
    ($code:literal) => {
        include_str!(concat!("../../../../docs/problems/", $code, ".md"))
    };
}

/// The page in `docs/problems`, built in.
fn markdown(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::EmptyFile => page!("EMPTY_FILE"),
        ErrorCode::FormatMismatch => page!("FORMAT_MISMATCH"),
        ErrorCode::UnsupportedFormat => page!("UNSUPPORTED_FORMAT"),
        ErrorCode::ParseError => page!("PARSE_ERROR"),
        ErrorCode::UnsupportedSchema => page!("UNSUPPORTED_SCHEMA"),
        ErrorCode::ZipBomb => page!("ZIP_BOMB"),
        ErrorCode::ZipMultiEntry => page!("ZIP_MULTI_ENTRY"),
        ErrorCode::LimitExceeded => page!("LIMIT_EXCEEDED"),
        ErrorCode::PiiRejected => page!("PII_REJECTED"),
        ErrorCode::NoTables => page!("NO_TABLES"),
        ErrorCode::JobCancelled => page!("JOB_CANCELLED"),
        ErrorCode::WorkerLost => page!("WORKER_LOST"),
        ErrorCode::HandlerTimeout => page!("HANDLER_TIMEOUT"),
        ErrorCode::InfrastructureUnavailable => page!("INFRASTRUCTURE_UNAVAILABLE"),
        ErrorCode::StorageFull => page!("STORAGE_FULL"),
        ErrorCode::InternalError => page!("internal_error"),
        ErrorCode::MissingTenantContext => page!("missing_tenant_context"),
        ErrorCode::BadRequest => page!("bad_request"),
        ErrorCode::InvalidRequest => page!("invalid_request"),
        ErrorCode::ValidationError => page!("validation_error"),
        ErrorCode::ResourceNotFound => page!("resource_not_found"),
        ErrorCode::WorkspaceNotFound => page!("workspace_not_found"),
        ErrorCode::MethodNotAllowed => page!("method_not_allowed"),
        ErrorCode::Conflict => page!("conflict"),
        ErrorCode::FileTooLarge => page!("file_too_large"),
        ErrorCode::BodyTooLarge => page!("body_too_large"),
        ErrorCode::UnsupportedMediaType => page!("unsupported_media_type"),
        ErrorCode::MisdirectedRequest => page!("misdirected_request"),
        ErrorCode::TenantClaimMismatch => page!("tenant_claim_mismatch"),
        ErrorCode::DirectSqlForbidden => page!("direct_sql_forbidden"),
        ErrorCode::WorkspaceQuotaExceeded => page!("workspace_quota_exceeded"),
        ErrorCode::ServiceUnavailable => page!("service_unavailable"),
        ErrorCode::SqlError => page!("sql_error"),
    }
}

fn answer(headers: &HeaderMap, text: &str, title: &str) -> Response {
    let wants_html =
        headers.get(ACCEPT).and_then(|v| v.to_str().ok()).is_some_and(|accept| accept.contains("text/html"));
    if wants_html {
        let page = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title></head><body><pre>{}</pre></body></html>\n",
            escape(title),
            escape(text)
        );
        return ([(CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response();
    }
    ([(CONTENT_TYPE, "text/markdown; charset=utf-8")], text.to_owned()).into_response()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
