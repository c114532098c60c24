//! Tables. People see a table only once a first snapshot is current, and never one of a dataset that is PURGING;
//! the pipeline sees every row by [`find`] and [`lock`].

use domain::semantic::DescriptionSource;
use domain::table::TableKind;
use domain::{DatasetId, FileId, JobId, Locale, SnapshotId, TableId};

use crate::entities::TableRow;
use crate::error::DbError;
use crate::page::{Filter, Listing, Page, Paged};
use crate::params;
use crate::tx::Tx;

/// A table to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewTable {
    /// Its id.
    pub id: TableId,
    /// Its dataset.
    pub dataset: DatasetId,
    /// The file it comes from.
    pub source_file: Option<FileId>,
    /// Unique in the dataset.
    pub name: String,
    /// `<dataset>.<table>`.
    pub qualified_name: String,
    /// Where it comes from.
    pub kind: TableKind,
    /// Where in the file it comes from.
    pub sheet_or_json_path: Option<String>,
    /// The job that makes it.
    pub job: Option<JobId>,
}

/// What changes in a table; `None` leaves a field as it is.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TableUpdate {
    /// What it holds; its source becomes HUMAN.
    pub description: Option<String>,
    /// Who answers for it.
    pub business_owner: Option<String>,
    /// The caller's own object.
    pub governance: Option<serde_json::Value>,
    /// Locale of its uploads.
    pub locale_override: Option<Locale>,
}

/// Which tables a list shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableFilter {
    /// Part of name or qualified name, in any case.
    pub q: Option<String>,
    /// The exact name.
    pub name: Option<String>,
    /// Of one dataset.
    pub dataset: Option<DatasetId>,
    /// Of one kind.
    pub kind: Option<TableKind>,
    /// The active ones, or only the inactive ones.
    pub is_active: bool,
}

impl Default for TableFilter {
    fn default() -> Self {
        Self { q: None, name: None, dataset: None, kind: None, is_active: true }
    }
}

/// What a bare name means in a workspace.
#[derive(Clone, PartialEq, Debug)]
pub enum ByName {
    /// No table.
    None,
    /// One table.
    One(Box<TableRow>),
    /// Tables of several datasets.
    Ambiguous,
}

/// The table of that name, inactive and unpublished ones included; locked until the transaction ends.
pub async fn find(tx: &Tx, dataset: DatasetId, name: &str) -> Result<Option<TableRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("dataset_id", dataset);
    filter.eq("name", name);
    locked(tx, filter).await
}

/// The table of that id, whatever its state; locked until the transaction ends.
pub async fn lock(tx: &Tx, id: TableId) -> Result<Option<TableRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("id", id);
    locked(tx, filter).await
}

async fn locked(tx: &Tx, filter: Filter) -> Result<Option<TableRow>, DbError> {
    let sql = format!(
        "SELECT {} FROM {} WHERE {}{}",
        TableRow::COLUMNS,
        TableRow::TABLE,
        filter.sql(),
        tx.dialect().for_update()
    );
    tx.row(&sql, filter.into_params()).await?.as_ref().map(TableRow::from_row).transpose()
}

/// Makes a table; `None` when the name was taken in between (look with [`find`] again) or the dataset is gone.
pub async fn insert(tx: &Tx, new: &NewTable) -> Result<Option<TableRow>, DbError> {
    let scope = tx.scope()?;
    let now = tx.now();
    let sql = format!(
        "INSERT INTO {} (id, tenant_id, workspace_id, dataset_id, source_file_id, name, qualified_name, kind, \
         sheet_or_json_path, created_by_job, created_at, updated_at) \
         SELECT $1, $2, $3, d.id, $5, $6, $7, $8, $9, $10, {now}, {now} FROM flyquery_datasets d \
         WHERE d.tenant_id = $2 AND d.workspace_id = $3 AND d.id = $4 ON CONFLICT (dataset_id, name) DO NOTHING RETURNING {}",
        TableRow::TABLE,
        TableRow::COLUMNS
    );
    let params = params![
        new.id,
        &scope.tenant,
        scope.workspace,
        new.dataset,
        new.source_file,
        new.name.as_str(),
        new.qualified_name.as_str(),
        new.kind,
        &new.sheet_or_json_path,
        new.job
    ];
    tx.row(&sql, params).await?.as_ref().map(TableRow::from_row).transpose()
}

/// The published table of that id, active or not.
pub async fn get(tx: &Tx, id: TableId) -> Result<Option<TableRow>, DbError> {
    let mut filter = visible(tx)?;
    filter.eq("id", id);
    listing(filter, "id").first(tx, TableRow::from_row).await
}

/// How many tables of a dataset answer queries.
pub async fn count_published(tx: &Tx, dataset: DatasetId) -> Result<u64, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("dataset_id", dataset);
    filter.and("is_active AND current_snapshot_id IS NOT NULL");
    let sql = format!("SELECT count(*) AS n FROM {} WHERE {}", TableRow::TABLE, filter.sql());
    tx.row(&sql, filter.into_params()).await?.map_or(Ok(0), |row| row.get("n"))
}

/// The active published tables of a dataset, oldest first.
pub async fn list_active(tx: &Tx, dataset: DatasetId) -> Result<Vec<TableRow>, DbError> {
    let mut filter = visible(tx)?;
    filter.eq("dataset_id", dataset);
    filter.and("is_active");
    listing(filter, "created_at, id").all(tx, TableRow::from_row).await
}

/// A page of the workspace's published tables, newest first.
pub async fn list(tx: &Tx, wanted: &TableFilter, page: Page) -> Result<Paged<TableRow>, DbError> {
    let mut filter = visible(tx)?;
    filter.contains_if(&["name", "qualified_name"], wanted.q.as_deref());
    filter.eq_if("name", wanted.name.as_deref());
    filter.eq_if("dataset_id", wanted.dataset);
    filter.eq_if("kind", wanted.kind);
    filter.eq("is_active", wanted.is_active);
    listing(filter, "created_at DESC, id DESC").page(tx, page, TableRow::from_row).await
}

/// What a name means, in one dataset or in the whole workspace. Inactive tables have no name.
pub async fn by_name(tx: &Tx, name: &str, dataset: Option<DatasetId>) -> Result<ByName, DbError> {
    let mut filter = visible(tx)?;
    filter.eq("name", name);
    filter.eq_if("dataset_id", dataset);
    filter.and("is_active");
    let page = Page { limit: 2, offset: 0 };
    let mut found = listing(filter, "id").page(tx, page, TableRow::from_row).await?.items;
    Ok(match (found.pop(), found.pop()) {
        (None, _) => ByName::None,
        (Some(row), None) => ByName::One(Box::new(row)),
        (Some(_), Some(_)) => ByName::Ambiguous,
    })
}

/// Makes a READY snapshot the current one, and the table active; false when there is no such table.
pub async fn set_current(
    tx: &Tx,
    id: TableId,
    snapshot: SnapshotId,
    source_file: Option<FileId>,
    path: Option<&str>,
) -> Result<bool, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET current_snapshot_id = $4, source_file_id = COALESCE($5, source_file_id), \
         sheet_or_json_path = $6, is_active = $7, archived_at = NULL, updated_at = {} \
         WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3",
        TableRow::TABLE,
        tx.now()
    );
    let params = params![&scope.tenant, scope.workspace, id, snapshot, source_file, path, true];
    Ok(tx.execute(&sql, params).await? > 0)
}

/// Changes what a person says about a published table; `None` when there is none of that id.
pub async fn update(tx: &Tx, id: TableId, update: &TableUpdate) -> Result<Option<TableRow>, DbError> {
    let source = update.description.as_ref().map(|_| DescriptionSource::Human);
    let sets = format!(
        "description = COALESCE($4, description), description_source = COALESCE($5, description_source), \
         business_owner = COALESCE($6, business_owner), governance_json = COALESCE($7, governance_json), \
         locale_override = COALESCE($8, locale_override), updated_at = {}",
        tx.now()
    );
    let values =
        params![&update.description, source, &update.business_owner, &update.governance, &update.locale_override];
    change(tx, id, &sets, values).await
}

/// Puts a published table away or takes it back; `None` when there is none of that id.
pub async fn set_active(tx: &Tx, id: TableId, active: bool) -> Result<Option<TableRow>, DbError> {
    let now = tx.now();
    let archived = if active { "NULL".to_owned() } else { format!("COALESCE(archived_at, {now})") };
    let sets = format!("is_active = $4, archived_at = {archived}, updated_at = {now}");
    change(tx, id, &sets, params![active]).await
}

async fn change(tx: &Tx, id: TableId, sets: &str, values: Vec<crate::Value>) -> Result<Option<TableRow>, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET {sets} WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3 AND {VISIBLE} RETURNING {}",
        TableRow::TABLE,
        TableRow::COLUMNS
    );
    let mut params = params![&scope.tenant, scope.workspace, id];
    params.extend(values);
    tx.row(&sql, params).await?.as_ref().map(TableRow::from_row).transpose()
}

/// Removes the tables that a job made and that have no snapshot; their number. For a job that ends without effect,
/// after its snapshots are gone.
pub async fn delete_unpublished_of_job(tx: &Tx, job: JobId) -> Result<u64, DbError> {
    let scope = tx.scope()?;
    let condition = "tenant_id = $1 AND workspace_id = $2 AND created_by_job = $3 AND current_snapshot_id IS NULL";
    let params = || params![&scope.tenant, scope.workspace, job];
    // a statement of its own: the next one then sees the snapshots of whoever held these locks
    let lock = format!("SELECT id FROM {} WHERE {condition}{}", TableRow::TABLE, tx.dialect().for_update());
    if tx.rows(&lock, params()).await?.is_empty() {
        return Ok(0);
    }
    let delete = format!(
        "DELETE FROM {} WHERE {condition} AND NOT EXISTS \
         (SELECT 1 FROM flyquery_schema_snapshots s WHERE s.table_id = flyquery_tables.id)",
        TableRow::TABLE
    );
    tx.execute(&delete, params()).await
}

/// Published, in a dataset that is not PURGING.
const VISIBLE: &str = "current_snapshot_id IS NOT NULL AND NOT EXISTS \
    (SELECT 1 FROM flyquery_datasets d WHERE d.id = dataset_id AND d.status = 'PURGING')";

fn visible(tx: &Tx) -> Result<Filter, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.and(VISIBLE);
    Ok(filter)
}

fn listing(filter: Filter, order: &'static str) -> Listing {
    Listing { columns: TableRow::COLUMNS, from: TableRow::TABLE, filter, order }
}
