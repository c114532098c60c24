//! The summary of an ingested file: what a person wants to know about it before the first query.

use std::fmt::Write as _;
use std::time::Duration;

use domain::{StageReport, Warning};

use super::view::{ColumnView, TableView};
use super::{Ingested, Outcome};
use crate::cli::Ingest;
use crate::client::SqlColumn;
use crate::commands::sql;
use crate::error::CliError;
use crate::render::grid::{Cell, Grid, Tone};
use crate::render::style::Style;
use crate::render::{number, text};

/// Columns of a table that are listed.
const COLUMNS: usize = 60;
/// Columns of the first rows that are shown.
const ROW_COLUMNS: usize = 12;
/// Characters of a value in the first rows and among the samples.
const VALUE: usize = 32;
/// Samples of a column that are shown, and the columns of the terminal they may take.
const SAMPLES: usize = 3;
const SAMPLES_WIDTH: usize = 40;
/// Warnings that are listed.
const WARNINGS: usize = 20;

/// One file.
pub fn file(outcome: &Outcome, style: Style) -> String {
    let name = text::visible(&outcome.file.display().to_string());
    let size = number::bytes(outcome.size);
    match &outcome.result {
        Ok(ingested) => succeeded(&name, &size, outcome, ingested, style),
        Err(error) => failed(&name, &size, error, style),
    }
}

fn succeeded(name: &str, size: &str, outcome: &Outcome, ingested: &Ingested, style: Style) -> String {
    let took = number::span(outcome.elapsed);
    let mut shown = format!("{} {}  {}\n", style.green("✓"), style.bold(name), style.dim(&format!("{size}, {took}")));
    for view in &ingested.tables {
        shown.push('\n');
        shown.push_str(&table(view, style));
    }
    shown.push_str(&warnings(&ingested.report.warnings, style));
    let _ = writeln!(shown, "\n  {}\n", style.dim(&stages(&ingested.report.stages)));
    shown
}

fn failed(name: &str, size: &str, error: &CliError, style: Style) -> String {
    let mut shown = format!("{} {}  {}\n", style.red("✗"), style.bold(name), style.dim(size));
    for line in error.to_string().lines() {
        let _ = writeln!(shown, "  {line}");
    }
    shown.push('\n');
    shown
}

fn table(view: &TableView, style: Style) -> String {
    let report = &view.report;
    let facts = format!(
        "{}, {}, {} of Parquet",
        number::count(report.n_rows_actual, "row"),
        number::count(report.n_columns, "column"),
        number::bytes(report.parquet_byte_size)
    );
    let mut shown = format!("  {}  {facts}\n", style.bold(&text::visible(&report.qualified_name)));
    for line in [&report.sheet_or_json_path, &view.description].into_iter().flatten() {
        let _ = writeln!(shown, "  {}", style.dim(&text::visible(line)));
    }
    shown.push('\n');
    shown.push_str(&columns(&view.columns, style));
    if view.columns.len() > COLUMNS {
        let more = number::count((view.columns.len() - COLUMNS) as u64, "more column");
        let _ = writeln!(shown, "    {}", style.dim(&format!("… {more}")));
    }
    if !view.first_rows.is_empty() {
        shown.push('\n');
        shown.push_str(&first_rows(view, style));
    }
    shown
}

fn columns(columns: &[ColumnView], style: Style) -> String {
    let heads = ["column", "type", "missing", "distinct", "meaning", "PII", "values"];
    let mut grid = Grid::new(&heads.map(|name| (name.to_owned(), matches!(name, "missing" | "distinct"))));
    for column in columns.iter().take(COLUMNS) {
        grid.row(vec![
            Cell::new(text::visible(&column.name)),
            Cell::new(text::visible(&column.data_type)).tone(Tone::Dim),
            Cell::new(column.null_fraction().map(number::share).unwrap_or_default()),
            Cell::new(column.distinct().map(number::thousands).unwrap_or_default()),
            Cell::new(column.semantic_type.clone().unwrap_or_default()),
            Cell::new(column.pii.clone().unwrap_or_default()).tone(Tone::Yellow),
            Cell::new(values(column)).tone(Tone::Dim),
        ]);
    }
    grid.render(style, "    ")
}

/// What the values of a column look like: their range where they have an order, else some of them.
fn values(column: &ColumnView) -> String {
    if column.pii.is_some() {
        return "hidden".to_owned();
    }
    let ordered = !matches!(column.data_type.as_str(), "VARCHAR" | "JSON" | "BOOLEAN" | "BLOB");
    match column.bounds() {
        Some((min, max)) if ordered && min == max => short(min),
        Some((min, max)) if ordered => format!("{} … {}", short(min), short(max)),
        Some(_) | None => samples(column),
    }
}

/// The first samples, as many as stand side by side.
fn samples(column: &ColumnView) -> String {
    let mut shown = String::new();
    for sample in column.samples().into_iter().take(SAMPLES).map(short) {
        if !shown.is_empty() {
            if text::width(&shown) + text::width(&sample) + 2 > SAMPLES_WIDTH {
                break;
            }
            shown.push_str(", ");
        }
        shown.push_str(&sample);
    }
    shown
}

fn short(value: &str) -> String {
    text::cut(&text::visible(value), VALUE)
}

fn first_rows(view: &TableView, style: Style) -> String {
    let columns: Vec<SqlColumn> = view
        .columns
        .iter()
        .take(ROW_COLUMNS)
        .map(|column| SqlColumn { name: column.name.clone(), data_type: column.data_type.clone() })
        .collect();
    let rows: Vec<Vec<serde_json::Value>> =
        view.first_rows.iter().map(|row| row.iter().take(columns.len()).map(shorten).collect()).collect();
    let mut shown = sql::grid(&columns, &rows).render(style, "    ");
    if view.columns.len() > ROW_COLUMNS {
        let more = number::count((view.columns.len() - ROW_COLUMNS) as u64, "more column");
        let _ = writeln!(shown, "    {}", style.dim(&format!("… {more}")));
    }
    shown
}

/// A long text cut short; everything else as it is.
fn shorten(value: &serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::String(long) if text::width(long) > VALUE => short(long).into(),
        serde_json::Value::Array(_) | serde_json::Value::Object(_) => short(&value.to_string()).into(),
        other @ (serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_)) => other.clone(),
    }
}

fn warnings(warnings: &[Warning], style: Style) -> String {
    let mut shown = String::new();
    for (index, warning) in warnings.iter().enumerate() {
        if index == 0 {
            shown.push('\n');
        }
        if index == WARNINGS {
            let more = number::count((warnings.len() - WARNINGS) as u64, "more warning");
            let _ = writeln!(shown, "  {}", style.dim(&format!("… {more}; --json lists them all")));
            break;
        }
        let place: Vec<&str> = [&warning.table, &warning.column].into_iter().flatten().map(String::as_str).collect();
        let place = if place.is_empty() { String::new() } else { format!("{}: ", text::visible(&place.join("."))) };
        let message = text::visible(&warning.message);
        let _ =
            writeln!(shown, "  {} {place}{message} {}", style.yellow("!"), style.dim(&format!("({})", warning.code)));
    }
    shown
}

/// Where the time went: stages that took long enough to be told, the longest first.
fn stages(stages: &[StageReport]) -> String {
    let total: u64 = stages.iter().map(|stage| stage.elapsed_ms).sum();
    let mut slow: Vec<&StageReport> = stages.iter().filter(|stage| stage.elapsed_ms > 0).collect();
    slow.sort_by_key(|stage| std::cmp::Reverse(stage.elapsed_ms));
    let told: Vec<String> = slow
        .iter()
        .take(4)
        .map(|stage| format!("{} {}", stage.stage, number::span(Duration::from_millis(stage.elapsed_ms))))
        .collect();
    let all =
        format!("{} in {}", number::count(stages.len() as u64, "stage"), number::span(Duration::from_millis(total)));
    if told.is_empty() { all } else { format!("{all}: {}", told.join(", ")) }
}

/// The next thing to type.
pub fn hint(arguments: &Ingest, tables: &[String], elapsed: Duration, style: Style) -> String {
    let mut command = String::from("flyquery sql");
    if arguments.dataset != "default" {
        let _ = write!(command, " --dataset {}", shell(&arguments.dataset));
    }
    if let Some(server) = &arguments.target.server {
        let _ = write!(command, " --server {}", shell(server));
    }
    if let Some(folder) = &arguments.target.data_dir {
        let _ = write!(command, " --data-dir {}", shell(&folder.display().to_string()));
    }
    let table = tables.first().map(|name| identifier(name)).unwrap_or_default();
    let _ = write!(command, " {}", shell(&format!("select * from {table} limit 10")));
    let mut unique: Vec<&String> = tables.iter().collect();
    unique.sort();
    unique.dedup();
    let done = format!("{} in {}.", number::count(unique.len() as u64, "table"), number::span(elapsed));
    format!("{done} Next:\n\n  {}\n", style.cyan(&command))
}

/// Words that SQL does not take for the name of a table unless they are quoted.
const RESERVED: &[&str] = &[
    "all",
    "analyze",
    "and",
    "anti",
    "any",
    "array",
    "as",
    "asc",
    "between",
    "by",
    "case",
    "cast",
    "cluster",
    "connect",
    "create",
    "cross",
    "current",
    "desc",
    "distinct",
    "distribute",
    "else",
    "end",
    "except",
    "exists",
    "explain",
    "false",
    "fetch",
    "final",
    "for",
    "format",
    "from",
    "full",
    "global",
    "group",
    "having",
    "in",
    "inner",
    "intersect",
    "into",
    "is",
    "join",
    "lateral",
    "left",
    "like",
    "limit",
    "match_recognize",
    "minus",
    "natural",
    "not",
    "null",
    "offset",
    "on",
    "open",
    "or",
    "order",
    "outer",
    "partition",
    "pivot",
    "prewhere",
    "qualify",
    "right",
    "sample",
    "select",
    "semi",
    "set",
    "settings",
    "sort",
    "start",
    "table",
    "tablesample",
    "then",
    "top",
    "true",
    "union",
    "unnest",
    "unpivot",
    "using",
    "values",
    "view",
    "when",
    "where",
    "window",
    "with",
];

/// A table's name as SQL takes it.
fn identifier(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && !RESERVED.contains(&name.to_ascii_lowercase().as_str());
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// A word as a shell takes it.
fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '=' | '~');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if word.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", word.replace('\'', "'\\''"))
    } else {
        format!("\"{word}\"")
    }
}

#[cfg(test)]
mod tests {
    use domain::report::StageOutcome;
    use domain::{Stage, WarningCode};

    use super::super::view::tests::people;
    use super::*;

    #[test]
    fn a_table_is_shown_with_its_columns_and_first_rows() {
        let shown = table(&people(), Style::default());
        let expected = "  default.people  1,200 rows, 3 columns, 38 KB of Parquet
  People.

    column  type     missing  distinct  meaning  PII    values
    id      BIGINT         -     1,200                  1 … 1200
    email   VARCHAR     25 %       900  email    EMAIL  hidden
    note    VARCHAR                                     red, green

    id  email  note
     1  •••    red
     2  NULL   green
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_warning_names_its_place_and_its_code() {
        let list = [Warning::new(WarningCode::KeptAsText, "3 values are no dates").table("people").column("born")];
        let shown = warnings(&list, Style::default());
        assert_eq!(shown, "\n  ! people.born: 3 values are no dates (KEPT_AS_TEXT)\n");
    }

    #[test]
    fn the_slowest_stages_are_told_first() {
        let stage = |stage, elapsed_ms| StageReport { stage, status: StageOutcome::Done, elapsed_ms };
        let list = [stage(Stage::Receive, 0), stage(Stage::Parse, 40), stage(Stage::Profile, 1_500)];
        assert_eq!(stages(&list), "3 stages in 1.5 s: profile 1.5 s, parse 40 ms");
    }

    #[test]
    fn words_are_quoted_as_a_shell_needs_it() {
        assert_eq!(shell("select * from a limit 10"), "\"select * from a limit 10\"");
        assert_eq!(shell("select * from \"2024\""), "'select * from \"2024\"'");
        assert_eq!(shell("it's $x"), "'it'\\''s $x'");
        let as_sql = ["orders", "2024", "Table"].map(identifier);
        assert_eq!(as_sql, ["orders", "\"2024\"", "\"Table\""]);
    }
}
