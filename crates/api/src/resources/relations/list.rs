//! `GET /datasets/{dataset_id}/relations`

use axum::Json;
use axum::extract::State;
use db::{datasets, relations};
use domain::DatasetId;
use domain::semantic::RelationStatus;

use crate::extract::{Caller, Query, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::page::Paginated;
use crate::wire::relation::RelationRead;

/// The relations between a dataset's tables, the most certain first.
#[utoipa::path(get, path = "/api/v1/datasets/{dataset_id}/relations", tag = "relations",
    operation_id = "list_relations", params(
        ("dataset_id" = Uuid, Path, description = "Dataset"),
        ("status" = Option<String>, Query, description = "PROPOSED, APPROVED or REJECTED"),
    ),
    responses((status = 200, body = Paginated<RelationRead>)))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    mut query: Query,
) -> Result<Json<Paginated<RelationRead>>, Problem> {
    let dataset: DatasetId = path.id("dataset_id")?;
    let status = query.parsed::<RelationStatus>("status", "PROPOSED, APPROVED or REJECTED");
    query.finish()?;
    let tx = app.db.scope_read(&caller.scope).await?;
    datasets::get(&tx, dataset).await?.ok_or_else(|| Problem::not_found("dataset", dataset))?;
    let rows = relations::list(&tx, dataset, status).await?;
    tx.commit().await?;
    Ok(Json(Paginated::whole(rows.into_iter().map(Into::into).collect())))
}
