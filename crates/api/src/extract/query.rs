//! Query parameters: unknown names are ignored (decision 30), values that can't be parsed are 422 (decision 5).

use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use chrono::{DateTime, NaiveDate, Utc};
use domain::ErrorCode;

use crate::problem::{FieldError, Problem};

/// The query string, read parameter by parameter; complaints are collected until [`Query::finish`].
pub struct Query {
    pairs: Vec<(String, String)>,
    errors: Vec<FieldError>,
}

impl Query {
    /// The last value of a parameter; an empty one counts as absent.
    pub fn text(&self, name: &str) -> Option<String> {
        let found = self.pairs.iter().rev().find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
    }

    /// A text that must be there and hold more than blanks, of at most `most` characters.
    pub fn required(&mut self, name: &str, most: usize) -> String {
        let text = self.text(name).filter(|text| !text.trim().is_empty()).unwrap_or_default();
        if text.is_empty() {
            self.complain("missing", name, "must be there and not blank".to_owned());
        } else if text.chars().count() > most {
            self.complain("out_of_range", name, format!("must have at most {most} characters"));
        }
        text
    }

    /// A text to look for, of at most `most` characters without NUL.
    pub fn pattern(&mut self, name: &str, most: usize) -> Option<String> {
        let text = self.text(name)?;
        if text.chars().count() > most {
            self.complain("out_of_range", name, format!("must have at most {most} characters"));
        } else if text.contains('\0') {
            self.complain("malformed", name, "must not contain the NUL character".to_owned());
        }
        Some(text)
    }

    /// A parameter of any type that parses; `expected` ends the sentence "must be …".
    pub fn parsed<T: FromStr>(&mut self, name: &str, expected: &str) -> Option<T> {
        let text = self.text(name)?;
        let parsed = text.trim().parse().ok();
        if parsed.is_none() {
            self.complain("malformed", name, format!("must be {expected}"));
        }
        parsed
    }

    /// An id.
    pub fn id<T: FromStr>(&mut self, name: &str) -> Option<T> {
        self.parsed(name, "a UUID")
    }

    /// true or false (also 1 and 0).
    pub fn boolean(&mut self, name: &str) -> Option<bool> {
        let text = self.text(name)?;
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => {
                self.complain("malformed", name, "must be true or false".to_owned());
                None
            }
        }
    }

    /// An instant (RFC 3339) or a day, which stands for its first instant in UTC.
    pub fn time(&mut self, name: &str) -> Option<DateTime<Utc>> {
        // A '+' of an offset that the sender forgot to encode arrives as a blank.
        let text = self.text(name)?.replace(' ', "+");
        let day = || text.parse::<NaiveDate>().ok().and_then(|day| day.and_hms_opt(0, 0, 0)).map(|t| t.and_utc());
        let parsed = DateTime::parse_from_rfc3339(&text).ok().map(|t| t.with_timezone(&Utc)).or_else(day);
        if parsed.is_none() {
            self.complain("malformed", name, "must be an RFC 3339 time or a date".to_owned());
        }
        parsed
    }

    /// A comma list of words of a closed list; several parameters of the name add up.
    pub fn words<T: FromStr<Err = domain::closed::UnknownWord>>(&mut self, name: &str) -> Vec<T> {
        let values: Vec<String> =
            self.pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone()).collect();
        let mut words = Vec::new();
        for word in values.iter().flat_map(|value| value.split(',')).map(str::trim).filter(|word| !word.is_empty()) {
            match word.parse::<T>() {
                Ok(parsed) => words.push(parsed),
                Err(error) => self.complain("unknown_value", name, error.to_string()),
            }
        }
        words
    }

    /// `limit` and `offset` as sent; absent is `(default, 0)`.
    pub fn window(&mut self, default: i64) -> Window {
        let limit = self.parsed("limit", "an integer").unwrap_or(default);
        let offset = self.parsed("offset", "an integer").unwrap_or(0);
        Window { limit, offset }
    }

    fn complain(&mut self, code: &'static str, name: &str, message: String) {
        self.errors.push(FieldError::new(code, format!("query/{name}"), message));
    }

    /// 422 naming every parameter that was wrong.
    pub fn finish(self) -> Result<(), Problem> {
        if self.errors.is_empty() { Ok(()) } else { Err(Problem::several(ErrorCode::InvalidRequest, self.errors)) }
    }
}

/// The page a caller asked for, not clamped yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Items wanted.
    pub limit: i64,
    /// Items skipped.
    pub offset: i64,
}

impl Window {
    /// The window within 1..=max items and from 0 on.
    pub fn clamp(self, max: u64) -> Self {
        Self { limit: self.limit.clamp(1, max as i64), offset: self.offset.max(0) }
    }
}

impl From<Window> for db::Page {
    fn from(window: Window) -> Self {
        Self { limit: window.limit.max(0) as u64, offset: window.offset.max(0) as u64 }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let pairs = axum::extract::Query::<Vec<(String, String)>>::from_request_parts(parts, state)
            .await
            .map_err(|error| Problem::new(ErrorCode::BadRequest).detail(error.body_text()))?;
        Ok(Self { pairs: pairs.0, errors: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use domain::JobState;

    use super::*;

    fn query(pairs: &[(&str, &str)]) -> Query {
        Query { pairs: pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(), errors: Vec::new() }
    }

    #[test]
    fn every_wrong_parameter_is_named() {
        let mut q = query(&[("limit", "ten"), ("status", "PENDING,DONE"), ("created_before", "yesterday")]);
        assert_eq!(q.window(50), Window { limit: 50, offset: 0 });
        assert_eq!(q.words::<JobState>("status"), [JobState::Pending]);
        assert!(q.time("created_before").is_none());
        let paths: Vec<String> = q.errors.iter().map(|e| e.path.clone()).collect();
        assert_eq!(paths, ["query/limit", "query/status", "query/created_before"]);
        assert!(q.finish().is_err());
    }

    #[test]
    fn times_are_instants_or_days() {
        let mut q = query(&[("a", "2024-05-01T10:00:00Z"), ("b", "2024-05-01"), ("c", "2024-05-01T10:00:00 02:00")]);
        assert_eq!(q.time("a").expect("instant").to_rfc3339(), "2024-05-01T10:00:00+00:00");
        assert_eq!(q.time("b").expect("day").to_rfc3339(), "2024-05-01T00:00:00+00:00");
        assert_eq!(q.time("c").expect("unencoded plus").to_rfc3339(), "2024-05-01T08:00:00+00:00");
        q.finish().expect("nothing wrong");
    }

    #[test]
    fn windows_are_clamped_not_refused() {
        let window = Window { limit: 100_000, offset: -5 };
        assert_eq!(window.clamp(1_000), Window { limit: 1_000, offset: 0 });
        assert_eq!(Window { limit: 0, offset: 0 }.clamp(200).limit, 1);
    }
}
