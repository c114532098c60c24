//! One folder per resource, one file per verb.

pub mod datasets;
pub mod files;
pub mod ingest_jobs;
pub mod relations;
pub mod schema_changes;
pub mod schema_objects;
pub mod service;
pub mod sql;
pub mod tables;
pub mod workspaces;

use db::audit::{self, NewAudit};
use db::{DbError, Tx};
use domain::{Actor, WorkspaceId};
use serde_json::Value;

use crate::extract::Who;
use crate::problem::{FieldError, Problem};
use crate::state::App;

/// Why a callback is refused rather than accepted and forgotten.
const NO_CALLBACKS: &str = "this build delivers no callbacks: leave it out and follow the job instead";

/// What an audit row says; who and when are added.
struct Deed<'a> {
    event_type: &'a str,
    resource_kind: &'a str,
    resource_id: String,
    payload: Value,
}

/// Writes an audit row in the transaction of the change it tells about.
async fn note(app: &App, tx: &Tx, workspace: WorkspaceId, who: &Who, deed: Deed<'_>) -> Result<(), DbError> {
    let row = NewAudit {
        id: app.entropy.id(),
        actor: who.actor.clone().unwrap_or_else(Actor::anonymous),
        event_type: deed.event_type.to_owned(),
        resource_kind: deed.resource_kind.to_owned(),
        resource_id: Some(deed.resource_id),
        correlation_id: who.correlation_id.clone(),
        payload: deed.payload,
    };
    audit::insert(tx, workspace, &row).await
}

/// Names the field whose value is taken, when a unique constraint of `table` refused it.
fn taken(error: DbError, table: &str, field: &str, value: &str) -> Problem {
    if error.is_conflict_on(table) {
        return Problem::conflict(format!("The {field} '{value}' is taken.")).error(FieldError::new(
            "taken",
            format!("/{field}"),
            "is taken",
        ));
    }
    error.into()
}
