//! Path parameters by name.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use domain::ErrorCode;

use crate::problem::{FieldError, Problem};

/// The parameters of the matched path.
pub struct Segments(Vec<(String, String)>);

impl Segments {
    /// An id; 422 when the segment is not one.
    pub fn id<T: FromStr>(&self, name: &str) -> Result<T, Problem> {
        self.text(name)?
            .parse()
            .map_err(|_| Problem::invalid(FieldError::new("malformed", format!("path/{name}"), "must be a UUID")))
    }

    /// The segment as text, percent-decoded.
    pub fn text(&self, name: &str) -> Result<&str, Problem> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).ok_or_else(|| Problem::defect(&format!("route has no parameter {name}")))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Segments {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|error| Problem::new(ErrorCode::BadRequest).detail(error.to_string()))?;
        Ok(Self(params.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()))
    }
}
