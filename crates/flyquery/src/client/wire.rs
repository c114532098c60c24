//! What the server says, as far as the commands read it. Fields they do not read are kept where a document is passed on.

use std::fmt;

use domain::{DatasetId, JobId, JobState};
use reqwest::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `GET /version`.
#[derive(Clone, Debug, Deserialize)]
pub struct Version {
    /// Product name.
    pub name: String,
    /// Version.
    pub version: String,
}

/// A dataset.
#[derive(Clone, Debug, Deserialize)]
pub struct Dataset {
    /// Its id.
    pub id: DatasetId,
    /// Its name.
    pub name: String,
}

/// A job.
#[derive(Clone, Debug, Deserialize)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// What it does.
    #[serde(rename = "job_kind")]
    pub kind: String,
    /// Where it stands.
    pub status: JobState,
    /// Claims so far.
    pub attempts: u64,
    /// The report of a job that succeeded, the failure of one that did not.
    pub result_json: Value,
    /// Wall time.
    pub elapsed_ms: Option<u64>,
    /// When it was claimed.
    pub started_at: Option<String>,
}

/// A table or column as the catalogue describes it.
#[derive(Clone, Debug, Deserialize)]
pub struct SchemaObject {
    /// `TABLE` or `COLUMN`.
    pub kind: String,
    /// `<dataset>.<table>[.<column>]`.
    pub qualified_name: String,
    /// SQL type of a column.
    pub data_type: Option<String>,
    /// One sentence.
    pub description: Option<String>,
    /// Personal data in it.
    pub pii_tag: Option<String>,
    /// Semantic type and more.
    #[serde(default)]
    pub governance_json: Value,
    /// Profile.
    #[serde(default)]
    pub profile: Value,
    /// Sample values.
    #[serde(default)]
    pub samples: Value,
}

/// A table or column that was found.
#[derive(Clone, Debug, Deserialize)]
pub struct SearchHit {
    /// The object.
    pub object: SchemaObject,
    /// What it was found by.
    pub snippet: String,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlColumn {
    /// Name.
    pub name: String,
    /// SQL type.
    pub data_type: String,
}

/// `sql:execute`.
#[derive(Clone, Debug, Deserialize)]
pub struct SqlAnswer {
    /// `OK` or why not.
    pub execution_status: String,
    /// Wall time.
    pub elapsed_ms: Option<u64>,
    /// Whether rows were cut off.
    #[serde(default)]
    pub truncated: bool,
    /// Columns.
    #[serde(default)]
    pub columns: Option<Vec<SqlColumn>>,
    /// Rows.
    #[serde(default)]
    pub rows: Option<Vec<Vec<Value>>>,
    /// Why it did not run.
    #[serde(default)]
    pub error: Option<SqlFailure>,
}

/// Why a statement did not run.
#[derive(Clone, Debug, Deserialize)]
pub struct SqlFailure {
    /// Code.
    pub code: String,
    /// One sentence.
    pub message: String,
}

/// `GET /tables/{id}/rows`.
#[derive(Clone, Debug, Deserialize)]
pub struct Rows {
    /// Columns in the file's order.
    pub columns: Vec<SqlColumn>,
    /// Rows.
    pub rows: Vec<Vec<Value>>,
}

/// A refusal: `application/problem+json`.
#[derive(Clone, Debug)]
pub struct Problem {
    /// HTTP status.
    pub status: StatusCode,
    /// The document; an empty object when the answer was none.
    pub body: Value,
}

impl Problem {
    /// Reads a refusal, whatever a proxy in between made of it.
    pub fn read(status: StatusCode, bytes: &[u8]) -> Self {
        let body = serde_json::from_slice(bytes).ok().filter(Value::is_object);
        Self { status, body: body.unwrap_or_else(|| Value::Object(serde_json::Map::new())) }
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.body.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// Its code.
    pub fn code(&self) -> &str {
        self.text("code").unwrap_or("unknown")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = self.text("title").or(self.status.canonical_reason()).unwrap_or("the server refused the request");
        write!(f, "{title} ({}, HTTP {})", self.code(), self.status.as_u16())?;
        if let Some(detail) = self.text("detail") {
            write!(f, "\n  {detail}")?;
        }
        for error in self.body.get("errors").and_then(Value::as_array).into_iter().flatten() {
            let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
            write!(f, "\n  {}: {}", word("path"), word("message"))?;
        }
        if let Some(advice) = self.text("advice") {
            write!(f, "\n  {advice}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_told_with_its_detail_its_places_and_what_to_do() {
        let body = br#"{"code":"invalid_request","title":"No","detail":"Why.","advice":"Mend it.",
                        "errors":[{"code":"x","path":"/name","message":"is too long"}]}"#;
        let problem = Problem::read(StatusCode::UNPROCESSABLE_ENTITY, body);
        assert_eq!(problem.to_string(), "No (invalid_request, HTTP 422)\n  Why.\n  /name: is too long\n  Mend it.");
    }

    #[test]
    fn an_answer_of_a_stranger_is_still_told() {
        let problem = Problem::read(StatusCode::BAD_GATEWAY, b"<html>");
        assert_eq!(problem.to_string(), "Bad Gateway (unknown, HTTP 502)");
    }
}
