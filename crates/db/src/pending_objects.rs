//! Pending objects: a key is committed here before the object is put, and removed by the commit that names it.
//!
//! What is left was named by no commit: a sweep claims it ([`claim_stale`], commit), deletes the object, and forgets
//! the key. Once a sweep has claimed a key, [`adopt`] fails, so that no commit names an object that is being deleted.

use std::time::Duration;

use domain::job::Claim;
use domain::{DatasetId, JobId};

use crate::dialect::Dialect;
use crate::entities::PendingRow;
use crate::error::DbError;
use crate::page::Filter;
use crate::params;
use crate::tx::Tx;

/// A sweep that died leaves its keys to another one after this many seconds.
const SWEEP_LEASE: f64 = 600.0;

/// A key about to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewPending {
    /// The key.
    pub object_key: String,
    /// The dataset it belongs to.
    pub dataset: Option<DatasetId>,
    /// The claim that writes it; `None` for an upload that has no job yet.
    pub claim: Option<Claim>,
}

/// Records keys; the caller commits before it puts the objects. Keys that are recorded already are touched.
pub async fn insert(tx: &Tx, keys: &[NewPending]) -> Result<(), DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "INSERT INTO flyquery_pending_objects (object_key, tenant_id, workspace_id, dataset_id, job_id, claim_token, \
         touched_at) VALUES ($1, $2, $3, $4, $5, $6, {}) \
         ON CONFLICT (object_key) DO UPDATE SET touched_at = excluded.touched_at",
        tx.now()
    );
    for new in keys {
        let params = params![
            new.object_key.as_str(),
            &scope.tenant,
            scope.workspace,
            new.dataset,
            new.claim.map(|claim| claim.job_id),
            new.claim.map(|claim| claim.token)
        ];
        tx.execute(&sql, params).await?;
    }
    Ok(())
}

/// Takes keys over in the commit that names them. False when a sweep has claimed one of them, or when one is not
/// recorded: then the commit must not happen.
pub async fn adopt(tx: &Tx, keys: &[String]) -> Result<bool, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.one_of("object_key", keys);
    filter.and("swept_at IS NULL");
    let sql = format!("DELETE FROM flyquery_pending_objects WHERE {}", filter.sql());
    Ok(tx.execute(&sql, filter.into_params()).await? == keys.len() as u64)
}

/// Removes keys whose objects are deleted; how many were recorded. Scope or fleet.
pub async fn forget(tx: &Tx, keys: &[String]) -> Result<u64, DbError> {
    let mut filter = Filter::bound(tx)?;
    filter.one_of("object_key", keys);
    let sql = format!("DELETE FROM flyquery_pending_objects WHERE {}", filter.sql());
    tx.execute(&sql, filter.into_params()).await
}

/// Shows that the writer of those keys lives; how many are still recorded and not swept.
pub async fn touch(tx: &Tx, keys: &[String]) -> Result<u64, DbError> {
    let mut filter = Filter::bound(tx)?;
    filter.one_of("object_key", keys);
    filter.and("swept_at IS NULL");
    let sql = format!("UPDATE flyquery_pending_objects SET touched_at = {} WHERE {}", tx.now(), filter.sql());
    tx.execute(&sql, filter.into_params()).await
}

/// The keys of a job, of all its claims. Scope or fleet.
pub async fn of_job(tx: &Tx, job: JobId) -> Result<Vec<PendingRow>, DbError> {
    let mut filter = Filter::bound(tx)?;
    filter.eq("job_id", job);
    let sql = format!(
        "SELECT {} FROM flyquery_pending_objects WHERE {} ORDER BY object_key",
        PendingRow::COLUMNS,
        filter.sql()
    );
    tx.rows(&sql, filter.into_params()).await?.iter().map(PendingRow::from_row).collect()
}

/// Takes back every claim of a sweep; for the only process of a database, whose earlier run died while it swept.
pub async fn release_claims(tx: &Tx) -> Result<u64, DbError> {
    tx.execute("UPDATE flyquery_pending_objects SET swept_at = NULL WHERE swept_at IS NOT NULL", Vec::new()).await
}

/// Claims up to `limit` keys for a sweep: those without a job untouched for `unclaimed_after`, and those of a job that
/// has ended, untouched for `dead_after`. Keys of a job that may still run stay, those of its earlier claims too: its
/// checkpoint may name them. A fleet transaction; commit, delete the objects, then
/// [`forget`] the keys.
pub async fn claim_stale(
    tx: &Tx,
    unclaimed_after: Duration,
    dead_after: Duration,
    limit: u64,
) -> Result<Vec<PendingRow>, DbError> {
    // two grace times: a fenced worker stops within its lease, an upload may be silent for long
    let lock = match tx.dialect() {
        Dialect::Sqlite => "",
        Dialect::Postgres => " FOR UPDATE OF p SKIP LOCKED",
    };
    let sql = format!(
        "UPDATE flyquery_pending_objects SET swept_at = {now} WHERE object_key IN \
         (SELECT p.object_key FROM flyquery_pending_objects p WHERE \
         (p.swept_at IS NULL OR p.swept_at < {lease_over}) AND ( \
         (p.job_id IS NULL AND p.touched_at < {unclaimed}) OR \
         (p.job_id IS NOT NULL AND p.touched_at < {dead} AND NOT EXISTS \
         (SELECT 1 FROM flyquery_ingest_jobs j WHERE j.id = p.job_id AND j.status IN ('PENDING', 'RUNNING')))) \
         ORDER BY p.touched_at LIMIT $3{lock}) RETURNING {columns}",
        now = tx.now(),
        lease_over = tx.now_plus(-SWEEP_LEASE),
        unclaimed = tx.now_plus_bound("$1"),
        dead = tx.now_plus_bound("$2"),
        columns = PendingRow::COLUMNS
    );
    let params = params![-unclaimed_after.as_secs_f64(), -dead_after.as_secs_f64(), limit];
    tx.rows(&sql, params).await?.iter().map(PendingRow::from_row).collect()
}
