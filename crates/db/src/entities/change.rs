//! `flyquery_schema_changes`.

use chrono::{DateTime, Utc};
use domain::drift::ChangeKind;
use domain::{Actor, ChangeId, SnapshotId, TableId};

use crate::error::DbError;
use crate::row::Row;

/// A difference between two snapshots of a table.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the columns of contract 3.1")]
pub struct ChangeRow {
    pub id: ChangeId,
    pub table: TableId,
    pub prev_snapshot: Option<SnapshotId>,
    pub next_snapshot: SnapshotId,
    pub column_name: String,
    pub change: ChangeKind,
    pub before: Option<serde_json::Value>,
    pub after: Option<serde_json::Value>,
    pub rationale: Option<String>,
    pub approved_by: Option<Actor>,
    pub approved_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

impl ChangeRow {
    /// The new name of a renamed column; `None` for every other change.
    pub fn renamed_to(&self) -> Option<&str> {
        if self.change == ChangeKind::Renamed { self.after.as_ref()?["column_name"].as_str() } else { None }
    }

    pub(crate) const TABLE: &'static str = "flyquery_schema_changes";
    pub(crate) const COLUMNS: &'static str = "id, table_id, prev_snapshot_id, next_snapshot_id, column_name, change, \
        before_json, after_json, llm_rationale, approved_by, approved_at, created_at";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            table: row.get("table_id")?,
            prev_snapshot: row.get("prev_snapshot_id")?,
            next_snapshot: row.get("next_snapshot_id")?,
            column_name: row.get("column_name")?,
            change: row.get("change")?,
            before: row.get("before_json")?,
            after: row.get("after_json")?,
            rationale: row.get("llm_rationale")?,
            approved_by: row.get("approved_by")?,
            approved_at: row.get("approved_at")?,
            created_at: row.get("created_at")?,
        })
    }
}
