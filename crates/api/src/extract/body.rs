//! JSON bodies.

use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use domain::{ErrorCode, limits};
use futures::StreamExt;
use serde_json::Value;

use super::fields::Fields;
use crate::problem::Problem;

/// A request body that is read field by field.
pub trait FromBody: Sized {
    /// Reads the fields; complaints are collected in `fields`, so a value made beside a complaint is never used.
    fn read(fields: &mut Fields) -> Self;
}

/// A JSON body of at most [`limits::JSON_BODY_BYTES`].
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: FromBody> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        check_type(request.headers())?;
        let bytes = collect(request).await?;
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|error| Problem::new(ErrorCode::BadRequest).detail(format!("The body is not JSON: {error}.")))?;
        let mut fields = Fields::of(value)?;
        let body = T::read(&mut fields);
        fields.finish()?;
        Ok(Self(body))
    }
}

/// JSON by its media type; a client that names none is believed.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    Err(Problem::new(ErrorCode::UnsupportedMediaType).detail(format!("Send application/json instead of '{essence}'.")))
}

async fn collect(request: Request) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let mut stream = request.into_body().into_data_stream();
    loop {
        let chunk = match tokio::time::timeout(limits::BODY_STALL, stream.next()).await {
            Ok(Some(Ok(chunk))) => chunk,
            Ok(None) => return Ok(bytes),
            Ok(Some(Err(_))) => return Err(Problem::new(ErrorCode::BadRequest).detail("The body broke off.")),
            Err(_) => return Err(Problem::new(ErrorCode::BadRequest).detail("The body stopped arriving.")),
        };
        if bytes.len() + chunk.len() > limits::JSON_BODY_BYTES {
            let detail = format!("The body is larger than {} bytes.", limits::JSON_BODY_BYTES);
            return Err(Problem::new(ErrorCode::BodyTooLarge).detail(detail));
        }
        bytes.extend_from_slice(&chunk);
    }
}
