//! Relations between columns. What a person decided is never overwritten by a proposer.

use domain::ports::relation_proposer::RelationProposal;
use domain::semantic::RelationStatus;
use domain::{Actor, DatasetId, RelationId, TableId};

use crate::entities::RelationRow;
use crate::error::DbError;
use crate::page::{Filter, Listing};
use crate::params;
use crate::tx::Tx;

/// Records proposals; how many are new or refreshed. APPROVED, REJECTED and MANUAL ones stay as they are.
pub async fn propose(
    tx: &Tx,
    dataset: DatasetId,
    proposals: &[(RelationId, RelationProposal)],
) -> Result<u64, DbError> {
    let scope = tx.scope()?;
    let now = tx.now();
    let sql = format!(
        "INSERT INTO {} (id, tenant_id, workspace_id, dataset_id, from_table_id, from_column_name, to_table_id, \
         to_column_name, kind, confidence, reason, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, {now}, {now}) \
         ON CONFLICT (from_table_id, from_column_name, to_table_id, to_column_name) DO UPDATE SET \
         kind = excluded.kind, confidence = excluded.confidence, reason = excluded.reason, \
         updated_at = excluded.updated_at \
         WHERE flyquery_relations.status = 'PROPOSED' AND flyquery_relations.kind <> 'MANUAL'",
        RelationRow::TABLE
    );
    let mut touched = 0;
    for (id, proposal) in proposals {
        let params = params![
            *id,
            &scope.tenant,
            scope.workspace,
            dataset,
            proposal.from_table,
            proposal.from_column.as_str(),
            proposal.to_table,
            proposal.to_column.as_str(),
            proposal.kind,
            proposal.confidence,
            proposal.reason.as_str()
        ];
        touched += tx.execute(&sql, params).await?;
    }
    Ok(touched)
}

/// A relation that a person knows of.
#[derive(Clone, PartialEq, Debug)]
pub struct NewRelation {
    /// Its id.
    pub id: RelationId,
    /// The dataset of both tables.
    pub dataset: DatasetId,
    /// Table and column that refer.
    pub from: (TableId, String),
    /// Table and column that are referred to.
    pub to: (TableId, String),
    /// Why.
    pub reason: Option<String>,
    /// Who says so.
    pub by: Actor,
}

/// Records what a person knows: MANUAL, APPROVED and certain. A mere proposal gives way to it; `None` when people have
/// decided on a relation between these columns already.
pub async fn insert(tx: &Tx, new: &NewRelation) -> Result<Option<RelationRow>, DbError> {
    let scope = tx.scope()?;
    let now = tx.now();
    let sql = format!(
        "INSERT INTO {table} (id, tenant_id, workspace_id, dataset_id, from_table_id, from_column_name, to_table_id, \
         to_column_name, kind, confidence, reason, status, approved_by, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'MANUAL', 1, $9, 'APPROVED', $10, {now}, {now}) \
         ON CONFLICT (from_table_id, from_column_name, to_table_id, to_column_name) DO UPDATE SET \
         kind = excluded.kind, confidence = excluded.confidence, reason = excluded.reason, \
         status = excluded.status, approved_by = excluded.approved_by, updated_at = excluded.updated_at \
         WHERE {table}.status = 'PROPOSED' AND {table}.tenant_id = excluded.tenant_id \
         AND {table}.workspace_id = excluded.workspace_id RETURNING {columns}",
        table = RelationRow::TABLE,
        columns = RelationRow::COLUMNS
    );
    let params = params![
        new.id,
        &scope.tenant,
        scope.workspace,
        new.dataset,
        new.from.0,
        new.from.1.as_str(),
        new.to.0,
        new.to.1.as_str(),
        &new.reason,
        &new.by
    ];
    tx.row(&sql, params).await?.as_ref().map(RelationRow::from_row).transpose()
}

/// Forgets a relation; whether there was one.
pub async fn delete(tx: &Tx, id: RelationId) -> Result<bool, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("id", id);
    let sql = format!("DELETE FROM {} WHERE {}", RelationRow::TABLE, filter.sql());
    Ok(tx.execute(&sql, filter.into_params()).await? > 0)
}

/// The relations of a dataset, the most certain first.
pub async fn list(tx: &Tx, dataset: DatasetId, status: Option<RelationStatus>) -> Result<Vec<RelationRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("dataset_id", dataset);
    filter.eq_if("status", status);
    listing(filter).all(tx, RelationRow::from_row).await
}

/// The relation of that id.
pub async fn get(tx: &Tx, id: RelationId) -> Result<Option<RelationRow>, DbError> {
    let mut filter = Filter::scoped(tx)?;
    filter.eq("id", id);
    listing(filter).first(tx, RelationRow::from_row).await
}

/// Records a person's decision; `None` when there is no relation of that id.
pub async fn set_status(
    tx: &Tx,
    id: RelationId,
    status: RelationStatus,
    approved_by: Option<&Actor>,
) -> Result<Option<RelationRow>, DbError> {
    let scope = tx.scope()?;
    let sql = format!(
        "UPDATE {} SET status = $4, approved_by = $5, updated_at = {} \
         WHERE tenant_id = $1 AND workspace_id = $2 AND id = $3 RETURNING {}",
        RelationRow::TABLE,
        tx.now(),
        RelationRow::COLUMNS
    );
    let row = tx.row(&sql, params![&scope.tenant, scope.workspace, id, status, approved_by]).await?;
    row.as_ref().map(RelationRow::from_row).transpose()
}

fn listing(filter: Filter) -> Listing {
    Listing {
        columns: RelationRow::COLUMNS,
        from: RelationRow::TABLE,
        filter,
        order: "confidence DESC, created_at, id",
    }
}
