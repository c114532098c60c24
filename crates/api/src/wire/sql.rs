//! Direct SQL.

use std::collections::BTreeMap;

use domain::{DatasetId, SnapshotId, limits};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{table::ColumnRead, words};
use crate::extract::{Fields, FromBody};

/// One read-only statement over a dataset's tables.
#[derive(Debug, ToSchema)]
pub struct SqlExecuteRequest {
    /// Dataset.
    #[schema(value_type = Uuid)]
    pub dataset_id: DatasetId,
    /// The statement.
    #[schema(min_length = 1, max_length = 65536)]
    pub sql: String,
    /// Snapshots to read instead of the current ones, by table name.
    #[schema(value_type = Option<BTreeMap<String, Uuid>>)]
    pub snapshot_pins: BTreeMap<String, SnapshotId>,
    /// Whether `columns` and `rows` are filled.
    #[schema(value_type = Option<bool>, default = false)]
    pub include_rows: bool,
    /// Rows wanted at most; never more than the server's cap.
    #[schema(value_type = Option<u64>, minimum = 1)]
    pub row_cap: Option<usize>,
}

impl FromBody for SqlExecuteRequest {
    fn read(fields: &mut Fields) -> Self {
        if !fields.has("dataset_id") {
            fields.missing("dataset_id");
        }
        Self {
            dataset_id: fields.parsed("dataset_id", "a UUID").unwrap_or(DatasetId(Uuid::nil())),
            sql: fields.required_text("sql", 1, limits::SQL_CHARS),
            snapshot_pins: pins(fields),
            include_rows: fields.boolean("include_rows").unwrap_or(false),
            row_cap: fields.integer("row_cap", 1, i64::from(u32::MAX)).map(|rows| rows as usize),
        }
    }
}

fn pins(fields: &mut Fields) -> BTreeMap<String, SnapshotId> {
    let Some(Value::Object(object)) = fields.object("snapshot_pins") else { return BTreeMap::new() };
    let mut pins = BTreeMap::new();
    for (table, value) in object {
        match value.as_str().and_then(|text| text.parse().ok()) {
            Some(id) => {
                pins.insert(table, id);
            }
            None => fields.complain("malformed", "snapshot_pins", &format!("/{table}"), "must be a snapshot's UUID"),
        }
    }
    pins
}

/// What came of a statement. A refused or failed statement answers here too, with `error`.
#[derive(Debug, Serialize, ToSchema)]
pub struct SqlExecuteResponse {
    /// Names this run.
    pub query_id: Uuid,
    /// The statement as it was run.
    pub sql: String,
    /// Kind of statement.
    #[schema(value_type = words::StatementKind)]
    pub ast_classification: &'static str,
    /// OK, FAILED or REJECTED_BY_FIREWALL.
    pub execution_status: &'static str,
    /// The first ten rows as objects.
    #[schema(value_type = Option<Vec<Object>>)]
    pub preview: Option<Vec<Map<String, Value>>>,
    /// Rows returned.
    pub row_count: Option<usize>,
    /// Wall time, milliseconds.
    pub elapsed_ms: Option<u64>,
    /// Whether rows were cut off at the cap.
    pub truncated: bool,
    /// The snapshot that answered for each table of the dataset.
    pub snapshot_pins: BTreeMap<String, Uuid>,
    /// Columns, when asked for with `include_rows`.
    pub columns: Option<Vec<ColumnRead>>,
    /// Rows, one list each, when asked for with `include_rows`.
    #[schema(value_type = Option<Vec<Vec<Value>>>)]
    pub rows: Option<Vec<Vec<Value>>>,
    /// Why there are no rows.
    pub error: Option<SqlFailure>,
}

/// Why a statement did not answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct SqlFailure {
    /// A code of the closed list.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
}
