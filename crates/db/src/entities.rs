//! Rows as the catalogue gives them, one file per table: plain structs of domain values.

mod change;
mod dataset;
mod file;
mod object;
mod ops;
mod outbox;
mod pending;
mod relation;
mod snapshot;
mod table;
mod workspace;

pub use change::ChangeRow;
pub use dataset::DatasetRow;
pub use file::FileRow;
pub use object::{Annotations, ObjectRow};
pub use ops::{AuditRow, CostRow};
pub use outbox::OutboxRow;
pub use pending::PendingRow;
pub use relation::RelationRow;
pub use snapshot::SnapshotRow;
pub(crate) use snapshot::published;
pub use table::TableRow;
pub use workspace::WorkspaceRow;

use crate::error::DbError;
use crate::row::Row;

/// A column that holds a JSON value of a known shape.
fn json<T: serde::de::DeserializeOwned>(row: &Row, column: &str) -> Result<T, DbError> {
    let value: serde_json::Value = row.get(column)?;
    shaped(value, column)
}

/// As [`json`]; `None` for NULL.
fn json_opt<T: serde::de::DeserializeOwned>(row: &Row, column: &str) -> Result<Option<T>, DbError> {
    let value: Option<serde_json::Value> = row.get(column)?;
    value.map(|value| shaped(value, column)).transpose()
}

fn shaped<T: serde::de::DeserializeOwned>(value: serde_json::Value, column: &str) -> Result<T, DbError> {
    // the error may quote the value: name only the column
    serde_json::from_value(value).map_err(|_| DbError::Bug(format!("column {column} holds JSON of another shape")))
}
