//! `flyquery_relations`.

use chrono::{DateTime, Utc};
use domain::semantic::{RelationKind, RelationStatus};
use domain::{Actor, DatasetId, RelationId, TableId};

use crate::error::DbError;
use crate::row::Row;

/// A link between two columns.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the columns of contract 3.1")]
pub struct RelationRow {
    pub id: RelationId,
    pub dataset: DatasetId,
    pub from_table: TableId,
    pub from_table_name: Option<String>,
    pub from_column: String,
    pub to_table: TableId,
    pub to_table_name: Option<String>,
    pub to_column: String,
    pub kind: RelationKind,
    pub confidence: f64,
    pub reason: Option<String>,
    pub status: RelationStatus,
    pub approved_by: Option<Actor>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl RelationRow {
    pub(crate) const TABLE: &'static str = "flyquery_relations";
    pub(crate) const COLUMNS: &'static str = "id, dataset_id, from_table_id, from_column_name, to_table_id, \
        to_column_name, kind, confidence, reason, status, approved_by, created_at, updated_at, \
        (SELECT t.name FROM flyquery_tables t WHERE t.id = from_table_id) AS from_table_name, \
        (SELECT t.name FROM flyquery_tables t WHERE t.id = to_table_id) AS to_table_name";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            dataset: row.get("dataset_id")?,
            from_table: row.get("from_table_id")?,
            from_table_name: row.get("from_table_name")?,
            from_column: row.get("from_column_name")?,
            to_table: row.get("to_table_id")?,
            to_table_name: row.get("to_table_name")?,
            to_column: row.get("to_column_name")?,
            kind: row.get("kind")?,
            confidence: row.get("confidence")?,
            reason: row.get("reason")?,
            status: row.get("status")?,
            approved_by: row.get("approved_by")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
        })
    }
}
