//! Datasets.

use chrono::{DateTime, Utc};
use db::DatasetRow;
use domain::{DriftPolicy, IngestPolicy};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::extract::{Fields, FromBody};

/// Characters of a description.
const DESCRIPTION_CHARS: usize = 10_000;

/// A dataset to be made in the caller's workspace.
#[derive(Debug, ToSchema)]
pub struct DatasetCreate {
    /// Unique among the workspace's live datasets.
    #[schema(min_length = 1, max_length = 200)]
    pub name: String,
    /// What it holds.
    pub description: Option<String>,
    /// AUTO or MANUAL (REVIEW is another word for MANUAL).
    #[schema(value_type = Option<String>, default = "AUTO")]
    pub drift_policy: Option<DriftPolicy>,
    /// Locale of its files.
    pub default_locale: Option<String>,
    /// How its files are treated.
    #[schema(value_type = Option<Object>)]
    pub ingest_policy_json: Option<Value>,
    /// Free for the caller.
    #[schema(value_type = Option<Object>)]
    pub metadata_json: Option<Value>,
}

impl FromBody for DatasetCreate {
    fn read(fields: &mut Fields) -> Self {
        let name = fields.required_label("name");
        Self { name, ..Self::optional(fields) }
    }
}

impl DatasetCreate {
    fn optional(fields: &mut Fields) -> Self {
        Self {
            name: String::new(),
            description: fields.text("description", 0, DESCRIPTION_CHARS),
            drift_policy: fields.parsed("drift_policy", "AUTO, MANUAL or REVIEW"),
            default_locale: fields.text("default_locale", 1, 64),
            ingest_policy_json: policy(fields),
            metadata_json: fields.object("metadata_json"),
        }
    }
}

/// Changes to a dataset; null or absent leaves a field unchanged.
#[derive(Debug, ToSchema)]
pub struct DatasetUpdate {
    /// Unique among the workspace's live datasets.
    #[schema(min_length = 1, max_length = 200)]
    pub name: Option<String>,
    /// What it holds.
    pub description: Option<String>,
    /// AUTO or MANUAL (REVIEW is another word for MANUAL).
    #[schema(value_type = Option<String>)]
    pub drift_policy: Option<DriftPolicy>,
    /// Locale of its files.
    pub default_locale: Option<String>,
    /// How its files are treated.
    #[schema(value_type = Option<Object>)]
    pub ingest_policy_json: Option<Value>,
    /// Free for the caller.
    #[schema(value_type = Option<Object>)]
    pub metadata_json: Option<Value>,
}

impl FromBody for DatasetUpdate {
    fn read(fields: &mut Fields) -> Self {
        let name = fields.label("name");
        let rest = DatasetCreate::optional(fields);
        Self {
            name,
            description: rest.description,
            drift_policy: rest.drift_policy,
            default_locale: rest.default_locale,
            ingest_policy_json: rest.ingest_policy_json,
            metadata_json: rest.metadata_json,
        }
    }
}

/// The policy as sent, once `domain` has understood it.
fn policy(fields: &mut Fields) -> Option<Value> {
    let value = fields.object("ingest_policy_json")?;
    if let Err(error) = IngestPolicy::parse(&value) {
        fields.complain("unknown_value", "ingest_policy_json", &error.pointer, error.message);
    }
    Some(value)
}

/// A dataset.
#[derive(Debug, Serialize, ToSchema)]
pub struct DatasetRead {
    /// Id.
    pub id: Uuid,
    /// Tenant.
    pub tenant_id: String,
    /// Workspace.
    pub workspace_id: Uuid,
    /// Name.
    pub name: String,
    /// What it holds.
    pub description: Option<String>,
    /// AUTO or MANUAL.
    pub drift_policy: &'static str,
    /// Locale of its files.
    pub default_locale: Option<String>,
    /// How its files are treated.
    #[schema(value_type = Object)]
    pub ingest_policy_json: Value,
    /// ACTIVE or ARCHIVED.
    pub status: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// Free for the caller.
    #[schema(value_type = Object)]
    pub metadata_json: Value,
}

impl From<DatasetRow> for DatasetRead {
    fn from(row: DatasetRow) -> Self {
        Self {
            id: row.id.0,
            tenant_id: row.tenant.to_string(),
            workspace_id: row.workspace.0,
            name: row.name,
            description: row.description,
            drift_policy: row.drift_policy.as_str(),
            default_locale: row.default_locale.map(|locale| locale.as_str().to_owned()),
            ingest_policy_json: row.ingest_policy,
            status: row.status.to_string(),
            created_at: row.created_at,
            updated_at: row.updated_at,
            metadata_json: row.metadata,
        }
    }
}
