//! `POST /workspaces`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::IntoResponse;
use db::workspaces::{self, NewWorkspace};
use domain::{Locale, WorkspaceId};
use serde_json::json;

use crate::extract::{Body, Tenant};
use crate::problem::Problem;
use crate::resources::{Deed, note, taken};
use crate::state::App;
use crate::wire::workspace::{WorkspaceCreate, WorkspaceRead};

/// Makes a workspace.
#[utoipa::path(post, path = "/api/v1/workspaces", tag = "workspaces", operation_id = "create_workspace",
    request_body = WorkspaceCreate, responses((status = 201, body = WorkspaceRead)))]
pub async fn create(
    State(app): State<App>,
    caller: Tenant,
    Body(body): Body<WorkspaceCreate>,
) -> Result<impl IntoResponse, Problem> {
    let slug = body.slug.clone();
    let new = NewWorkspace {
        id: WorkspaceId(app.entropy.id()),
        slug: body.slug,
        name: body.name,
        kms_key_uri: body.kms_key_uri,
        retention_days: body.retention_days,
        allow_direct_sql: body.allow_direct_sql.unwrap_or(false),
        default_locale: body.default_locale.map(Locale::new).unwrap_or_default(),
        metadata: body.metadata_json.unwrap_or_else(|| json!({})),
    };
    let tx = app.db.tenant(&caller.tenant).await?;
    let row =
        workspaces::insert(&tx, &new).await.map_err(|error| taken(error, "flyquery_workspaces", "slug", &slug))?;
    let deed = Deed {
        event_type: "workspace.created",
        resource_kind: "workspace",
        resource_id: row.id.to_string(),
        payload: json!({ "slug": slug }),
    };
    note(&app, &tx, row.id, &caller.who, deed).await?;
    tx.commit().await?;
    let location = format!("/api/v1/workspaces/{}", row.id);
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(WorkspaceRead::from(row))))
}
