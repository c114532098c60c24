//! The upload's door: stage 1 while the bytes arrive, then a job. Implemented by `worker`, used by `api`.

use async_trait::async_trait;
use bytes::Bytes;

use crate::error_code::ErrorCode;
use crate::failure::Failure;
use crate::format::FileFormat;
use crate::id::{DatasetId, FileId, JobId, TableId};
use crate::report::IngestReport;
use crate::scope::{Actor, Scope};

/// Where an upload goes and who sends it.
#[derive(Clone, Debug)]
pub struct UploadTarget {
    /// Tenant and workspace.
    pub scope: Scope,
    /// The dataset, which must be ACTIVE.
    pub dataset: DatasetId,
    /// Who sends it.
    pub actor: Actor,
    /// Name of the file as far as known when its first byte arrives; its extension ends the object key.
    pub file_name: Option<String>,
    /// Ties the request to logs and audit rows.
    pub correlation_id: Option<String>,
}

/// What the form says beside the bytes. Known only when the last part has been read.
#[derive(Clone, Debug, Default)]
pub struct UploadForm {
    /// Name of the file as its sender calls it.
    pub file_name: String,
    /// Format by the sender's word; overrides detection.
    pub file_format: Option<FileFormat>,
    /// How tables are found in the file.
    pub extraction_rules: Option<serde_json::Value>,
    /// The table that this upload is a new version of, when the route names one.
    pub table: Option<TableId>,
}

/// An upload that has become a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// The job.
    pub job: JobId,
    /// The stored original.
    pub file: FileId,
    /// Its dataset.
    pub dataset: DatasetId,
}

/// How a sync upload ended.
#[derive(Clone, PartialEq, Debug)]
pub enum SyncOutcome {
    /// All ten stages are done.
    Done(Box<IngestReport>),
    /// The job ended without its effect.
    Failed(JobId, Failure),
    /// A transient failure: the job goes on by the workers.
    Later(JobId),
}

/// Why an upload was refused or could not be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{code}: {detail}")]
pub struct UploadError {
    /// The code.
    pub code: ErrorCode,
    /// What happened.
    pub detail: String,
    /// The job that records rejected content; `None` when the upload was refused and left nothing behind.
    pub job: Option<JobId>,
}

impl UploadError {
    /// A refusal: no file, no job, no blob.
    pub fn refused(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), job: None }
    }
}

/// Takes uploads.
#[async_trait]
pub trait Ingest: Send + Sync + 'static {
    /// Opens an upload: checks the dataset and the quota, and prepares the blob.
    async fn begin(&self, target: UploadTarget) -> Result<Box<dyn Upload>, UploadError>;
}

/// One upload in flight. Dropping it without `accept`, `run` or `abort` leaves a blob that the sweep removes.
#[async_trait]
pub trait Upload: Send {
    /// Takes the next bytes: hashed, counted against the caps and stored.
    async fn write(&mut self, chunk: Bytes) -> Result<(), UploadError>;
    /// Detects, and makes file row, job row and outbox event in one transaction. The job waits for a worker.
    async fn accept(self: Box<Self>, form: UploadForm) -> Result<Accepted, UploadError>;
    /// As `accept`, but the job is born RUNNING here and now; waits until it has settled. The job goes on when the
    /// caller stops waiting.
    async fn run(self: Box<Self>, form: UploadForm) -> Result<SyncOutcome, UploadError>;
    /// Drops the blob.
    async fn abort(self: Box<Self>);
}
