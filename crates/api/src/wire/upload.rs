//! Answers to uploads.

use domain::ports::ingest::Accepted;
use domain::report::{StageReport, TableReport};
use domain::{IngestReport, Warning};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::words;
use crate::problem::Problem;

/// A file that waits to be ingested.
#[derive(Debug, Serialize, ToSchema)]
pub struct AsyncFileUploadAccepted {
    /// The job.
    pub job_id: Uuid,
    /// The stored original.
    pub file_id: Uuid,
    /// Its dataset.
    pub dataset_id: Uuid,
    /// PENDING.
    pub status: &'static str,
}

impl From<Accepted> for AsyncFileUploadAccepted {
    fn from(accepted: Accepted) -> Self {
        Self {
            job_id: accepted.job.0,
            file_id: accepted.file.0,
            dataset_id: accepted.dataset.0,
            status: domain::JobState::Pending.as_str(),
        }
    }
}

/// A file that has been ingested.
#[derive(Debug, Serialize, ToSchema)]
pub struct IngestJobResult {
    /// The job.
    pub job_id: Uuid,
    /// SUCCEEDED.
    #[schema(value_type = words::JobStatus)]
    pub status: String,
    /// The stored original.
    pub file_id: Uuid,
    /// Its dataset.
    pub dataset_id: Uuid,
    /// Tables in the file's order.
    pub tables: Vec<IngestedTable>,
    /// Stages in their order.
    pub stages: Vec<IngestStage>,
    /// What a user could dispute.
    pub warnings: Vec<IngestWarning>,
    /// Wall time, milliseconds.
    pub elapsed_ms: u64,
    /// Cost in cents, a decimal number.
    pub cost_cents: String,
}

/// A new version of one table.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReuploadResult {
    /// The ingest.
    #[serde(flatten)]
    pub ingest: IngestJobResult,
    /// The snapshot this upload made.
    pub snapshot_id: Uuid,
    /// Columns.
    pub n_columns: u64,
    /// Rows.
    pub n_rows_actual: u64,
}

impl ReuploadResult {
    /// The answer about the only table of `report`.
    pub fn of(report: IngestReport) -> Result<Self, Problem> {
        let [table] = report.tables.as_slice() else {
            return Err(Problem::defect(&format!("job {} made {} tables", report.job_id, report.tables.len())));
        };
        let (snapshot_id, n_columns, n_rows_actual) = (table.snapshot_id.0, table.n_columns, table.n_rows_actual);
        Ok(Self { ingest: report.into(), snapshot_id, n_columns, n_rows_actual })
    }
}

/// A table made from a file.
#[derive(Debug, Serialize, ToSchema)]
pub struct IngestedTable {
    /// Table.
    pub table_id: Uuid,
    /// Name.
    pub name: String,
    /// `<dataset>.<table>`.
    pub qualified_name: String,
    /// The snapshot this upload made.
    pub snapshot_id: Uuid,
    /// Where in the file it came from.
    pub sheet_or_json_path: Option<String>,
    /// Columns.
    pub n_columns: u64,
    /// Same as `n_rows_actual`.
    pub n_rows_estimate: u64,
    /// Rows.
    pub n_rows_actual: u64,
    /// Bytes of its Parquet file.
    pub parquet_byte_size: u64,
}

/// A stage of an ingest.
#[derive(Debug, Serialize, ToSchema)]
pub struct IngestStage {
    /// Which.
    #[schema(value_type = words::StageName)]
    pub stage: String,
    /// `done` or `skipped`.
    #[schema(value_type = words::StageOutcome)]
    pub status: String,
    /// Wall time, milliseconds.
    pub elapsed_ms: u64,
}

/// What a user could dispute.
#[derive(Debug, Serialize, ToSchema)]
pub struct IngestWarning {
    /// What it is about.
    #[schema(value_type = words::WarningCode)]
    pub code: String,
    /// One sentence.
    pub message: String,
    /// Table.
    pub table: Option<String>,
    /// Column.
    pub column: Option<String>,
    /// Rows or cells concerned.
    pub rows: Option<u64>,
}

impl From<IngestReport> for IngestJobResult {
    fn from(report: IngestReport) -> Self {
        Self {
            job_id: report.job_id.0,
            status: report.status.to_string(),
            file_id: report.file_id.0,
            dataset_id: report.dataset_id.0,
            tables: report.tables.into_iter().map(Into::into).collect(),
            stages: report.stages.into_iter().map(Into::into).collect(),
            warnings: report.warnings.into_iter().map(Into::into).collect(),
            elapsed_ms: report.elapsed_ms,
            cost_cents: report.cost_cents,
        }
    }
}

impl From<TableReport> for IngestedTable {
    fn from(table: TableReport) -> Self {
        Self {
            table_id: table.table_id.0,
            name: table.name,
            qualified_name: table.qualified_name,
            snapshot_id: table.snapshot_id.0,
            sheet_or_json_path: table.sheet_or_json_path,
            n_columns: table.n_columns,
            n_rows_estimate: table.n_rows_estimate,
            n_rows_actual: table.n_rows_actual,
            parquet_byte_size: table.parquet_byte_size,
        }
    }
}

impl From<StageReport> for IngestStage {
    fn from(stage: StageReport) -> Self {
        Self { stage: stage.stage.to_string(), status: stage.status.to_string(), elapsed_ms: stage.elapsed_ms }
    }
}

impl From<Warning> for IngestWarning {
    fn from(warning: Warning) -> Self {
        Self {
            code: warning.code.to_string(),
            message: warning.message,
            table: warning.table,
            column: warning.column,
            rows: warning.rows,
        }
    }
}
