//! Schema objects: what is known of a table or a column.

use chrono::{DateTime, Utc};
use db::ObjectRow;
use domain::semantic::PiiTag;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::words;
use crate::extract::{Fields, FromBody};

/// A table or a column of one snapshot, with what is known of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SchemaObjectRead {
    /// Id.
    pub id: Uuid,
    /// Tenant.
    pub tenant_id: String,
    /// Workspace.
    pub workspace_id: Uuid,
    /// Table.
    pub table_id: Uuid,
    /// Snapshot.
    pub snapshot_id: Uuid,
    /// TABLE or COLUMN.
    #[schema(value_type = words::ObjectKind)]
    pub kind: String,
    /// `<dataset>.<table>` or `<dataset>.<table>.<column>`.
    pub qualified_name: String,
    /// SQL type of a column.
    pub data_type: Option<String>,
    /// Whether values are missing in a column.
    pub is_nullable: Option<bool>,
    /// What it holds.
    pub description: Option<String>,
    /// Who says so.
    pub description_source: Option<String>,
    /// Other names.
    pub synonyms_json: Vec<String>,
    /// Kind of personal data.
    pub pii_tag: Option<String>,
    /// Who says so.
    pub pii_source: Option<String>,
    /// Who answers for it.
    pub business_owner: Option<String>,
    /// Facts such as `semantic_type`.
    #[schema(value_type = Option<Object>)]
    pub governance_json: Option<Value>,
    /// Whether it is used.
    pub is_active: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub last_changed_at: DateTime<Utc>,
    /// Counts, bounds and frequent values of a column.
    #[schema(value_type = Option<Object>)]
    pub profile: Option<Value>,
    /// Sample values of a column; none of one that holds personal data, unless the policy is `warn`.
    pub samples: Vec<String>,
}

/// A profile without what only the service itself goes by.
fn shown(mut profile: Value) -> Value {
    if let Some(fields) = profile.as_object_mut() {
        fields.remove("lowest_hashes");
    }
    profile
}

impl From<ObjectRow> for SchemaObjectRead {
    fn from(row: ObjectRow) -> Self {
        let known = row.annotations;
        Self {
            id: row.id.0,
            tenant_id: row.tenant.to_string(),
            workspace_id: row.workspace.0,
            table_id: row.table.0,
            snapshot_id: row.snapshot.0,
            kind: row.kind.to_string(),
            qualified_name: row.qualified_name,
            data_type: row.data_type,
            is_nullable: row.is_nullable,
            description: known.description,
            description_source: known.description_source.map(|source| source.to_string()),
            synonyms_json: known.synonyms,
            pii_tag: known.pii_tag.map(|tag| tag.to_string()),
            pii_source: known.pii_source.map(|source| source.to_string()),
            business_owner: known.business_owner,
            governance_json: Some(Value::Object(known.governance)),
            is_active: row.is_active,
            created_at: row.created_at,
            last_changed_at: row.last_changed_at,
            profile: row.profile.map(shown),
            samples: row.samples.unwrap_or_default(),
        }
    }
}

/// What a person knows better; null or absent leaves a field unchanged.
#[derive(Debug, ToSchema)]
pub struct SchemaObjectUpdate {
    /// What it holds; marks the description as HUMAN.
    #[schema(max_length = 10000)]
    pub description: Option<String>,
    /// Kind of personal data; marks the tag as HUMAN and empties the samples of a column that holds some.
    #[schema(value_type = Option<String>)]
    pub pii_tag: Option<PiiTag>,
    /// Who answers for it.
    pub business_owner: Option<String>,
    /// Facts; replaces the object.
    #[schema(value_type = Option<Object>)]
    pub governance_json: Option<Value>,
    /// Other names. One text, or a JSON list in a text, is taken too.
    pub synonyms_json: Option<Vec<String>>,
}

impl FromBody for SchemaObjectUpdate {
    fn read(fields: &mut Fields) -> Self {
        let tags = "NONE, EMAIL, PHONE, SSN, CREDIT_CARD, IBAN, IP_ADDRESS, DOB, NAME, LOCATION or CUSTOM:<name>";
        Self {
            description: fields.text("description", 0, 10_000),
            pii_tag: fields.parsed("pii_tag", tags),
            business_owner: fields.text("business_owner", 0, 400),
            governance_json: fields.object("governance_json"),
            synonyms_json: fields.texts("synonyms_json"),
        }
    }
}

/// Two columns that are one.
#[derive(Debug, ToSchema)]
pub struct RenameMerge {
    /// The column as it was called before.
    pub from_id: Uuid,
    /// The column as it is called now.
    pub to_id: Uuid,
}

impl FromBody for RenameMerge {
    fn read(fields: &mut Fields) -> Self {
        Self { from_id: fields.required_id("from_id"), to_id: fields.required_id("to_id") }
    }
}
