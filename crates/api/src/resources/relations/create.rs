//! `POST /datasets/{dataset_id}/relations`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::IntoResponse;
use db::relations::{self, NewRelation};
use db::{Tx, datasets, schema_objects, tables};
use domain::table::ObjectKind;
use domain::{DatasetId, ErrorCode, RelationId, TableId};
use serde_json::json;

use crate::extract::{Body, Caller, Segments};
use crate::problem::{FieldError, Problem};
use crate::resources::{Deed, note};
use crate::state::App;
use crate::wire::relation::{RelationCreate, RelationRead};

/// Records a relation that a person knows of. It counts as approved.
#[utoipa::path(post, path = "/api/v1/datasets/{dataset_id}/relations", tag = "relations",
    operation_id = "create_relation", params(("dataset_id" = Uuid, Path, description = "Dataset")),
    request_body = RelationCreate, responses((status = 201, body = RelationRead)))]
pub async fn create(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    Body(body): Body<RelationCreate>,
) -> Result<impl IntoResponse, Problem> {
    let dataset: DatasetId = path.id("dataset_id")?;
    let new = NewRelation {
        id: RelationId(app.entropy.id()),
        dataset,
        from: (TableId(body.from_table_id), body.from_column_name),
        to: (TableId(body.to_table_id), body.to_column_name),
        reason: body.reason,
        by: caller.actor_or_tenant(),
    };
    let tx = app.db.scope(&caller.scope).await?;
    datasets::get(&tx, dataset).await?.ok_or_else(|| Problem::not_found("dataset", dataset))?;
    let mut errors = Vec::new();
    errors.extend(wrong_end(&tx, dataset, &new.from, "from").await?);
    errors.extend(wrong_end(&tx, dataset, &new.to, "to").await?);
    if new.from == new.to {
        errors.push(FieldError::new("circular", "/to_column_name", "must be another column than the one that refers"));
    }
    if !errors.is_empty() {
        return Err(Problem::several(ErrorCode::InvalidRequest, errors));
    }
    let row = relations::insert(&tx, &new)
        .await?
        .ok_or_else(|| Problem::conflict("There is a relation between these columns: approve that one instead."))?;
    let deed = Deed {
        event_type: "relation.approved",
        resource_kind: "relation",
        resource_id: row.id.to_string(),
        payload: json!({ "kind": row.kind, "status": row.status }),
    };
    note(&app, &tx, caller.scope.workspace, &caller.who, deed).await?;
    tx.commit().await?;
    let location = format!("/api/v1/datasets/{dataset}/relations");
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(RelationRead::from(row))))
}

/// What is wrong with one end: the table must be published in the dataset and have the column.
async fn wrong_end(
    tx: &Tx,
    dataset: DatasetId,
    (table, column): &(TableId, String),
    end: &str,
) -> Result<Option<FieldError>, Problem> {
    let found = tables::get(tx, *table).await?.filter(|row| row.dataset == dataset);
    let Some(snapshot) = found.and_then(|row| row.current_snapshot) else {
        return Ok(Some(FieldError::new("unknown", format!("/{end}_table_id"), "is no table of the dataset")));
    };
    let objects = schema_objects::list(tx, snapshot).await?;
    let known = objects.iter().any(|object| object.kind == ObjectKind::Column && object.name == *column);
    Ok((!known).then(|| FieldError::new("unknown", format!("/{end}_column_name"), "is no column of the table")))
}
