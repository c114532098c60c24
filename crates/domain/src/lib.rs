//! The vocabulary of flyquery: every word the other crates speak, and the pure rules between them.
//!
//! Nothing here performs I/O. Clock, randomness and environment are parameters, ports are traits, and every bound the
//! product promises is named in [`limits`]. Read this crate first: `stage`, `job` and `failure` tell how an upload
//! becomes a table, `schema` and `table` what a table is, `error_code` what can go wrong.

#![warn(missing_docs)]
#![warn(clippy::wildcard_enum_match_arm)]

pub mod closed;
pub mod drift;
pub mod error_code;
pub mod event;
pub mod failure;
pub mod file;
pub mod format;
pub mod id;
pub mod job;
pub mod lifecycle;
pub mod limits;
pub mod name;
pub mod object_key;
pub mod policy;
pub mod ports;
pub mod report;
pub mod schema;
pub mod scope;
pub mod search;
pub mod semantic;
pub mod stage;
pub mod table;

pub use error_code::ErrorCode;
pub use failure::{Failure, FailureClass};
pub use file::FileStatus;
pub use format::{Compression, FileFormat};
pub use id::{
    ChangeId, DatasetId, EventId, FileId, JobId, ObjectId, RelationId, SnapshotId, TableId, TenantId, WorkspaceId,
};
pub use job::{ClaimToken, JobKind, JobState};
pub use lifecycle::Lifecycle;
pub use policy::{DriftPolicy, IngestPolicy, Locale, PiiPolicy};
pub use report::{IngestReport, StageReport, TableReport, Warning, WarningCode};
pub use schema::{Column, Schema, SqlType};
pub use scope::{Actor, Scope};
pub use stage::Stage;
