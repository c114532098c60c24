//! Cost events: what calls to describers, embedders and the like cost.

use chrono::{DateTime, Utc};
use domain::{Actor, JobId};
use uuid::Uuid;

use crate::entities::CostRow;
use crate::error::DbError;
use crate::page::{Filter, Listing, Page, Paged};
use crate::params;
use crate::tx::Tx;

/// A cost to be recorded.
#[derive(Clone, PartialEq, Debug)]
pub struct NewCost {
    /// Its id.
    pub id: Uuid,
    /// Who caused it.
    pub actor: Actor,
    /// The model that was called.
    pub model: Option<String>,
    /// What it was called for.
    pub operation: String,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// A decimal number.
    pub cost_cents: String,
    /// The job that caused it.
    pub job: Option<JobId>,
    /// The query that caused it.
    pub query: Option<Uuid>,
    /// Ties it to the request.
    pub correlation_id: Option<String>,
}

/// Which costs a list shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CostFilter {
    /// Of one actor.
    pub actor: Option<String>,
    /// Of one model.
    pub model: Option<String>,
    /// For one purpose.
    pub operation: Option<String>,
    /// From here on, included.
    pub from: Option<DateTime<Utc>>,
    /// Up to here, excluded.
    pub to: Option<DateTime<Utc>>,
}

/// Records a cost.
pub async fn insert(tx: &Tx, new: &NewCost) -> Result<(), DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "INSERT INTO {} (id, tenant_id, workspace_id, actor, model, operation, input_tokens, output_tokens, \
         cost_cents, ingest_job_id, query_id, correlation_id, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, {}, $10, $11, $12, {})",
        CostRow::TABLE,
        tx.dialect().decimal("$9"),
        tx.now()
    );
    let params = params![
        new.id,
        &scope.tenant,
        scope.workspace,
        &new.actor,
        &new.model,
        new.operation.as_str(),
        new.input_tokens,
        new.output_tokens,
        new.cost_cents.as_str(),
        new.job,
        new.query,
        &new.correlation_id
    ];
    tx.execute(&sql, params).await?;
    Ok(())
}

/// A page of the workspace's costs, newest first.
pub async fn list(tx: &Tx, wanted: &CostFilter, page: Page) -> Result<Paged<CostRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq_if("actor", wanted.actor.as_deref());
    filter.eq_if("model", wanted.model.as_deref());
    filter.eq_if("operation", wanted.operation.as_deref());
    filter.between("created_at", wanted.from, wanted.to);
    let order = "created_at DESC, id DESC";
    Listing { columns: CostRow::COLUMNS, from: CostRow::TABLE, filter, order }.page(tx, page, CostRow::from_row).await
}
