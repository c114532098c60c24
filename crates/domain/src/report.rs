//! The report of an ingest: `IngestJobResult` of the wire, stored as `result_json` of a job that succeeded.

use serde::{Deserialize, Serialize};

use crate::closed::closed_list;
use crate::id::{DatasetId, FileId, JobId, SnapshotId, TableId};
use crate::job::JobState;
use crate::stage::Stage;

closed_list! {
    /// What a warning is about.
    pub enum WarningCode {
        /// The file has a header and no rows.
        HeaderOnly = "HEADER_ONLY",
        /// Bytes that are not text in the file's encoding were replaced.
        EncodingReplaced = "ENCODING_REPLACED",
        /// The encoding was guessed, not declared.
        EncodingGuessed = "ENCODING_GUESSED",
        /// Rows had fewer or more fields than the header.
        RaggedRows = "RAGGED_ROWS",
        /// Lines before the header or after the data were left out of the table.
        LinesSkipped = "LINES_SKIPPED",
        /// Missing-value marks were read as null in a typed column.
        MissingMarks = "MISSING_MARKS",
        /// A column of dates could be read day first or month first; the choice is named.
        AmbiguousDates = "AMBIGUOUS_DATES",
        /// A column of numbers has marks that could be decimal or between thousands; the choice is named.
        AmbiguousNumbers = "AMBIGUOUS_NUMBERS",
        /// A column looks typed but some values would be lost; it stays text.
        KeptAsText = "KEPT_AS_TEXT",
        /// Column names were made up, trimmed, shortened or made unique.
        NamesChanged = "NAMES_CHANGED",
        /// Lines that hold no valid record were left out.
        BadLines = "BAD_LINES",
        /// An object has a key more than once; its last value was kept.
        DuplicateKeys = "DUPLICATE_KEYS",
        /// Values of a document that stand beside its tables were left out.
        ValuesLeftOut = "VALUES_LEFT_OUT",
        /// Quotes stand where a quoted field neither begins nor ends; they were kept as text.
        StrayQuotes = "STRAY_QUOTES",
        /// The file ends inside a quoted field.
        UnclosedQuote = "UNCLOSED_QUOTE",
        /// Finer than microseconds; rounded.
        TimestampRounded = "TIMESTAMP_ROUNDED",
        /// One section failed while others stand.
        SectionFailed = "SECTION_FAILED",
        /// A later upload is already current; this snapshot is READY but not current.
        Superseded = "SUPERSEDED",
    }
}

/// Something a user could dispute, with its count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Warning {
    /// What it is about.
    pub code: WarningCode,
    /// One sentence: what was done and where the first places are; never a cell's text.
    pub message: String,
    /// Table, when one is meant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub table: Option<String>,
    /// Column, when one is meant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<String>,
    /// How many rows or cells.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rows: Option<u64>,
}

impl Warning {
    /// A warning about the file as a whole.
    pub fn new(code: WarningCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), table: None, column: None, rows: None }
    }

    /// The same warning about one column.
    pub fn column(mut self, column: impl Into<String>) -> Self {
        self.column = Some(column.into());
        self
    }

    /// The same warning about one table.
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }

    /// The same warning with a count.
    pub fn rows(mut self, rows: u64) -> Self {
        self.rows = Some(rows);
        self
    }
}

/// One table of an ingest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableReport {
    /// The table.
    pub table_id: TableId,
    /// Its name.
    pub name: String,
    /// `<dataset>.<table>`.
    pub qualified_name: String,
    /// The snapshot this ingest made.
    pub snapshot_id: SnapshotId,
    /// Where in the file it came from; null for one-table files.
    pub sheet_or_json_path: Option<String>,
    /// Number of columns.
    pub n_columns: u64,
    /// Same as `n_rows_actual`; kept for clients of the contract.
    pub n_rows_estimate: u64,
    /// Number of rows.
    pub n_rows_actual: u64,
    /// Size of the Parquet file in bytes.
    pub parquet_byte_size: u64,
}

/// One stage of an ingest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StageReport {
    /// The stage.
    pub stage: Stage,
    /// `done` or `skipped`.
    pub status: StageOutcome,
    /// Wall time in milliseconds.
    pub elapsed_ms: u64,
}

closed_list! {
    /// How a stage ended.
    pub enum StageOutcome {
        /// It ran.
        Done = "done",
        /// Policy or a threshold left it out.
        Skipped = "skipped",
    }
}

/// `IngestJobResult` of decision 1.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct IngestReport {
    /// The job.
    pub job_id: JobId,
    /// SUCCEEDED, when it is stored on the job.
    pub status: JobState,
    /// The file.
    pub file_id: FileId,
    /// The dataset.
    pub dataset_id: DatasetId,
    /// Tables in the file's order.
    pub tables: Vec<TableReport>,
    /// Stages in their order.
    pub stages: Vec<StageReport>,
    /// What a user could dispute.
    pub warnings: Vec<Warning>,
    /// Wall time from claim to end, milliseconds.
    pub elapsed_ms: u64,
    /// Cost in cents, a decimal number.
    pub cost_cents: String,
}
