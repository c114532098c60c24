//! `flyquery_schema_objects`.

use chrono::{DateTime, Utc};
use domain::search::{SearchText, Subject};
use domain::semantic::{DescriptionSource, PiiSource, PiiTag};
use domain::table::ObjectKind;
use domain::{ObjectId, SnapshotId, TableId, TenantId, WorkspaceId};

use crate::error::DbError;
use crate::row::Row;

/// What people and describers say about a table or column.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Annotations {
    /// What it means.
    pub description: Option<String>,
    /// Who wrote the description.
    pub description_source: Option<DescriptionSource>,
    /// Other names.
    pub synonyms: Vec<String>,
    /// Which personal data it holds; `None` when nobody looked yet.
    pub pii_tag: Option<PiiTag>,
    /// Who set the tag.
    pub pii_source: Option<PiiSource>,
    /// Who answers for it.
    pub business_owner: Option<String>,
    /// An object: `semantic_type` and whatever people add.
    pub governance: serde_json::Map<String, serde_json::Value>,
}

/// A table or a column of one snapshot.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the columns of contract 3.1")]
pub struct ObjectRow {
    pub id: ObjectId,
    pub tenant: TenantId,
    pub workspace: WorkspaceId,
    pub table: TableId,
    pub snapshot: SnapshotId,
    pub kind: ObjectKind,
    pub parent: Option<ObjectId>,
    /// Bare name of the table or column.
    pub name: String,
    pub qualified_name: String,
    /// Place among the columns, from 0.
    pub ordinal: u32,
    pub data_type: Option<String>,
    pub is_nullable: Option<bool>,
    pub annotations: Annotations,
    pub samples: Option<Vec<String>>,
    pub sample_taken_at: Option<DateTime<Utc>>,
    pub profile: Option<serde_json::Value>,
    pub embedding_model: Option<String>,
    pub source_hash: String,
    pub is_active: bool,
    pub created_at: DateTime<Utc>,
    pub last_seen_at: DateTime<Utc>,
    pub last_changed_at: DateTime<Utc>,
}

impl ObjectRow {
    pub(crate) const TABLE: &'static str = "flyquery_schema_objects";
    /// Everything but the embedding and the text it was made of.
    pub(crate) const COLUMNS: &'static str = "id, tenant_id, workspace_id, table_id, snapshot_id, kind, parent_id, \
        name, qualified_name, ordinal, data_type, is_nullable, description, description_source, synonyms_json, \
        pii_tag, pii_source, business_owner, governance_json, sample_values_json, sample_taken_at, profile_json, \
        embedding_model, source_hash, is_active, created_at, last_seen_at, last_changed_at";

    pub(crate) fn from_row(row: &Row) -> Result<Self, DbError> {
        Ok(Self {
            id: row.get("id")?,
            tenant: row.get("tenant_id")?,
            workspace: row.get("workspace_id")?,
            table: row.get("table_id")?,
            snapshot: row.get("snapshot_id")?,
            kind: row.get("kind")?,
            parent: row.get("parent_id")?,
            name: row.get("name")?,
            qualified_name: row.get("qualified_name")?,
            ordinal: row.get("ordinal")?,
            data_type: row.get("data_type")?,
            is_nullable: row.get("is_nullable")?,
            annotations: Annotations {
                description: row.get("description")?,
                description_source: row.get("description_source")?,
                synonyms: super::json_opt(row, "synonyms_json")?.unwrap_or_default(),
                pii_tag: row.get("pii_tag")?,
                pii_source: row.get("pii_source")?,
                business_owner: row.get("business_owner")?,
                governance: super::json_opt(row, "governance_json")?.unwrap_or_default(),
            },
            samples: super::json_opt(row, "sample_values_json")?,
            sample_taken_at: row.get("sample_taken_at")?,
            profile: row.get("profile_json")?,
            embedding_model: row.get("embedding_model")?,
            source_hash: row.get("source_hash")?,
            is_active: row.get("is_active")?,
            created_at: row.get("created_at")?,
            last_seen_at: row.get("last_seen_at")?,
            last_changed_at: row.get("last_changed_at")?,
        })
    }

    /// The words under which the object is found.
    pub fn search_text(&self) -> SearchText {
        let said = &self.annotations;
        SearchText::of(Subject {
            kind: self.kind,
            name: &self.name,
            qualified_name: &self.qualified_name,
            description: said.description.as_deref(),
            description_source: said.description_source,
            semantic_type: said.governance.get("semantic_type").and_then(serde_json::Value::as_str),
            synonyms: &said.synonyms,
        })
    }

    /// What the next snapshot's object of the same name takes over (decision 19): what people said, and owner,
    /// governance and synonyms always; never the word of a describer or scanner.
    pub fn carried(&self) -> Annotations {
        let said = &self.annotations;
        let human_description = said.description_source == Some(DescriptionSource::Human);
        let human_pii = said.pii_source == Some(PiiSource::Human);
        Annotations {
            description: said.description.clone().filter(|_| human_description),
            description_source: said.description_source.filter(|_| human_description),
            synonyms: said.synonyms.clone(),
            pii_tag: said.pii_tag.clone().filter(|_| human_pii),
            pii_source: said.pii_source.filter(|_| human_pii),
            business_owner: said.business_owner.clone(),
            governance: said.governance.clone(),
        }
    }
}
