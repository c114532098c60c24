//! Workspaces.

use chrono::{DateTime, Utc};
use db::WorkspaceRow;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::extract::{Fields, FromBody};

/// Largest retention in days that is taken: about a century.
const RETENTION_DAYS: i64 = 36_525;

/// A workspace to be made.
#[derive(Debug, ToSchema)]
pub struct WorkspaceCreate {
    /// Unique in the tenant; `^[a-z0-9][a-z0-9_-]{0,63}$`.
    #[schema(min_length = 1, max_length = 64)]
    pub slug: String,
    /// Name for people.
    #[schema(min_length = 1, max_length = 200)]
    pub name: String,
    /// Key for the object store's encryption.
    pub kms_key_uri: Option<String>,
    /// Days after which data may go.
    #[schema(minimum = 1)]
    pub retention_days: Option<u32>,
    /// Whether `sql:execute` is allowed.
    #[schema(default = false)]
    pub allow_direct_sql: Option<bool>,
    /// Locale of files that name none.
    #[schema(default = "en-US")]
    pub default_locale: Option<String>,
    /// Free for the caller.
    #[schema(value_type = Option<Object>)]
    pub metadata_json: Option<Value>,
}

impl FromBody for WorkspaceCreate {
    fn read(fields: &mut Fields) -> Self {
        let slug = fields.required_text("slug", 1, 64);
        if !slug.is_empty() && !domain::id::is_slug(&slug) {
            fields.complain("malformed", "slug", "", domain::id::BadSlug.to_string());
        }
        Self {
            slug,
            name: fields.required_label("name"),
            kms_key_uri: fields.text("kms_key_uri", 0, 2_048),
            retention_days: fields.integer("retention_days", 1, RETENTION_DAYS).map(|days| days as u32),
            allow_direct_sql: fields.boolean("allow_direct_sql"),
            default_locale: fields.text("default_locale", 1, 64),
            metadata_json: fields.object("metadata_json"),
        }
    }
}

/// Changes to a workspace; null or absent leaves a field unchanged.
#[derive(Debug, ToSchema)]
pub struct WorkspaceUpdate {
    /// Name for people.
    #[schema(min_length = 1, max_length = 200)]
    pub name: Option<String>,
    /// Key for the object store's encryption.
    pub kms_key_uri: Option<String>,
    /// Days after which data may go.
    #[schema(minimum = 1)]
    pub retention_days: Option<u32>,
    /// Whether `sql:execute` is allowed.
    pub allow_direct_sql: Option<bool>,
    /// Locale of files that name none.
    pub default_locale: Option<String>,
    /// Free for the caller.
    #[schema(value_type = Option<Object>)]
    pub metadata_json: Option<Value>,
}

impl FromBody for WorkspaceUpdate {
    fn read(fields: &mut Fields) -> Self {
        Self {
            name: fields.label("name"),
            kms_key_uri: fields.text("kms_key_uri", 0, 2_048),
            retention_days: fields.integer("retention_days", 1, RETENTION_DAYS).map(|days| days as u32),
            allow_direct_sql: fields.boolean("allow_direct_sql"),
            default_locale: fields.text("default_locale", 1, 64),
            metadata_json: fields.object("metadata_json"),
        }
    }
}

/// A workspace.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkspaceRead {
    /// Id.
    pub id: Uuid,
    /// Tenant.
    pub tenant_id: String,
    /// Unique in the tenant.
    pub slug: String,
    /// Name for people.
    pub name: String,
    /// Key for the object store's encryption.
    pub kms_key_uri: Option<String>,
    /// Days after which data may go.
    pub retention_days: Option<u32>,
    /// Whether `sql:execute` is allowed.
    pub allow_direct_sql: bool,
    /// Locale of files that name none.
    pub default_locale: String,
    /// Bytes of originals and current Parquet files.
    pub storage_used_bytes: u64,
    /// ACTIVE, ARCHIVED or PURGING.
    pub status: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// Free for the caller.
    #[schema(value_type = Object)]
    pub metadata_json: Value,
}

impl From<WorkspaceRow> for WorkspaceRead {
    fn from(row: WorkspaceRow) -> Self {
        Self {
            id: row.id.0,
            tenant_id: row.tenant.to_string(),
            slug: row.slug,
            name: row.name,
            kms_key_uri: row.kms_key_uri,
            retention_days: row.retention_days,
            allow_direct_sql: row.allow_direct_sql,
            default_locale: row.default_locale.as_str().to_owned(),
            storage_used_bytes: row.storage_used_bytes,
            status: row.status.to_string(),
            created_at: row.created_at,
            updated_at: row.updated_at,
            metadata_json: row.metadata,
        }
    }
}
