//! `POST /schema-objects:rename-merge`

use axum::Json;
use axum::extract::State;
use db::schema_objects;
use domain::ObjectId;
use domain::table::ObjectKind;
use serde_json::json;

use crate::extract::{Body, Caller};
use crate::problem::{FieldError, Problem};
use crate::resources::{Deed, note};
use crate::state::App;
use crate::wire::schema_object::{RenameMerge, SchemaObjectRead};

/// Says that a column is another one under a new name, where no change row says so: what people wrote about `from_id`
/// moves to `to_id`. Both must be columns of one table.
#[utoipa::path(post, path = "/api/v1/schema-objects:rename-merge", tag = "schema-objects",
    operation_id = "rename_merge", request_body = RenameMerge, responses((status = 200, body = SchemaObjectRead)))]
pub async fn merge(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<RenameMerge>,
) -> Result<Json<SchemaObjectRead>, Problem> {
    let (from, to) = (ObjectId(body.from_id), ObjectId(body.to_id));
    let tx = app.db.scope(&caller.scope).await?;
    let old = schema_objects::get(&tx, from).await?.ok_or_else(|| Problem::not_found("schema object", from))?;
    let new = schema_objects::get(&tx, to).await?.ok_or_else(|| Problem::not_found("schema object", to))?;
    let columns = old.kind == ObjectKind::Column && new.kind == ObjectKind::Column;
    if !columns || old.table != new.table || from == to {
        let message = "must be another column of the same table";
        return Err(Problem::invalid(FieldError::new("not_a_pair", "/to_id", message)));
    }
    schema_objects::move_annotations(&tx, from, to).await?;
    let merged = schema_objects::get(&tx, to).await?.ok_or_else(|| Problem::not_found("schema object", to))?;
    let deed = Deed {
        event_type: "schema_object.merged",
        resource_kind: "schema_object",
        resource_id: to.to_string(),
        payload: json!({ "from_id": from, "from": old.qualified_name, "to": new.qualified_name }),
    };
    note(&app, &tx, caller.scope.workspace, &caller.who, deed).await?;
    tx.commit().await?;
    app.search.refresh(&caller.scope, &[from, to]).await;
    Ok(Json(merged.into()))
}
