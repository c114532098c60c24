//! SQL over published snapshots. Implemented by `query`, used by `api`.

use std::time::Duration;

use async_trait::async_trait;

use crate::schema::Column;
use crate::table::PublishedTable;

/// A statement with its limits. The catalogue is exactly the tables handed over: what is not in the list does not exist.
#[derive(Clone, Debug)]
pub struct SqlRequest {
    /// The statement.
    pub sql: String,
    /// Tables it may read.
    pub tables: Vec<PublishedTable>,
    /// Name of the dataset they are of, so that `dataset.table` finds them too; no other qualifier is known.
    pub dataset: Option<String>,
    /// Rows returned at most; more are cut off and reported.
    pub row_cap: usize,
    /// Wall time allowed.
    pub timeout: Duration,
}

/// What kind of statement it was.
pub use statement::StatementKind;

mod statement {
    use crate::closed::closed_list;

    closed_list! {
        /// Classification of a statement by its syntax tree.
        pub enum StatementKind {
            /// Reads.
            Select = "SELECT",
            /// Adds rows.
            Insert = "INSERT",
            /// Changes rows.
            Update = "UPDATE",
            /// Removes rows.
            Delete = "DELETE",
            /// Changes the catalogue, the session or the outside.
            Ddl = "DDL",
            /// Can't be parsed.
            Unknown = "UNKNOWN",
        }
    }
}

/// Rows of a statement.
#[derive(Clone, PartialEq, Debug)]
pub struct SqlRows {
    /// Columns in order.
    pub columns: Vec<Column>,
    /// Values in JSON, one list a row. 64-bit integers, decimals and dates keep every digit: integers as numbers,
    /// decimals, dates and times as strings.
    pub rows: Vec<Vec<serde_json::Value>>,
    /// Whether rows were cut off at the cap.
    pub truncated: bool,
}

/// Why a statement did not answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SqlError {
    /// Not a single read-only statement over the tables handed over.
    #[error("refused: {0}")]
    Refused(String),
    /// Wrong syntax, unknown name, wrong type, a value out of range.
    #[error("{0}")]
    Wrong(String),
    /// Ran past its time.
    #[error("the statement ran past its {0:?} limit")]
    TimedOut(Duration),
    /// Needs more memory than allowed.
    #[error("the statement needs more memory than allowed: {0}")]
    OutOfMemory(String),
    /// The store did not answer, or a defect.
    #[error("{0}")]
    Internal(String),
}

/// Runs SQL.
#[async_trait]
pub trait Sql: Send + Sync + 'static {
    /// What kind of statement this is; `Unknown` when it does not parse.
    fn classify(&self, sql: &str) -> StatementKind;
    /// Runs one read-only statement.
    async fn execute(&self, request: SqlRequest) -> Result<SqlRows, SqlError>;
    /// A page of a table's rows in file order.
    async fn rows(&self, table: &PublishedTable, offset: u64, limit: usize) -> Result<SqlRows, SqlError>;
}
