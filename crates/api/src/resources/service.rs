//! Version, health, metrics and the API document: routes without a tenant.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use std::time::Duration;

use crate::state::App;
use crate::wire::service::{AppInfo, Health, Info, Version};

/// Longest the database may take to prove that it is there.
const PING: Duration = Duration::from_secs(2);

/// Which build answers.
#[utoipa::path(get, path = "/api/v1/version", tag = "service", operation_id = "get_version",
    responses((status = 200, body = Version)))]
pub async fn version(State(app): State<App>) -> Json<Version> {
    let build = app.settings.build;
    Json(Version { name: "flyquery", version: build.version, git_sha: build.git_sha, build_time: build.build_time })
}

/// Whether flyquery can do its work.
#[utoipa::path(get, path = "/actuator/health", tag = "service", operation_id = "get_health",
    responses((status = 200, body = Health), (status = 503, body = Health)))]
pub async fn health(State(app): State<App>) -> Response {
    state_of_database(&app).await
}

/// Whether flyquery should be sent requests.
#[utoipa::path(get, path = "/actuator/health/readiness", tag = "service", operation_id = "get_readiness",
    responses((status = 200, body = Health), (status = 503, body = Health)))]
pub async fn readiness(State(app): State<App>) -> Response {
    if app.shutdown.is_cancelled() { down() } else { state_of_database(&app).await }
}

/// Whether the process lives; a database that is away is no reason to restart it.
#[utoipa::path(get, path = "/actuator/health/liveness", tag = "service", operation_id = "get_liveness",
    responses((status = 200, body = Health)))]
pub async fn liveness() -> Json<Health> {
    Json(Health { status: "UP" })
}

async fn state_of_database(app: &App) -> Response {
    match tokio::time::timeout(PING, app.db.ping()).await {
        Ok(Ok(())) => Json(Health { status: "UP" }).into_response(),
        Ok(Err(error)) => {
            tracing::warn!(%error, "health: the database did not answer");
            down()
        }
        Err(_) => down(),
    }
}

fn down() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, Json(Health { status: "DOWN" })).into_response()
}

/// About the application.
#[utoipa::path(get, path = "/actuator/info", tag = "service", operation_id = "get_info",
    responses((status = 200, body = Info)))]
pub async fn info(State(app): State<App>) -> Json<Info> {
    Json(Info {
        app: AppInfo {
            name: "flyquery",
            version: app.settings.build.version,
            description: "Turns uploaded files into typed, profiled, described tables that answer SQL.",
        },
    })
}

/// Metrics in the Prometheus exposition format.
#[utoipa::path(get, path = "/metrics", tag = "service", operation_id = "get_metrics",
    responses((status = 200, body = String, content_type = "text/plain")))]
pub async fn metrics(State(app): State<App>) -> Response {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], (app.metrics)()).into_response()
}

/// This document.
#[utoipa::path(get, path = "/openapi.json", tag = "service", operation_id = "get_openapi",
    responses((status = 200, body = Object, content_type = "application/json")))]
pub async fn openapi(State(app): State<App>) -> Response {
    ([(CONTENT_TYPE, "application/json")], app.openapi.clone()).into_response()
}
