//! `GET /schema-objects:search`

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use db::{ObjectRow, schema_objects};
use domain::ports::search::{SearchError, SearchRequest};
use domain::{ErrorCode, ObjectId, limits};

use crate::extract::{Caller, Query};
use crate::problem::Problem;
use crate::state::App;
use crate::wire::search::{SearchItem, SearchResults};

/// Hits wanted when nobody says.
const TOP_K: i64 = 10;

/// Finds tables and columns by words: their names, synonyms, descriptions and meanings, in any form, misspelt ones too.
/// Values are not searched. Only what is current and active is found.
#[utoipa::path(get, path = "/api/v1/schema-objects:search", tag = "schema-objects",
    operation_id = "search_schema_objects",
    params(
        ("q" = String, Query, description = "Words to look for, up to 1000 characters; no syntax"),
        ("dataset_id" = Option<Uuid>, Query, description = "Only this dataset"),
        ("table_id" = Option<Uuid>, Query, description = "Only this table and its columns"),
        ("kind" = Option<String>, Query, description = "TABLE or COLUMN"),
        ("top_k" = Option<i64>, Query, description = "Hits wanted, 1 to 100; 10 when absent"),
    ),
    responses((status = 200, body = SearchResults)))]
pub async fn search(State(app): State<App>, caller: Caller, mut query: Query) -> Result<Json<SearchResults>, Problem> {
    let top_k = limits::SEARCH_TOP_K as i64;
    let request = SearchRequest {
        scope: caller.scope.clone(),
        q: query.required("q", limits::SEARCH_QUERY_CHARS),
        dataset: query.id("dataset_id"),
        table: query.id("table_id"),
        kind: query.parsed("kind", "TABLE or COLUMN"),
        top_k: query.parsed("top_k", "an integer").unwrap_or(TOP_K).clamp(1, top_k) as usize,
    };
    query.finish()?;
    let hits = app.search.search(request).await.map_err(problem)?;
    let ids: Vec<ObjectId> = hits.iter().map(|hit| hit.object).collect();
    let tx = app.db.scope_read(&caller.scope).await?;
    let rows = schema_objects::by_ids(&tx, &ids).await?;
    tx.commit().await?;
    let mut rows: HashMap<ObjectId, ObjectRow> = rows.into_iter().map(|row| (row.id, row)).collect();
    // what was removed since it was found is left out
    let items = hits.into_iter().filter_map(|hit| {
        let object = rows.remove(&hit.object)?.into();
        Some(SearchItem { object, score: hit.score, snippet: hit.snippet })
    });
    Ok(Json(SearchResults { items: items.collect() }))
}

fn problem(error: SearchError) -> Problem {
    match error {
        SearchError::Unavailable(cause) => {
            tracing::warn!(%cause, "a search did not answer");
            Problem::new(ErrorCode::ServiceUnavailable).detail("The search did not answer in time.")
        }
        SearchError::Internal(cause) => Problem::defect(&cause),
    }
}
