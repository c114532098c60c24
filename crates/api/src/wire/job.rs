//! Jobs and their ledger.

use chrono::{DateTime, Utc};
use domain::{DatasetId, FileId, JobKind, TableId};
use jobs::{EventRow, JobRow};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::words;
use crate::extract::{Fields, FromBody};

/// A job to be made.
#[derive(Debug, ToSchema)]
pub struct IngestJobCreate {
    /// Dataset; may be left out where `file_id` or `table_id` gives it.
    #[schema(value_type = Option<Uuid>)]
    pub dataset_id: Option<DatasetId>,
    /// What it does.
    #[schema(value_type = words::JobKind)]
    pub job_kind: JobKind,
    /// Table; needed by SAMPLE_REFRESH. For PARSE_AND_INGEST and REPARSE: the table that the file is a new version of.
    #[schema(value_type = Option<Uuid>)]
    pub table_id: Option<TableId>,
    /// File; needed by PARSE_AND_INGEST and REPARSE.
    #[schema(value_type = Option<Uuid>)]
    pub file_id: Option<FileId>,
    /// Free for the caller; kept with the job.
    #[schema(value_type = Option<Object>)]
    pub request_json: Option<Value>,
    /// Whether a `callback` was sent, which this build refuses.
    #[schema(ignore)]
    pub wants_callback: bool,
}

impl FromBody for IngestJobCreate {
    fn read(fields: &mut Fields) -> Self {
        let kinds = JobKind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ");
        if !fields.has("job_kind") {
            fields.missing("job_kind");
        }
        let known = fields.parsed("job_kind", &format!("one of {kinds}"));
        let job_kind = known.unwrap_or(JobKind::Reparse);
        let body = Self {
            dataset_id: fields.parsed("dataset_id", "a UUID"),
            job_kind,
            table_id: fields.parsed("table_id", "a UUID"),
            file_id: fields.parsed("file_id", "a UUID"),
            request_json: fields.object("request_json"),
            wants_callback: fields.has("callback"),
        };
        // what a job needs is told once its kind is known
        if known.is_some() {
            body.check(fields);
        }
        body
    }
}

impl IngestJobCreate {
    /// Each kind needs what it works on (decision 4).
    fn check(&self, fields: &mut Fields) {
        let needs = match self.job_kind {
            JobKind::ParseAndIngest | JobKind::Reparse => ("file_id", self.file_id.is_none()),
            JobKind::SampleRefresh => ("table_id", self.table_id.is_none()),
            JobKind::DescribePass | JobKind::RelationPass => {
                let given = self.file_id.is_some() || self.table_id.is_some();
                ("dataset_id", self.dataset_id.is_none() && !given)
            }
        };
        if let (name, true) = needs {
            fields.complain("missing", name, "", format!("is required for {}", self.job_kind));
        }
    }
}

/// A job.
#[derive(Debug, Serialize, ToSchema)]
pub struct IngestJobRead {
    /// Id.
    pub id: Uuid,
    /// Tenant.
    pub tenant_id: String,
    /// Workspace.
    pub workspace_id: Uuid,
    /// Dataset.
    pub dataset_id: Uuid,
    /// Table, when exactly one is meant.
    pub table_id: Option<Uuid>,
    /// File.
    pub file_id: Option<Uuid>,
    /// Snapshot, when exactly one was made.
    pub snapshot_id: Option<Uuid>,
    /// What it does.
    #[schema(value_type = words::JobKind)]
    pub job_kind: String,
    /// Where it stands.
    #[schema(value_type = words::JobStatus)]
    pub status: String,
    /// How often it was claimed.
    pub attempts: u64,
    /// What was asked.
    #[schema(value_type = Object)]
    pub request_json: Value,
    /// What came of it: an IngestJobResult, or the failure.
    #[schema(value_type = Object)]
    pub result_json: Value,
    /// Cost in cents, a decimal number.
    pub cost_cents: String,
    /// Wall time of the run, milliseconds.
    pub elapsed_ms: Option<u64>,
    /// When it was last claimed.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
}

/// A page of jobs.
#[derive(Debug, Serialize, ToSchema)]
pub struct IngestJobListResponse {
    /// Jobs.
    pub items: Vec<IngestJobRead>,
    /// Jobs in all.
    pub total: u64,
    /// Jobs asked for, at most 200.
    pub limit: i64,
    /// Jobs skipped.
    pub offset: i64,
}

/// An event of a job's ledger.
#[derive(Debug, Serialize, ToSchema)]
pub struct IngestEventRead {
    /// Its place in the ledger.
    pub id: i64,
    /// The job.
    pub ingest_job_id: Uuid,
    /// What happened.
    #[schema(value_type = words::EventStage)]
    pub stage: String,
    /// `ok` or `error`.
    #[schema(value_type = words::EventStatus)]
    pub status: String,
    /// One sentence.
    pub message: Option<String>,
    /// Facts.
    #[schema(value_type = Object)]
    pub payload_json: Value,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// A page of a job's ledger.
#[derive(Debug, Serialize, ToSchema)]
pub struct IngestEventListResponse {
    /// Events, oldest first.
    pub items: Vec<IngestEventRead>,
    /// Events in all, after the filters.
    pub total: u64,
    /// Events asked for, at most 500.
    pub limit: i64,
    /// Events skipped.
    pub offset: i64,
}

/// A ledger event as the stream sends it.
#[derive(Debug, Serialize, ToSchema)]
pub struct StreamEvent<'a> {
    /// Its place in the ledger; also the frame's `id:`.
    pub id: i64,
    /// What happened; also the frame's `event:`.
    #[schema(value_type = words::EventStage)]
    pub stage: &'static str,
    /// `ok` or `error`.
    #[schema(value_type = words::EventStatus)]
    pub status: &'static str,
    /// One sentence.
    pub message: Option<&'a str>,
    /// Facts.
    #[schema(value_type = Object)]
    pub payload: &'a Value,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// What became of a wish to cancel.
#[derive(Debug, Serialize, ToSchema)]
pub struct CancelResponse {
    /// The job.
    pub id: Uuid,
    /// Where it stands now.
    #[schema(value_type = words::JobStatus)]
    pub status: String,
    /// Requested, done, or already over.
    pub message: String,
}

impl From<JobRow> for IngestJobRead {
    fn from(row: JobRow) -> Self {
        Self {
            id: row.id.0,
            tenant_id: row.scope.tenant.to_string(),
            workspace_id: row.scope.workspace.0,
            dataset_id: row.dataset.0,
            table_id: row.table.map(|id| id.0),
            file_id: row.file.map(|id| id.0),
            snapshot_id: row.snapshot.map(|id| id.0),
            job_kind: row.kind.to_string(),
            status: row.status.to_string(),
            attempts: u64::from(row.attempts),
            request_json: row.request,
            result_json: row.result,
            cost_cents: row.cost_cents,
            elapsed_ms: row.elapsed_ms,
            started_at: row.started_at,
            finished_at: row.finished_at,
        }
    }
}

impl From<EventRow> for IngestEventRead {
    fn from(row: EventRow) -> Self {
        Self {
            id: row.id.0,
            ingest_job_id: row.job.0,
            stage: row.stage.to_string(),
            status: row.status.to_string(),
            message: row.message,
            payload_json: row.payload,
            created_at: row.created_at,
        }
    }
}

impl<'a> From<&'a EventRow> for StreamEvent<'a> {
    fn from(row: &'a EventRow) -> Self {
        Self {
            id: row.id.0,
            stage: row.stage.as_str(),
            status: row.status.as_str(),
            message: row.message.as_deref(),
            payload: &row.payload,
            created_at: row.created_at,
        }
    }
}
