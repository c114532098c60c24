//! The event outbox: bus events committed with the change they tell of, and sent after that.
//!
//! A relay claims a few (commit), sends them to the bus with no transaction open, and marks them sent (commit). One
//! that dies in between leaves a claim that runs out: the event is sent again, with the same id.

use std::time::Duration;

use domain::Scope;
use uuid::Uuid;

use crate::entities::OutboxRow;
use crate::error::DbError;
use crate::page::Filter;
use crate::params;
use crate::tx::Tx;

/// An event to be sent once the transaction has committed.
#[derive(Clone, PartialEq, Debug)]
pub struct NewOutboxEvent {
    /// Stable id to dedupe on.
    pub id: Uuid,
    /// Destination, one of `domain::event::topic`.
    pub topic: String,
    /// What happened.
    pub event_type: String,
    /// Its facts.
    pub payload: serde_json::Value,
}

/// Adds an event of that workspace; the transaction may be of the fleet.
pub async fn insert(tx: &Tx, scope: &Scope, new: &NewOutboxEvent) -> Result<(), DbError> {
    let sql = format!(
        "INSERT INTO flyquery_event_outbox (id, tenant_id, workspace_id, topic, event_type, payload_json, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, {})",
        tx.now()
    );
    let params =
        params![new.id, &scope.tenant, scope.workspace, new.topic.as_str(), new.event_type.as_str(), &new.payload];
    tx.execute(&sql, params).await?;
    Ok(())
}

/// Whether an event waits to be sent; cheap, and needs no write.
pub async fn has_unsent(tx: &Tx) -> Result<bool, DbError> {
    let sql = format!("SELECT 1 AS one FROM flyquery_event_outbox WHERE {} LIMIT 1", due(tx));
    Ok(tx.row(&sql, Vec::new()).await?.is_some())
}

/// Takes out up to `limit` events for `lease`, oldest first. A fleet transaction; commit before sending.
pub async fn claim(tx: &Tx, limit: u64, lease: Duration) -> Result<Vec<OutboxRow>, DbError> {
    let sql = format!(
        "UPDATE flyquery_event_outbox SET claimed_until = {}, attempts = attempts + 1 WHERE id IN \
         (SELECT o.id FROM flyquery_event_outbox o WHERE {} ORDER BY o.created_at, o.id LIMIT $2{}) RETURNING {}",
        tx.now_plus_bound("$1"),
        due(tx),
        tx.dialect().skip_locked(),
        OutboxRow::COLUMNS
    );
    let rows = tx.rows(&sql, params![lease.as_secs_f64(), limit]).await?;
    let mut events = rows.iter().map(OutboxRow::from_row).collect::<Result<Vec<_>, _>>()?;
    events.sort_by_key(|event| (event.created_at, event.id));
    Ok(events)
}

fn due(tx: &Tx) -> String {
    format!("sent_at IS NULL AND (claimed_until IS NULL OR claimed_until < {})", tx.now())
}

/// Records that those events were sent; how many were not marked before.
pub async fn mark_sent(tx: &Tx, ids: &[Uuid]) -> Result<u64, DbError> {
    let mut filter = Filter::fleet(tx);
    filter.one_of("id", ids);
    filter.and("sent_at IS NULL");
    let sql = format!("UPDATE flyquery_event_outbox SET sent_at = {} WHERE {}", tx.now(), filter.sql());
    tx.execute(&sql, filter.into_params()).await
}

/// Removes up to `limit` events that were sent longer than `older_than` ago; how many.
pub async fn delete_sent(tx: &Tx, older_than: Duration, limit: u64) -> Result<u64, DbError> {
    let sql = format!(
        "DELETE FROM flyquery_event_outbox WHERE id IN \
         (SELECT o.id FROM flyquery_event_outbox o WHERE o.sent_at < {} LIMIT $2)",
        tx.now_plus_bound("$1")
    );
    tx.execute(&sql, params![-older_than.as_secs_f64(), limit]).await
}
