//! `flyquery jobs`: what ran, what runs, and what happened in it.

use std::time::Duration;

use domain::{JobId, JobState};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::cli::{Jobs, JobsList, OneJob};
use crate::client::{Job, Server, Session, StreamEvent, follow};
use crate::error::CliError;
use crate::render::grid::{Cell, Grid, Tone};
use crate::render::style::Style;
use crate::render::{self, number, text};

/// Runs one of the commands.
pub async fn run(session: &Session, command: &Jobs, style: Style) -> Result<(), CliError> {
    match command {
        Jobs::List(arguments) => list(session, arguments, style).await,
        Jobs::Show(arguments) => show(session, arguments, style).await,
        Jobs::Events(arguments) => events(session, arguments, style).await,
        Jobs::Follow(arguments) => watch(session, arguments, style).await,
        Jobs::Cancel(arguments) => cancel(session, arguments).await,
    }
}

async fn list(session: &Session, arguments: &JobsList, style: Style) -> Result<(), CliError> {
    let page = session.ask(async |server| page(server, arguments).await).await?;
    if arguments.json {
        return render::put_json(&page);
    }
    let mut grid = Grid::new(
        &[
            ("job", false),
            ("kind", false),
            ("status", false),
            ("took", true),
            ("attempts", true),
            ("started", false),
            ("what", false),
        ]
        .map(|(name, right)| (name.to_owned(), right)),
    );
    for item in page.get("items").and_then(Value::as_array).into_iter().flatten() {
        let job = read(item)?;
        grid.row(vec![
            Cell::new(job.id.to_string()),
            Cell::new(job.kind.clone()),
            Cell::new(job.status.as_str()).tone(tone(job.status)),
            Cell::new(took(&job)),
            Cell::new(job.attempts.to_string()),
            Cell::new(job.started_at.as_deref().map(seconds).unwrap_or_default()).tone(Tone::Dim),
            Cell::new(what(&job)),
        ]);
    }
    render::put(&grid.render(style, ""))
}

async fn page(server: &Server, arguments: &JobsList) -> Result<Value, CliError> {
    let mut query = vec![("limit", arguments.limit.to_string())];
    query.extend(arguments.status.clone().map(|status| ("status", status)));
    query.extend(arguments.kind.clone().map(|kind| ("kind", kind)));
    if let Some(name) = &arguments.dataset {
        query.push(("dataset_id", server.dataset(name).await?.id.to_string()));
    }
    server.get("/ingest-jobs", &query).await
}

async fn one<T: DeserializeOwned>(session: &Session, arguments: &OneJob) -> Result<T, CliError> {
    session.ask(async |server| server.get(&format!("/ingest-jobs/{}", arguments.job), &[]).await).await
}

async fn show(session: &Session, arguments: &OneJob, style: Style) -> Result<(), CliError> {
    let document: Value = one(session, arguments).await?;
    if arguments.json {
        return render::put_json(&document);
    }
    let mut grid = Grid::new(&[(String::new(), false), (String::new(), false)]);
    for (key, value) in document.as_object().into_iter().flatten().filter(|(_, value)| !is_empty(value)) {
        let shown = match value {
            Value::Object(_) | Value::Array(_) => continue,
            other => text::cell(other),
        };
        grid.row(vec![Cell::new(key.as_str()).tone(Tone::Dim), Cell::new(shown)]);
    }
    let job = read(&document)?;
    grid.row(vec![Cell::new("what").tone(Tone::Dim), Cell::new(what(&job))]);
    render::put(grid.render(style, "").trim_start_matches('\n'))
}

async fn events(session: &Session, arguments: &OneJob, style: Style) -> Result<(), CliError> {
    let all = session.ask(async |server| ledger(server, arguments).await).await?;
    if arguments.json {
        return render::put_json(&Value::Array(all));
    }
    let lines: String = all
        .iter()
        .map(|event| {
            let word = |key: &str| event.get(key).and_then(Value::as_str);
            let payload = event.get("payload_json").unwrap_or(&Value::Null);
            line(word("created_at"), word("stage").unwrap_or_default(), word("message"), payload, style)
        })
        .collect();
    render::put(&lines)
}

/// Every event of a job, page by page.
async fn ledger(server: &Server, arguments: &OneJob) -> Result<Vec<Value>, CliError> {
    let mut after = None;
    let mut all = Vec::new();
    loop {
        let mut query = vec![("limit", domain::limits::EVENTS_PAGE.to_string())];
        query.extend(after.map(|id: i64| ("after_id", id.to_string())));
        let page: Value = server.get(&format!("/ingest-jobs/{}/events", arguments.job), &query).await?;
        let items = page.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        after = items.last().and_then(|event| event.get("id")).and_then(Value::as_i64);
        let full = items.len() as u64 == domain::limits::EVENTS_PAGE;
        all.extend(items);
        if !full {
            return Ok(all);
        }
    }
}

async fn watch(session: &Session, arguments: &OneJob, style: Style) -> Result<(), CliError> {
    let mut written = Ok(());
    let mut on = |event: &StreamEvent| {
        let shown = match event {
            _ if arguments.json => json!(event).to_string() + "\n",
            StreamEvent::Ledger { stage, message, payload, created_at, .. } => {
                line(created_at.as_deref(), stage, message.as_deref(), payload, style)
            }
            StreamEvent::Progress(_) => return,
        };
        if written.is_ok() {
            written = render::put(&shown);
        }
    };
    follow(session, JobId(arguments.job), &mut on).await?;
    written?;
    let job: Job = one(session, arguments).await?;
    if job.status == JobState::Succeeded { Ok(()) } else { Err(CliError::Failed(what(&job))) }
}

async fn cancel(session: &Session, arguments: &OneJob) -> Result<(), CliError> {
    let path = format!("/ingest-jobs/{}:cancel", arguments.job);
    let answer: Value = session.ask(async |server| server.post(&path, &json!({})).await).await?;
    if arguments.json {
        return render::put_json(&answer);
    }
    let word = |key: &str| answer.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    render::put(&format!("{}: {}\n", word("status"), word("message")))
}

fn read(document: &Value) -> Result<Job, CliError> {
    serde_json::from_value(document.clone())
        .map_err(|e| CliError::Strange(format!("the server speaks of a job in words of another version: {e}")))
}

/// One event on one line.
fn line(at: Option<&str>, stage: &str, message: Option<&str>, payload: &Value, style: Style) -> String {
    let facts: Vec<String> = payload
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, value)| !is_empty(value) && !is_for_programs(key, value))
        .map(|(key, value)| format!("{key}={}", text::cell(value)))
        .collect();
    let stage = format!("{stage:<18}");
    let stage = if stage.trim_end() == "error" { style.red(&stage) } else { style.bold(&stage) };
    let message = message.map(text::visible).unwrap_or_default();
    let parts = [style.dim(&at.map(clock).unwrap_or_default()), stage, message, style.dim(&facts.join(" "))];
    let shown: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}\n", shown.join("  ").trim_end())
}

/// Facts that a person does not miss: ids, fencing tokens, and that an attempt is the first one.
fn is_for_programs(key: &str, value: &Value) -> bool {
    key.ends_with("_id") || key == "claim_token" || (key == "attempt" && value.as_u64().is_some_and(|n| n <= 1))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn tone(state: JobState) -> Tone {
    match state {
        JobState::Succeeded => Tone::Green,
        JobState::Failed => Tone::Red,
        JobState::Cancelled => Tone::Yellow,
        JobState::Running => Tone::Bold,
        JobState::Pending => Tone::Dim,
    }
}

fn took(job: &Job) -> String {
    job.elapsed_ms.map(|ms| number::span(Duration::from_millis(ms))).unwrap_or_default()
}

/// What came of a job: its tables, or why there are none.
pub fn what(job: &Job) -> String {
    let result = &job.result_json;
    if let Some(message) = result.get("message").and_then(Value::as_str) {
        let code = result.get("error_code").and_then(Value::as_str).unwrap_or("error");
        return format!("{code}: {}", text::visible(message));
    }
    let tables = result.get("tables").and_then(Value::as_array);
    let names: Vec<String> = tables
        .into_iter()
        .flatten()
        .filter_map(|table| {
            let name = table.get("qualified_name")?.as_str()?;
            let rows = table.get("n_rows_actual").and_then(Value::as_u64)?;
            Some(format!("{} ({})", text::visible(name), number::count(rows, "row")))
        })
        .collect();
    names.join(", ")
}

/// A time without its fraction of a second.
fn seconds(at: &str) -> String {
    at.get(..19).map_or_else(|| at.to_owned(), |whole| format!("{}Z", whole.replace('T', " ")))
}

/// The time of day of an instant.
fn clock(at: &str) -> String {
    at.get(11..).unwrap_or(at).trim_end_matches('Z').chars().take("10:20:30.123".len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_with_its_facts() {
        let payload = json!({"n_tables": 2, "note": "", "list": [], "table_id": "x", "attempt": 1});
        let shown = line(Some("2024-05-01T10:20:30.123456Z"), "parsed", None, &payload, Style::default());
        assert_eq!(shown, "10:20:30.123  parsed              n_tables=2\n");
    }

    #[test]
    fn a_time_is_shown_to_the_second() {
        assert_eq!(seconds("2024-05-01T10:20:30.123456Z"), "2024-05-01 10:20:30Z");
    }
}
