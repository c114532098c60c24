//! Workspaces. Statements are scoped by tenant; a transaction of `Db::tenant` is enough.

use domain::{Lifecycle, Locale, WorkspaceId};

use crate::entities::WorkspaceRow;
use crate::error::DbError;
use crate::page::{Filter, Listing, Page, Paged};
use crate::params;
use crate::tx::Tx;

/// A workspace to be made.
#[derive(Clone, PartialEq, Debug)]
pub struct NewWorkspace {
    /// Its id.
    pub id: WorkspaceId,
    /// Unique in the tenant.
    pub slug: String,
    /// Name for people.
    pub name: String,
    /// Key of the object store's encryption.
    pub kms_key_uri: Option<String>,
    /// Days that data is kept.
    pub retention_days: Option<u32>,
    /// Whether `sql:execute` is allowed.
    pub allow_direct_sql: bool,
    /// Locale of its datasets unless they say otherwise.
    pub default_locale: Locale,
    /// The caller's own object.
    pub metadata: serde_json::Value,
}

/// What changes in a workspace; `None` leaves a field as it is.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs, reason = "as in NewWorkspace")]
pub struct WorkspaceUpdate {
    pub name: Option<String>,
    pub kms_key_uri: Option<String>,
    pub retention_days: Option<u32>,
    pub allow_direct_sql: Option<bool>,
    pub default_locale: Option<Locale>,
    pub metadata: Option<serde_json::Value>,
}

/// Which workspaces a list shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WorkspaceFilter {
    /// Part of slug or name, in any case.
    pub q: Option<String>,
    /// The exact slug.
    pub slug: Option<String>,
    /// The status; PURGING shows none.
    pub status: Option<Lifecycle>,
}

/// Makes a workspace; a taken slug is a [`DbError::Conflict`].
pub async fn insert(tx: &Tx, new: &NewWorkspace) -> Result<WorkspaceRow, DbError> {
    insert_or(tx, new, "").await?.ok_or_else(|| DbError::Bug("an INSERT gave no row".to_owned()))
}

/// The workspace of that slug, made when there is none.
pub async fn get_or_create(tx: &Tx, new: &NewWorkspace) -> Result<WorkspaceRow, DbError> {
    if let Some(row) = insert_or(tx, new, " ON CONFLICT (tenant_id, slug) DO NOTHING").await? {
        return Ok(row);
    }
    let mut filter = Filter::tenant(tx)?;
    filter.eq("slug", new.slug.as_str());
    listing(filter)
        .first(tx, WorkspaceRow::from_row)
        .await?
        .ok_or_else(|| DbError::Unavailable("the workspace was deleted while it was looked for".to_owned()))
}

async fn insert_or(tx: &Tx, new: &NewWorkspace, on_conflict: &str) -> Result<Option<WorkspaceRow>, DbError> {
    let now = tx.now();
    let sql = format!(
        "INSERT INTO {} (id, tenant_id, slug, name, kms_key_uri, retention_days, allow_direct_sql, default_locale, \
         metadata_json, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {now}, {now})\
         {on_conflict} RETURNING {}",
        WorkspaceRow::TABLE,
        WorkspaceRow::COLUMNS
    );
    let params = params![
        new.id,
        tx.tenant()?,
        new.slug.as_str(),
        new.name.as_str(),
        &new.kms_key_uri,
        new.retention_days,
        new.allow_direct_sql,
        &new.default_locale,
        &new.metadata
    ];
    tx.row(&sql, params).await?.as_ref().map(WorkspaceRow::from_row).transpose()
}

/// The workspace of that id.
pub async fn get(tx: &Tx, id: WorkspaceId) -> Result<Option<WorkspaceRow>, DbError> {
    let mut filter = visible(tx)?;
    filter.eq("id", id);
    listing(filter).first(tx, WorkspaceRow::from_row).await
}

/// The workspace of that slug.
pub async fn by_slug(tx: &Tx, slug: &str) -> Result<Option<WorkspaceRow>, DbError> {
    let mut filter = visible(tx)?;
    filter.eq("slug", slug);
    listing(filter).first(tx, WorkspaceRow::from_row).await
}

/// The workspace that a person names by id, in any case, or by slug.
pub async fn find(tx: &Tx, id_or_slug: &str) -> Result<Option<WorkspaceRow>, DbError> {
    match id_or_slug.parse::<WorkspaceId>() {
        Ok(id) => match get(tx, id).await? {
            Some(row) => Ok(Some(row)),
            // 32 hexadecimal digits are a UUID without hyphens and may be a slug as well
            None => by_slug(tx, id_or_slug).await,
        },
        Err(_) => by_slug(tx, id_or_slug).await,
    }
}

/// A page of the tenant's workspaces, newest first.
pub async fn list(tx: &Tx, wanted: &WorkspaceFilter, page: Page) -> Result<Paged<WorkspaceRow>, DbError> {
    let mut filter = visible(tx)?;
    filter.contains_if(&["slug", "name"], wanted.q.as_deref());
    filter.eq_if("slug", wanted.slug.as_deref());
    filter.eq_if("status", wanted.status);
    listing(filter).page(tx, page, WorkspaceRow::from_row).await
}

/// Changes a workspace; `None` when there is none of that id.
pub async fn update(tx: &Tx, id: WorkspaceId, update: &WorkspaceUpdate) -> Result<Option<WorkspaceRow>, DbError> {
    let sql = format!(
        "UPDATE {} SET name = COALESCE($3, name), kms_key_uri = COALESCE($4, kms_key_uri), \
         retention_days = COALESCE($5, retention_days), allow_direct_sql = COALESCE($6, allow_direct_sql), \
         default_locale = COALESCE($7, default_locale), metadata_json = COALESCE($8, metadata_json), updated_at = {} \
         WHERE tenant_id = $1 AND id = $2 AND status <> 'PURGING' RETURNING {}",
        WorkspaceRow::TABLE,
        tx.now(),
        WorkspaceRow::COLUMNS
    );
    let params = params![
        tx.tenant()?,
        id,
        &update.name,
        &update.kms_key_uri,
        update.retention_days,
        update.allow_direct_sql,
        &update.default_locale,
        &update.metadata
    ];
    tx.row(&sql, params).await?.as_ref().map(WorkspaceRow::from_row).transpose()
}

/// Adds `delta` bytes to what the workspace stores; the new sum, never below zero.
///
/// The row stays locked until the transaction ends, so do it late. A caller that finds the sum over the quota drops
/// the transaction.
pub async fn add_storage(tx: &Tx, delta: i64) -> Result<u64, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET storage_used_bytes = CASE WHEN storage_used_bytes + $3 < 0 THEN 0 \
         ELSE storage_used_bytes + $3 END WHERE tenant_id = $1 AND id = $2 RETURNING storage_used_bytes",
        WorkspaceRow::TABLE
    );
    let row = tx.row(&sql, params![&scope.tenant, scope.workspace, delta]).await?;
    row.ok_or_else(|| DbError::Missing("workspace".to_owned()))?.get("storage_used_bytes")
}

fn visible(tx: &Tx) -> Result<Filter, DbError> {
    let mut filter = Filter::tenant(tx)?;
    filter.and("status <> 'PURGING'");
    Ok(filter)
}

fn listing(filter: Filter) -> Listing {
    Listing { columns: WorkspaceRow::COLUMNS, from: WorkspaceRow::TABLE, filter, order: "created_at DESC, id DESC" }
}
