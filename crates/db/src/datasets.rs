//! Datasets. A name is unique among the ACTIVE ones of a workspace: archiving frees it.

use domain::{DatasetId, DriftPolicy, Lifecycle, Locale};

use crate::entities::DatasetRow;
use crate::error::DbError;
use crate::page::{Filter, Listing, Page, Paged};
use crate::params;
use crate::tx::Tx;

/// A dataset to be made.
#[derive(Clone, PartialEq, Debug)]
pub struct NewDataset {
    /// Its id.
    pub id: DatasetId,
    /// Unique among the ACTIVE datasets of the workspace.
    pub name: String,
    /// What it holds.
    pub description: Option<String>,
    /// Who confirms renames.
    pub drift_policy: DriftPolicy,
    /// Locale of its files; the workspace's when absent.
    pub default_locale: Option<Locale>,
    /// As `domain::IngestPolicy` reads it.
    pub ingest_policy: serde_json::Value,
    /// The caller's own object.
    pub metadata: serde_json::Value,
}

impl NewDataset {
    /// A dataset with nothing but a name.
    pub fn named(id: DatasetId, name: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
            description: None,
            drift_policy: DriftPolicy::Auto,
            default_locale: None,
            ingest_policy: serde_json::json!({}),
            metadata: serde_json::json!({}),
        }
    }
}

/// What changes in a dataset; `None` leaves a field as it is.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs, reason = "as in NewDataset")]
pub struct DatasetUpdate {
    pub name: Option<String>,
    pub description: Option<String>,
    pub drift_policy: Option<DriftPolicy>,
    pub default_locale: Option<Locale>,
    pub ingest_policy: Option<serde_json::Value>,
    pub metadata: Option<serde_json::Value>,
}

/// Which datasets a list shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DatasetFilter {
    /// Part of name or description, in any case.
    pub q: Option<String>,
    /// The exact name.
    pub name: Option<String>,
    /// The status; PURGING shows none.
    pub status: Option<Lifecycle>,
}

/// Makes a dataset; a name taken by an ACTIVE one is a [`DbError::Conflict`], a workspace that is gone
/// [`DbError::Missing`].
pub async fn insert(tx: &Tx, new: &NewDataset) -> Result<DatasetRow, DbError> {
    insert_or(tx, new, "").await?.ok_or_else(|| DbError::Missing("workspace".to_owned()))
}

/// The ACTIVE dataset of that name, made when there is none.
pub async fn get_or_create(tx: &Tx, new: &NewDataset) -> Result<DatasetRow, DbError> {
    let on_conflict = " ON CONFLICT (workspace_id, name) WHERE status = 'ACTIVE' DO NOTHING";
    if let Some(row) = insert_or(tx, new, on_conflict).await? {
        return Ok(row);
    }
    by_name(tx, &new.name).await?.ok_or_else(|| DbError::Missing("workspace".to_owned()))
}

async fn insert_or(tx: &Tx, new: &NewDataset, on_conflict: &str) -> Result<Option<DatasetRow>, DbError> {
    let scope = tx.scope()?;
    let now = tx.now();
    let sql = format!(
        "INSERT INTO {} (id, tenant_id, workspace_id, name, description, drift_policy, default_locale, \
         ingest_policy_json, metadata_json, created_at, updated_at) \
         SELECT $1, $2, w.id, $4, $5, $6, $7, $8, $9, {now}, {now} FROM flyquery_workspaces w \
         WHERE w.tenant_id = $2 AND w.id = $3{on_conflict} RETURNING {}",
        DatasetRow::TABLE,
        DatasetRow::COLUMNS
    );
    let params = params![
        new.id,
        &scope.tenant,
        scope.workspace,
        new.name.as_str(),
        &new.description,
        new.drift_policy,
        &new.default_locale,
        &new.ingest_policy,
        &new.metadata
    ];
    tx.row(&sql, params).await?.as_ref().map(DatasetRow::from_row).transpose()
}

/// The dataset of that id, also when it is archived.
pub async fn get(tx: &Tx, id: DatasetId) -> Result<Option<DatasetRow>, DbError> {
    let mut filter = visible(tx)?;
    filter.eq("id", id);
    listing(filter).first(tx, DatasetRow::from_row).await
}

/// The ACTIVE dataset of that name.
pub async fn by_name(tx: &Tx, name: &str) -> Result<Option<DatasetRow>, DbError> {
    let mut filter = visible(tx)?;
    filter.eq("name", name);
    filter.eq("status", Lifecycle::Active);
    listing(filter).first(tx, DatasetRow::from_row).await
}

/// A page of the workspace's datasets, newest first.
pub async fn list(tx: &Tx, wanted: &DatasetFilter, page: Page) -> Result<Paged<DatasetRow>, DbError> {
    let mut filter = visible(tx)?;
    filter.contains_if(&["name", "description"], wanted.q.as_deref());
    filter.eq_if("name", wanted.name.as_deref());
    filter.eq_if("status", wanted.status);
    listing(filter).page(tx, page, DatasetRow::from_row).await
}

/// Changes a dataset; `None` when there is none of that id, a [`DbError::Conflict`] when the new name is taken.
pub async fn update(tx: &Tx, id: DatasetId, update: &DatasetUpdate) -> Result<Option<DatasetRow>, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET name = COALESCE($4, name), description = COALESCE($5, description), \
         drift_policy = COALESCE($6, drift_policy), default_locale = COALESCE($7, default_locale), \
         ingest_policy_json = COALESCE($8, ingest_policy_json), metadata_json = COALESCE($9, metadata_json), \
         updated_at = {} \
         WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3 AND status <> 'PURGING' RETURNING {}",
        DatasetRow::TABLE,
        tx.now(),
        DatasetRow::COLUMNS
    );
    let params = params![
        &scope.tenant,
        scope.workspace,
        id,
        &update.name,
        &update.description,
        update.drift_policy,
        &update.default_locale,
        &update.ingest_policy,
        &update.metadata
    ];
    tx.row(&sql, params).await?.as_ref().map(DatasetRow::from_row).transpose()
}

/// Puts a dataset away; `None` when there is none of that id.
pub async fn archive(tx: &Tx, id: DatasetId) -> Result<Option<DatasetRow>, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET status = 'ARCHIVED', updated_at = {} \
         WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3 AND status <> 'PURGING' RETURNING {}",
        DatasetRow::TABLE,
        tx.now(),
        DatasetRow::COLUMNS
    );
    let row = tx.row(&sql, params![&scope.tenant, scope.workspace, id]).await?;
    row.as_ref().map(DatasetRow::from_row).transpose()
}

fn visible(tx: &Tx) -> Result<Filter, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.and("status <> 'PURGING'");
    Ok(filter)
}

fn listing(filter: Filter) -> Listing {
    Listing { columns: DatasetRow::COLUMNS, from: DatasetRow::TABLE, filter, order: "created_at DESC, id DESC" }
}
