//! Failures: the file's fault, the world's fault, ours, or nobody's because a person cancelled.

use serde::{Deserialize, Serialize};

use crate::error_code::ErrorCode;
use crate::stage::Stage;

/// Whose fault a failure is; decides what happens to the job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// The file's (or the caller's) fault: FAILED at once, never retried.
    Rejected,
    /// The world's fault: back to PENDING with backoff up to the cap.
    Transient,
    /// A person asked for it.
    Cancelled,
    /// Ours: FAILED at once, with a correlation id.
    Bug,
}

/// Why a job ended without its effect.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize, Deserialize)]
#[error("{code}: {detail}")]
pub struct Failure {
    /// The code; its class decides about a retry.
    pub code: ErrorCode,
    /// What happened and where (file, sheet, row, column); never a cell's text.
    pub detail: String,
    /// The stage it happened in, when one had begun.
    pub stage: Option<Stage>,
}

impl Failure {
    /// A failure whose stage is filled in by the pipeline.
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), stage: None }
    }

    /// The same failure, placed in a stage unless it already is in one.
    pub fn in_stage(mut self, stage: Stage) -> Self {
        self.stage.get_or_insert(stage);
        self
    }

    /// Whose fault it is.
    pub fn class(&self) -> FailureClass {
        self.code.class()
    }

    /// The job's `result_json` (decision 14).
    pub fn to_result_json(&self) -> serde_json::Value {
        let class = self.class();
        serde_json::json!({
            "error_code": self.code.as_str(),
            "error_detail": self.detail,
            "error_type": class,
            "message": format!("{}. {} {}", self.code.title(), self.detail, self.code.advice()),
            "failed_stage": self.stage,
            "retriable": class == FailureClass::Transient,
        })
    }
}
