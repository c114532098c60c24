//! `flyquery sql`: one statement, its rows as a table, JSON or CSV.

use std::io::{self, Write as _};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::cli::{RowFormat, Sql};
use crate::client::{Server, Session, SqlAnswer, SqlColumn};
use crate::error::CliError;
use crate::render::grid::{Cell, Grid, Tone};
use crate::render::style::Style;
use crate::render::{self, number, text};

/// Runs the statement and prints its rows.
pub async fn run(session: &Session, arguments: &Sql, style: Style) -> Result<(), CliError> {
    let answer = session.ask(async |server| execute(server, arguments).await).await?;
    if answer.execution_status != "OK" {
        let why =
            answer.error.map_or_else(|| answer.execution_status.clone(), |e| format!("{} ({})", e.message, e.code));
        return Err(CliError::Failed(why));
    }
    let columns = answer.columns.unwrap_or_default();
    let rows = answer.rows.unwrap_or_default();
    match arguments.format {
        RowFormat::Table => render::put(&table(&columns, &rows, style))?,
        RowFormat::Json => render::put(&objects(&columns, &rows)?)?,
        RowFormat::Csv => csv(&columns, &rows).map_err(CliError::Output)?,
    }
    if arguments.format == RowFormat::Table && style.width.is_some() {
        let took = answer.elapsed_ms.map(|ms| format!(" in {}", number::span(Duration::from_millis(ms))));
        let footer = format!("{}{}", number::count(rows.len() as u64, "row"), took.unwrap_or_default());
        render::put(&format!("{}\n", style.dim(&footer)))?;
    }
    if answer.truncated {
        let shown = number::count(rows.len() as u64, "row");
        // fewer than were asked for: the server's own bound was met
        let asked = arguments.max_rows.is_some_and(|cap| cap <= rows.len() as u64);
        let more = if asked { "a larger --max-rows" } else { "a server with a larger FLYQUERY_DEFAULT_ROW_CAP" };
        drop(writeln!(io::stderr(), "warning: cut off after {shown}; {more} shows more"));
    }
    Ok(())
}

async fn execute(server: &Server, arguments: &Sql) -> Result<SqlAnswer, CliError> {
    let dataset = server.dataset(&arguments.dataset).await?;
    let mut body = json!({"dataset_id": dataset.id, "sql": arguments.statement, "include_rows": true});
    if let Some(cap) = arguments.max_rows {
        body["row_cap"] = cap.into();
    }
    server.post("/sql:execute", &body).await
}

/// Rows as columns of text.
pub fn table(columns: &[SqlColumn], rows: &[Vec<Value>], style: Style) -> String {
    grid(columns, rows).render(style, "")
}

/// Rows as a grid: numbers to the right, missing values told apart from empty text.
pub fn grid(columns: &[SqlColumn], rows: &[Vec<Value>]) -> Grid {
    let heads: Vec<(String, bool)> =
        columns.iter().map(|column| (text::visible(&column.name), is_numeric(&column.data_type))).collect();
    let mut grid = Grid::new(&heads);
    for row in rows {
        grid.row(
            row.iter()
                .map(|value| match value {
                    Value::Null => Cell::new("NULL").tone(Tone::Dim),
                    other => Cell::new(text::cell(other)),
                })
                .collect(),
        );
    }
    grid
}

fn is_numeric(data_type: &str) -> bool {
    matches!(data_type, "BIGINT" | "UBIGINT" | "DOUBLE") || data_type.starts_with("DECIMAL(")
}

/// One object a row, one row a line.
fn objects(columns: &[SqlColumn], rows: &[Vec<Value>]) -> Result<String, CliError> {
    let mut lines = Vec::with_capacity(rows.len());
    for row in rows {
        let object: Map<String, Value> =
            columns.iter().zip(row).map(|(column, value)| (column.name.clone(), value.clone())).collect();
        lines.push(serde_json::to_string(&object).map_err(|e| CliError::Output(e.into()))?);
    }
    Ok(if lines.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", lines.join(",\n")) })
}

/// RFC 4180 with a header; a missing value is an empty field, an empty text a quoted one.
fn csv(columns: &[SqlColumn], rows: &[Vec<Value>]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    write_csv(&mut out, columns, rows)?;
    out.flush()
}

fn write_csv(out: &mut impl io::Write, columns: &[SqlColumn], rows: &[Vec<Value>]) -> io::Result<()> {
    let header: Vec<String> = columns.iter().map(|column| field(&column.name)).collect();
    write!(out, "{}\r\n", header.join(","))?;
    for row in rows {
        let fields: Vec<String> = row
            .iter()
            .map(|value| match value {
                Value::Null => String::new(),
                Value::String(text) => field(text),
                other => field(&other.to_string()),
            })
            .collect();
        write!(out, "{}\r\n", fields.join(","))?;
    }
    Ok(())
}

fn field(text: &str) -> String {
    let plain = !text.is_empty()
        && !text.contains([',', '"', '\n', '\r'])
        && !text.starts_with([' ', '\t'])
        && !text.ends_with([' ', '\t']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<SqlColumn> {
        let column = |name: &str, data_type: &str| SqlColumn { name: name.into(), data_type: data_type.into() };
        vec![column("n", "BIGINT"), column("a, b", "VARCHAR")]
    }

    fn rows() -> Vec<Vec<Value>> {
        vec![vec![json!(1), json!("x \"y\"")], vec![Value::Null, json!("")], vec![json!(10), Value::Null]]
    }

    #[test]
    fn csv_tells_missing_from_empty_and_quotes_what_needs_it() {
        let mut out = Vec::new();
        write_csv(&mut out, &columns(), &rows()).expect("in memory");
        assert_eq!(String::from_utf8_lossy(&out), "n,\"a, b\"\r\n1,\"x \"\"y\"\"\"\r\n,\"\"\r\n10,\r\n");
    }

    #[test]
    fn json_is_an_array_with_one_object_a_line() {
        let text = objects(&columns(), &rows()).expect("in memory");
        assert_eq!(text.lines().nth(1), Some(r#"{"n":1,"a, b":"x \"y\""},"#));
        let parsed: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        assert_eq!(parsed.len(), 3);
        assert_eq!(objects(&columns(), &[]).expect("in memory"), "[]\n");
    }

    #[test]
    fn a_table_shows_missing_values_as_such() {
        let shown = table(&columns(), &rows(), Style::default());
        assert_eq!(shown, "   n  a, b\n   1  x \"y\"\nNULL\n  10  NULL\n");
    }
}
