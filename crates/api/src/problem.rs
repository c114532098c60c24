//! The one error conversion: whatever goes wrong becomes a [`Problem`] and leaves as `application/problem+json`.
//!
//! A handler returns `Result<_, Problem>`. The problem travels to the outermost layer as a response extension, where
//! the path and the correlation id are known and the body is written ([`Problem::render`]).

pub mod page;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use db::DbError;
use domain::ports::ingest::UploadError;
use domain::{ErrorCode, Failure, JobId};
use serde::Serialize;
use utoipa::ToSchema;

/// The media type of every error (RFC 9457).
pub const PROBLEM_JSON: &str = "application/problem+json";

/// Seconds after which a request that met a busy or absent service is worth sending again.
const RETRY_SECONDS: u32 = 2;

/// One thing wrong with a request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct FieldError {
    /// `missing`, `wrong_type`, `out_of_range`, `unknown_value`, `malformed` or `not_supported`.
    pub code: &'static str,
    /// A JSON pointer into the body, or `query/<name>`, `path/<name>`, `header/<name>`, `form/<name>`.
    pub path: String,
    /// What is wrong, for people.
    pub message: String,
}

impl FieldError {
    /// The complaint with its place; the body as a whole has no path.
    fn sentence(&self) -> String {
        let place = if self.path.is_empty() { "the body" } else { &self.path };
        format!("{place}: {}", self.message)
    }

    /// Names a place and what is wrong there.
    pub fn new(code: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code, path: path.into(), message: message.into() }
    }
}

/// The body of every error answer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody {
    /// `/problems/<code>`, which serves a page about the code.
    #[serde(rename = "type")]
    #[schema(example = "/problems/resource_not_found")]
    pub kind: String,
    /// A code of the closed list.
    #[schema(value_type = String, example = "resource_not_found")]
    pub code: ErrorCode,
    /// The code's name for people.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// What happened this time.
    pub detail: Option<String>,
    /// What to do about it.
    pub advice: &'static str,
    /// Path of the request.
    pub instance: Option<String>,
    /// Ties the answer to the server's log.
    pub correlation_id: Option<String>,
    /// Each thing that was wrong, when places can be named.
    pub errors: Vec<FieldError>,
    /// The job that records the failure, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub job_id: Option<JobId>,
}

/// An error on its way to the client.
#[derive(Clone, Debug)]
pub struct Problem {
    code: ErrorCode,
    detail: Option<String>,
    errors: Vec<FieldError>,
    job: Option<JobId>,
    retry_after: Option<u32>,
}

impl Problem {
    /// A problem that its code says all about.
    pub fn new(code: ErrorCode) -> Self {
        let retry_after = (code.http_status() == 503).then_some(RETRY_SECONDS);
        Self { code, detail: None, errors: Vec::new(), job: None, retry_after }
    }

    /// The same problem with what happened this time.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The same problem with one more place named.
    pub fn error(mut self, error: FieldError) -> Self {
        self.errors.push(error);
        self
    }

    /// The same problem with the job that records it.
    pub fn job(mut self, job: Option<JobId>) -> Self {
        self.job = job;
        self
    }

    /// Well-formed but wrong at one place.
    pub fn invalid(error: FieldError) -> Self {
        let detail = format!("{}: {}", error.path, error.message);
        Self::new(ErrorCode::InvalidRequest).detail(detail).error(error)
    }

    /// Several places of a request are wrong.
    pub fn several(code: ErrorCode, errors: Vec<FieldError>) -> Self {
        let detail = errors.iter().map(FieldError::sentence).collect::<Vec<_>>().join("; ");
        Self { errors, ..Self::new(code).detail(detail) }
    }

    /// No `what` of that id or name in the caller's workspace.
    pub fn not_found(what: &str, name: impl std::fmt::Display) -> Self {
        Self::new(ErrorCode::ResourceNotFound).detail(format!("There is no {what} '{name}' in this workspace."))
    }

    /// No workspace of that id or slug in the caller's tenant.
    pub fn no_workspace(name: impl std::fmt::Display) -> Self {
        Self::new(ErrorCode::ResourceNotFound).detail(format!("There is no workspace '{name}' in this tenant."))
    }

    /// What is there forbids it.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::Conflict).detail(detail)
    }

    /// A defect of ours; the cause goes to the log, not to the client.
    pub fn defect(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "request met a defect");
        Self::new(ErrorCode::InternalError).detail("The server's log has the details under this correlation id.")
    }

    /// The code.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// Writes the body, now that path and correlation id are known. Headers already on `response` stay.
    pub fn render(self, response: &mut Response, instance: &str, correlation_id: &str) {
        let body = ProblemBody {
            kind: format!("/problems/{}", self.code),
            code: self.code,
            title: self.code.title(),
            status: self.code.http_status(),
            detail: self.detail,
            advice: self.code.advice(),
            instance: Some(instance.to_owned()),
            correlation_id: Some(correlation_id.to_owned()),
            errors: self.errors,
            job_id: self.job,
        };
        let bytes = serde_json::to_vec(&body).expect("a problem has only string keys and finite numbers");
        *response.status_mut() = StatusCode::from_u16(body.status).expect("every code has a valid status");
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        response.headers_mut().remove(HeaderName::from_static("content-length"));
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        *response.body_mut() = Body::from(bytes);
    }

    /// The problem that stands for a bare error status of a framework layer.
    pub fn from_status(status: StatusCode) -> Self {
        Self::new(match status.as_u16() {
            404 => ErrorCode::ResourceNotFound,
            405 => ErrorCode::MethodNotAllowed,
            413 => ErrorCode::BodyTooLarge,
            415 => ErrorCode::UnsupportedMediaType,
            422 => ErrorCode::InvalidRequest,
            408 | 429 | 502..=504 => ErrorCode::ServiceUnavailable,
            400..=499 => ErrorCode::BadRequest,
            _ => ErrorCode::InternalError,
        })
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.code.http_status()).expect("every code has a valid status");
        let mut response = status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<DbError> for Problem {
    fn from(error: DbError) -> Self {
        if matches!(error, DbError::Full(_)) {
            tracing::error!(%error, "the database is full");
            return Self::new(ErrorCode::StorageFull).detail("The database has no space left.");
        }
        if error.is_transient() {
            tracing::warn!(%error, "the database did not answer");
            return Self::new(ErrorCode::ServiceUnavailable).detail("The database did not answer.");
        }
        match error {
            DbError::Conflict { .. } => Self::conflict("Something of that name is there already."),
            DbError::Missing(_) => Self::conflict("Something the request refers to is gone."),
            other @ (DbError::Unavailable(_) | DbError::Full(_) | DbError::Newer { .. } | DbError::Bug(_)) => {
                Self::defect(&other)
            }
        }
    }
}

impl From<UploadError> for Problem {
    fn from(error: UploadError) -> Self {
        if error.code == ErrorCode::InternalError {
            return Self::defect(&error.detail).job(error.job);
        }
        Self::new(error.code).detail(error.detail).job(error.job)
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        if failure.code == ErrorCode::InternalError {
            return Self::defect(&failure.detail);
        }
        Self::new(failure.code).detail(failure.detail)
    }
}
