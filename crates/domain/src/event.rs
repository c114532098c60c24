//! Events: what the ledger of a job records and what the bus carries.

use serde::{Deserialize, Serialize};

use crate::closed::closed_list;

closed_list! {
    /// Stage word of a ledger event, as `/events` and the stream show it (contract 4.1).
    pub enum EventStage {
        /// The job exists.
        Queued = "queued",
        /// A worker claimed it.
        Running = "running",
        /// Stage 1.
        Received = "received",
        /// Stage 2.
        Parsed = "parsed",
        /// Stage 3, per table.
        Reconciled = "reconciled",
        /// Stage 4, per table.
        Sampled = "sampled",
        /// Stage 5, per table.
        Profiled = "profiled",
        /// Stage 6.
        RelationsProposed = "relations_proposed",
        /// Stage 7, per table.
        Described = "described",
        /// Stage 8, per table.
        PiiTagged = "pii_tagged",
        /// Stage 9, per table.
        Embedded = "embedded",
        /// Stage 10, per table.
        Published = "published",
        /// The job went back to the queue: handed back, retried or reaped.
        Requeued = "requeued",
        /// The job succeeded; last event.
        Final = "final",
        /// The job failed or was cancelled; last event.
        Error = "error",
    }
}

closed_list! {
    /// Whether an event reports progress or trouble.
    pub enum EventStatus {
        /// Progress.
        Ok = "ok",
        /// Trouble.
        Error = "error",
    }
}

/// A ledger event before it has an id.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NewEvent {
    /// Stage word.
    pub stage: EventStage,
    /// Progress or trouble.
    pub status: EventStatus,
    /// One sentence for people; never a cell's text.
    pub message: Option<String>,
    /// Facts for programs.
    pub payload: serde_json::Value,
}

impl NewEvent {
    /// An event that reports progress.
    pub fn ok(stage: EventStage, payload: serde_json::Value) -> Self {
        Self { stage, status: EventStatus::Ok, message: None, payload }
    }

    /// An event that reports trouble.
    pub fn error(stage: EventStage, message: impl Into<String>, payload: serde_json::Value) -> Self {
        Self { stage, status: EventStatus::Error, message: Some(message.into()), payload }
    }

    /// The same event with a sentence for people.
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

/// Live progress inside a long stage; shown on streams, never stored in the ledger.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// Stage word of the running stage (`Stage::as_str`).
    pub stage: String,
    /// Table being worked on, when known.
    pub table: Option<String>,
    /// Rows done.
    pub rows: u64,
    /// Bytes of input consumed.
    pub bytes: u64,
    /// Bytes of input in all, when known.
    pub bytes_total: Option<u64>,
}

/// Destinations of the bus.
pub mod topic {
    /// Jobs that wait.
    pub const INGEST: &str = "flyquery.ingest";
    /// Snapshots that became current.
    pub const SCHEMA: &str = "flyquery.schema";
    /// Audit events.
    pub const AUDIT: &str = "flyquery.audit";
}
