//! Multipart forms, read part by part with bounds: parts, bytes of a field, bytes between parts, silence.

use std::future::Future;

use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use bytes::Bytes;
use domain::{ErrorCode, limits};

use super::disposition;
use crate::layers::linger::Gauge;
use crate::problem::{FieldError, Problem};

/// The parts of a form that is still arriving.
pub struct Parts {
    multipart: Multipart,
    gauge: Gauge,
    seen: usize,
}

impl Parts {
    /// The next part; the one before must have been read to its end.
    pub async fn next(&mut self) -> Result<Option<Part<'_>>, Problem> {
        self.seen += 1;
        if self.seen > limits::FORM_FIELDS + 1 {
            let message = format!("has more than {} parts", limits::FORM_FIELDS);
            return Err(Problem::invalid(FieldError::new("out_of_range", "form", message)));
        }
        self.gauge.allow(limits::PART_HEADER_BYTES);
        let next = in_time(self.multipart.next_field()).await?;
        let endless = self.gauge.is_used_up();
        self.gauge.allow_all();
        match next {
            Ok(field) => Ok(field.map(Part)),
            Err(_) if endless => Err(Problem::new(ErrorCode::BadRequest)
                .detail("The multipart body is broken: a part's header does not end.")),
            Err(error) => Err(broken(&error)),
        }
    }
}

/// One part of a form.
pub struct Part<'a>(Field<'a>);

impl Part<'_> {
    /// The field's name.
    pub fn name(&self) -> &str {
        self.0.name().unwrap_or_default()
    }

    /// The file name that the part carries, cleaned.
    pub fn file_name(&self) -> Option<String> {
        let header = self.0.headers().get(CONTENT_DISPOSITION)?;
        disposition::file_name(header.as_bytes()).and_then(|name| disposition::clean(&name))
    }

    /// The next bytes of the part.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Problem> {
        in_time(self.0.chunk()).await?.map_err(|error| broken(&error))
    }

    /// The whole part as text, of at most [`limits::FORM_FIELD_BYTES`].
    pub async fn text(&mut self) -> Result<String, Problem> {
        let name = self.name().to_owned();
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if bytes.len() + chunk.len() > limits::FORM_FIELD_BYTES {
                let detail = format!("The form field '{name}' is larger than {} bytes.", limits::FORM_FIELD_BYTES);
                return Err(Problem::new(ErrorCode::BodyTooLarge).detail(detail));
            }
            bytes.extend_from_slice(&chunk);
        }
        String::from_utf8(bytes)
            .map_err(|_| Problem::invalid(FieldError::new("malformed", format!("form/{name}"), "must be UTF-8 text")))
    }
}

async fn in_time<T>(read: impl Future<Output = T>) -> Result<T, Problem> {
    tokio::time::timeout(limits::BODY_STALL, read)
        .await
        .map_err(|_| Problem::new(ErrorCode::BadRequest).detail("The body stopped arriving."))
}

fn broken(error: &MultipartError) -> Problem {
    Problem::new(ErrorCode::BadRequest).detail(format!("The multipart body is broken: {}.", error.body_text()))
}

impl<S: Send + Sync> FromRequest<S> for Parts {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let content_type = request.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
        if !content_type.trim_start().to_ascii_lowercase().starts_with("multipart/form-data") {
            return Err(Problem::new(ErrorCode::UnsupportedMediaType).detail("Send multipart/form-data."));
        }
        let gauge = request.extensions().get::<Gauge>().cloned().unwrap_or_default();
        let multipart = Multipart::from_request(request, state)
            .await
            .map_err(|error| Problem::new(ErrorCode::BadRequest).detail(error.body_text()))?;
        Ok(Self { multipart, gauge, seen: 0 })
    }
}
