//! `POST /schema-changes/{change_id}:confirm`

use axum::Json;
use axum::extract::State;
use db::{ChangeRow, ObjectRow, Tx, schema_changes, schema_objects, tables};
use domain::drift::ChangeKind;
use domain::table::ObjectKind;
use domain::{ChangeId, ObjectId, SnapshotId};
use serde_json::json;

use crate::extract::{Caller, Segments};
use crate::problem::{FieldError, Problem};
use crate::resources::{Deed, note};
use crate::state::App;
use crate::wire::table::SchemaChangeRead;

/// Confirms that a column was renamed: what people wrote about the old one moves to the new one (decision 18).
#[utoipa::path(post, path = "/api/v1/schema-changes/{change_id}:confirm", tag = "tables",
    operation_id = "confirm_schema_change", params(("change_id" = Uuid, Path, description = "Schema change")),
    responses((status = 200, body = SchemaChangeRead)))]
pub async fn confirm(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
) -> Result<Json<SchemaChangeRead>, Problem> {
    let id: ChangeId = path.id("change_id")?;
    let person = caller.actor_or_tenant();
    let tx = app.db.scope(&caller.scope).await?;
    let change = schema_changes::get(&tx, id).await?.ok_or_else(|| Problem::not_found("schema change", id))?;
    let name = candidate(&change).ok_or_else(|| {
        let message = format!("is {}: only a RENAMED_CANDIDATE can be confirmed", change.change);
        Problem::invalid(FieldError::new("not_a_candidate", "/change", message))
    })?;
    let new = column(&tx, change.next_snapshot, &name).await?;
    let data_type = new.as_ref().and_then(|object| object.data_type.clone());
    let after = json!({ "column_name": name, "data_type": data_type });
    let confirmed = schema_changes::confirm(&tx, id, &after, &person)
        .await?
        .ok_or_else(|| Problem::conflict("Another request has just decided on this change."))?;
    let touched = carry(&tx, &confirmed, &name).await?;
    let deed = Deed {
        event_type: "schema_change.confirmed",
        resource_kind: "schema_change",
        resource_id: id.to_string(),
        payload: json!({ "from": confirmed.column_name, "to": name }),
    };
    note(&app, &tx, caller.scope.workspace, &caller.who, deed).await?;
    tx.commit().await?;
    app.search.refresh(&caller.scope, &touched).await;
    Ok(Json(confirmed.into()))
}

/// The likeliest new name of a candidate; `None` for every other change.
fn candidate(change: &ChangeRow) -> Option<String> {
    if change.change != ChangeKind::RenamedCandidate {
        return None;
    }
    let after = change.after.as_ref()?;
    after["candidates"].get(0)?["name"].as_str().map(str::to_owned)
}

async fn column(tx: &Tx, snapshot: SnapshotId, name: &str) -> Result<Option<ObjectRow>, Problem> {
    let objects = schema_objects::list(tx, snapshot).await?;
    Ok(objects.into_iter().find(|object| object.kind == ObjectKind::Column && object.name == name))
}

/// Moves the annotations to the column that people see now, which may stand in a later snapshot than the change; gives
/// the objects that changed.
async fn carry(tx: &Tx, change: &ChangeRow, name: &str) -> Result<Vec<ObjectId>, Problem> {
    let current = tables::get(tx, change.table).await?.and_then(|table| table.current_snapshot);
    let old = match change.prev_snapshot {
        Some(snapshot) => column(tx, snapshot, &change.column_name).await?,
        None => None,
    };
    let new = column(tx, current.unwrap_or(change.next_snapshot), name).await?;
    if let (Some(old), Some(new)) = (old, new) {
        schema_objects::move_annotations(tx, old.id, new.id).await?;
        return Ok(vec![old.id, new.id]);
    }
    Ok(Vec::new())
}
