//! `POST /sql:execute`

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use db::{Tx, datasets, snapshots};
use domain::ports::sql::{SqlError, SqlRequest, SqlRows};
use domain::table::PublishedTable;
use domain::{DatasetId, ErrorCode, SnapshotId, limits};
use serde_json::{Map, Value, json};

use crate::extract::{Body, Caller};
use crate::problem::{FieldError, Problem};
use crate::resources::{Deed, note};
use crate::state::App;
use crate::wire::sql::{SqlExecuteRequest, SqlExecuteResponse, SqlFailure};

/// Runs one read-only statement. A statement that is refused, wrong or too expensive is answered 200 with its
/// `execution_status` and `error`.
#[utoipa::path(post, path = "/api/v1/sql:execute", tag = "sql", operation_id = "execute_sql",
    request_body = SqlExecuteRequest, responses((status = 200, body = SqlExecuteResponse)))]
pub async fn execute(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<SqlExecuteRequest>,
) -> Result<Json<SqlExecuteResponse>, Problem> {
    if !caller.workspace.allow_direct_sql {
        return Err(Problem::new(ErrorCode::DirectSqlForbidden));
    }
    let tx = app.db.scope_read(&caller.scope).await?;
    let dataset =
        datasets::get(&tx, body.dataset_id).await?.ok_or_else(|| Problem::not_found("dataset", body.dataset_id))?;
    let tables = catalogue(&tx, body.dataset_id, &body.snapshot_pins).await?;
    tx.commit().await?;

    let place = super::place(&app)?;
    let pins = tables.iter().map(|table| (table.name.clone(), table.snapshot_id.0)).collect();
    let request = SqlRequest {
        sql: body.sql.clone(),
        tables,
        dataset: Some(dataset.name),
        row_cap: body.row_cap.map_or(app.settings.row_cap, |cap| cap.min(app.settings.row_cap)),
        timeout: app.settings.statement_timeout,
    };
    let started = app.clock.monotonic();
    let outcome = app.sql.execute(request).await;
    let elapsed_ms = app.clock.monotonic().saturating_sub(started).as_millis() as u64;
    drop(place);

    let mut answer = SqlExecuteResponse {
        query_id: app.entropy.id(),
        ast_classification: app.sql.classify(&body.sql).as_str(),
        sql: body.sql,
        execution_status: "OK",
        preview: None,
        row_count: None,
        elapsed_ms: Some(elapsed_ms),
        truncated: false,
        snapshot_pins: pins,
        columns: None,
        rows: None,
        error: None,
    };
    match outcome {
        Ok(rows) => fill(&mut answer, rows, body.include_rows),
        Err(error) => fail(&mut answer, &error),
    }
    remember(&app, &caller, &answer).await?;
    Ok(Json(answer))
}

/// The dataset's published tables, each at its pinned snapshot where one is pinned.
async fn catalogue(
    tx: &Tx,
    dataset: DatasetId,
    pins: &BTreeMap<String, SnapshotId>,
) -> Result<Vec<PublishedTable>, Problem> {
    let mut tables = snapshots::published(tx, dataset).await?;
    if pins.is_empty() {
        return Ok(tables);
    }
    let wanted: Vec<SnapshotId> = pins.values().copied().collect();
    let pinned = snapshots::published_at(tx, dataset, &wanted).await?;
    for (name, snapshot) in pins {
        let found = pinned.iter().find(|table| table.snapshot_id == *snapshot && table.name == *name);
        let Some(found) = found else {
            let message = format!("the dataset has no table '{name}' with a READY snapshot {snapshot}");
            return Err(Problem::invalid(FieldError::new("unknown_value", format!("/snapshot_pins/{name}"), message)));
        };
        tables.retain(|table| table.table_id != found.table_id);
        tables.push(found.clone());
    }
    Ok(tables)
}

fn fill(answer: &mut SqlExecuteResponse, rows: SqlRows, include_rows: bool) {
    let object = |row: &Vec<Value>| -> Map<String, Value> {
        rows.columns.iter().map(|column| column.name.clone()).zip(row.iter().cloned()).collect()
    };
    answer.preview = Some(rows.rows.iter().take(limits::SQL_PREVIEW_ROWS).map(object).collect());
    answer.row_count = Some(rows.rows.len());
    answer.truncated = rows.truncated;
    if include_rows {
        answer.columns = Some(rows.columns.into_iter().map(Into::into).collect());
        answer.rows = Some(rows.rows);
    }
}

fn fail(answer: &mut SqlExecuteResponse, error: &SqlError) {
    answer.execution_status = match error {
        SqlError::Refused(_) => "REJECTED_BY_FIREWALL",
        SqlError::Wrong(_) | SqlError::TimedOut(_) | SqlError::OutOfMemory(_) | SqlError::Internal(_) => "FAILED",
    };
    answer.error = Some(match &error {
        SqlError::Internal(cause) => {
            tracing::error!(%cause, "a statement met a defect or an absent store");
            let message = "The tables could not be read; the server's log has the details.".to_owned();
            SqlFailure { code: ErrorCode::InternalError.as_str(), message }
        }
        SqlError::Refused(_) | SqlError::Wrong(_) | SqlError::TimedOut(_) | SqlError::OutOfMemory(_) => {
            SqlFailure { code: ErrorCode::SqlError.as_str(), message: error.to_string() }
        }
    });
}

/// The audit row: that a statement ran and how it ended, never its text, which may hold personal data.
async fn remember(app: &App, caller: &Caller, answer: &SqlExecuteResponse) -> Result<(), Problem> {
    let refused = answer.execution_status == "REJECTED_BY_FIREWALL";
    let deed = Deed {
        event_type: if refused { "query.rejected_by_firewall" } else { "sql.executed" },
        resource_kind: "query",
        resource_id: answer.query_id.to_string(),
        payload: json!({
            "execution_status": answer.execution_status,
            "ast_classification": answer.ast_classification,
            "row_count": answer.row_count,
            "elapsed_ms": answer.elapsed_ms,
        }),
    };
    let tx = app.db.scope(&caller.scope).await?;
    note(app, &tx, caller.scope.workspace, &caller.who, deed).await?;
    tx.commit().await?;
    Ok(())
}
