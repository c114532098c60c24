//! `GET /schema-objects/{object_id}`

use axum::Json;
use axum::extract::State;
use db::schema_objects;
use domain::ObjectId;

use crate::extract::{Caller, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::schema_object::SchemaObjectRead;

/// What is known of a table or a column.
#[utoipa::path(get, path = "/api/v1/schema-objects/{object_id}", tag = "schema-objects",
    operation_id = "get_schema_object", params(("object_id" = Uuid, Path, description = "Schema object")),
    responses((status = 200, body = SchemaObjectRead)))]
pub async fn by_id(State(app): State<App>, caller: Caller, path: Segments) -> Result<Json<SchemaObjectRead>, Problem> {
    let id: ObjectId = path.id("object_id")?;
    let tx = app.db.scope_read(&caller.scope).await?;
    let row = schema_objects::get(&tx, id).await?.ok_or_else(|| Problem::not_found("schema object", id))?;
    tx.commit().await?;
    Ok(Json(row.into()))
}
