//! Relations between columns (contract 2.7).

use chrono::{DateTime, Utc};
use db::RelationRow;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::extract::{Fields, FromBody};
use crate::wire::words;

/// A column that refers to a column of another table.
#[derive(Debug, Serialize, ToSchema)]
pub struct RelationRead {
    /// Id.
    pub id: Uuid,
    /// Dataset of both tables.
    pub dataset_id: Uuid,
    /// The table that refers.
    pub from_table_id: Uuid,
    /// Its name.
    pub from_table_name: Option<String>,
    /// The column that refers.
    pub from_column_name: String,
    /// The table that is referred to.
    pub to_table_id: Uuid,
    /// Its name.
    pub to_table_name: Option<String>,
    /// The column that is referred to.
    pub to_column_name: String,
    /// Who found it.
    #[schema(value_type = words::RelationKind)]
    pub kind: String,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reason: Option<String>,
    /// What people decided.
    #[schema(value_type = words::RelationStatus)]
    pub status: String,
    /// Who approved it.
    pub approved_by: Option<String>,
    /// When it was found.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

impl From<RelationRow> for RelationRead {
    fn from(row: RelationRow) -> Self {
        Self {
            id: row.id.0,
            dataset_id: row.dataset.0,
            from_table_id: row.from_table.0,
            from_table_name: row.from_table_name,
            from_column_name: row.from_column,
            to_table_id: row.to_table.0,
            to_table_name: row.to_table_name,
            to_column_name: row.to_column,
            kind: row.kind.to_string(),
            confidence: row.confidence,
            reason: row.reason,
            status: row.status.to_string(),
            approved_by: row.approved_by.map(|actor| actor.0),
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// A relation that a person knows of.
#[derive(Debug, ToSchema)]
pub struct RelationCreate {
    /// The table that refers.
    pub from_table_id: Uuid,
    /// The column that refers.
    pub from_column_name: String,
    /// The table that is referred to.
    pub to_table_id: Uuid,
    /// The column that is referred to.
    pub to_column_name: String,
    /// Why.
    #[schema(max_length = 2000)]
    pub reason: Option<String>,
}

impl FromBody for RelationCreate {
    fn read(fields: &mut Fields) -> Self {
        Self {
            from_table_id: fields.required_id("from_table_id"),
            from_column_name: fields.required_text("from_column_name", 1, 1_024),
            to_table_id: fields.required_id("to_table_id"),
            to_column_name: fields.required_text("to_column_name", 1, 1_024),
            reason: fields.text("reason", 0, 2_000),
        }
    }
}

/// An approved relation.
#[derive(Debug, Serialize, ToSchema)]
pub struct RelationApprovalRead {
    /// Id.
    pub id: Uuid,
    /// APPROVED.
    #[schema(value_type = words::RelationStatus)]
    pub status: String,
    /// Who approved it.
    pub approved_by: Option<String>,
    /// When.
    pub updated_at: DateTime<Utc>,
}

/// A rejected relation.
#[derive(Debug, Serialize, ToSchema)]
pub struct RelationRejectionRead {
    /// Id.
    pub id: Uuid,
    /// REJECTED.
    #[schema(value_type = words::RelationStatus)]
    pub status: String,
    /// When.
    pub updated_at: DateTime<Utc>,
}
