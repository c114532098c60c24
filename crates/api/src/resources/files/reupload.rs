//! `PUT /datasets/{dataset_id}/tables/{table_id}:upload`

use axum::Json;
use axum::extract::{Request, State};

use super::upload::{FileUploadForm, ingest};
use crate::extract::{Caller, Segments};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::upload::ReuploadResult;

/// Ingests a file as the next version of a table, whatever the file is called, and answers when all ten stages are done.
/// Of a file with several tables, the one that stands where the table came from is taken, else the one of its name,
/// else the first.
#[utoipa::path(put, path = "/api/v1/datasets/{dataset_id}/tables/{table_id}:upload", tag = "files",
    operation_id = "reupload_table",
    params(("dataset_id" = Uuid, Path, description = "Dataset"), ("table_id" = Uuid, Path, description = "Table")),
    request_body(content = FileUploadForm, content_type = "multipart/form-data"),
    responses((status = 200, body = ReuploadResult)))]
pub async fn reupload(
    State(app): State<App>,
    caller: Caller,
    path: Segments,
    request: Request,
) -> Result<Json<ReuploadResult>, Problem> {
    let (dataset, table) = (path.id("dataset_id")?, path.id("table_id")?);
    let tx = app.db.scope_read(&caller.scope).await?;
    let row = db::tables::get(&tx, table).await?.filter(|row| row.dataset == dataset);
    tx.commit().await?;
    row.ok_or_else(|| Problem::not_found("table", table))?;
    let report = ingest(&app, &caller, (dataset, Some(table)), request).await?;
    ReuploadResult::of(report).map(Json)
}
