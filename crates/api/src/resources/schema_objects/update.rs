//! `PUT /schema-objects/{object_id}`

use axum::Json;
use axum::extract::State;
use db::schema_objects::{self, ObjectUpdate};
use domain::ObjectId;
use serde_json::json;

use crate::extract::{Body, Caller, Segments};
use crate::problem::Problem;
use crate::resources::{Deed, note};
use crate::state::App;
use crate::wire::schema_object::{SchemaObjectRead, SchemaObjectUpdate};

/// Tells what a person knows better. A tag of personal data empties the column's samples in the same transaction.
#[utoipa::path(put, path = "/api/v1/schema-objects/{object_id}", tag = "schema-objects",
    operation_id = "update_schema_object", params(("object_id" = Uuid, Path, description = "Schema object")),
    request_body = SchemaObjectUpdate, responses((status = 200, body = SchemaObjectRead)))]
pub async fn update(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    Body(body): Body<SchemaObjectUpdate>,
) -> Result<Json<SchemaObjectRead>, Problem> {
    let id: ObjectId = path.id("object_id")?;
    let tag = body.pii_tag.as_ref().map(ToString::to_string);
    let fields: Vec<&str> = [
        ("description", body.description.is_some()),
        ("pii_tag", body.pii_tag.is_some()),
        ("business_owner", body.business_owner.is_some()),
        ("governance_json", body.governance_json.is_some()),
        ("synonyms_json", body.synonyms_json.is_some()),
    ]
    .into_iter()
    .filter_map(|(name, set)| set.then_some(name))
    .collect();
    let changes = ObjectUpdate {
        description: body.description,
        pii_tag: body.pii_tag,
        business_owner: body.business_owner,
        governance: body.governance_json.and_then(|value| value.as_object().cloned()),
        synonyms: body.synonyms_json,
    };
    let found_by_others = changes.description.is_some() || changes.synonyms.is_some();
    let tx = app.db.scope(&caller.scope).await?;
    let row = schema_objects::update_by_person(&tx, id, &changes)
        .await?
        .ok_or_else(|| Problem::not_found("schema object", id))?;
    let deed =
        |event_type, payload| Deed { event_type, resource_kind: "schema_object", resource_id: id.to_string(), payload };
    let workspace = caller.scope.workspace;
    note(&app, &tx, workspace, &caller.who, deed("schema_object.annotated", json!({ "fields": fields }))).await?;
    if let Some(tag) = tag {
        note(&app, &tx, workspace, &caller.who, deed("pii.tag_set", json!({ "pii_tag": tag }))).await?;
    }
    tx.commit().await?;
    if found_by_others {
        app.search.refresh(&caller.scope, &[id]).await;
    }
    Ok(Json(row.into()))
}
