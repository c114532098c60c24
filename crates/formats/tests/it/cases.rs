//! Every handed case of `fixtures/csv` and `fixtures/json`: names, types, row counts and cells as its `expected.json` says.

use std::path::{Path, PathBuf};

use flyquery_formats::ReadOptions;
use serde_json::Value;

use crate::desk::{Bytes, Table, read_source};

fn folder(format: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(format)
}

#[test]
fn every_json_case_reads_as_expected() {
    assert!(judge_all("json") >= 6);
}

#[test]
fn every_case_reads_as_expected() {
    assert!(judge_all("csv") >= 27);
}

fn judge_all(format: &str) -> usize {
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut cases: Vec<_> =
        std::fs::read_dir(folder(format)).expect("the fixtures").map(|e| e.expect("an entry").path()).collect();
    cases.sort();
    for case in cases {
        count += 1;
        if let Err(why) = judge(&case) {
            wrong.push(format!("{}: {why}", case.file_name().expect("a name").to_string_lossy()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    count
}

fn judge(case: &Path) -> Result<(), String> {
    let expected: Value =
        serde_json::from_slice(&std::fs::read(case.join("expected.json")).expect("expected.json")).expect("JSON");
    let inputs = ["input.csv", "input.tsv", "input.json", "input.jsonl"];
    let input = inputs.into_iter().find(|n| case.join(n).exists()).ok_or("no input")?;
    let bytes = std::fs::read(case.join(input)).expect("readable");
    let options = ReadOptions { table_name: "input".to_owned(), ..ReadOptions::default() };
    let table = read_source(&Bytes(bytes), input, &options).map_err(|failure| failure.to_string())?;
    let wanted = &expected["tables"][0];
    if wanted["name"].as_str() != Some(table.section.name.as_str()) {
        return Err(format!("the table is '{}', not {}", table.section.name, wanted["name"]));
    }
    let rows = wanted["rows"].to_string();
    if !rows.trim_matches('"').split('|').any(|n| n == table.section.rows.to_string()) {
        return Err(format!("{} rows, not {rows}", table.section.rows));
    }
    let names = table.names();
    for (index, column) in wanted["columns"].as_array().ok_or("no columns")?.iter().enumerate() {
        let name = column["name"].as_str().ok_or("no name")?;
        if names.get(index) != Some(&name) {
            return Err(format!("column {index} is {:?}, not {name}", names.get(index)));
        }
        let sql = table.types()[index].clone();
        let got = class(&sql);
        let types = column["type"].as_str().ok_or("no type")?;
        let fits = |t: &str| {
            let t = t.split(['(', '<']).next().unwrap_or(t);
            t == got || (t == "decimal" && matches!(got, "uint64" | "decimal"))
        };
        if table.section.rows > 0 && !types.split('|').any(fits) {
            return Err(format!("{name} is {}, not {types}", table.types()[index]));
        }
    }
    for (place, value) in wanted["cells"].as_object().ok_or("no cells")? {
        let (row, column) = place.split_once(':').ok_or("a bad place")?;
        check(&table, row.parse().map_err(|_| "a bad row")?, column, value)?;
    }
    if case.ends_with("14-dates-all-ambiguous") && table.types()[1] == "DATE" {
        table.warning(domain::WarningCode::AmbiguousDates).ok_or("an ambiguous date without a warning")?;
    }
    Ok(())
}

fn check(table: &Table, row: usize, column: &str, value: &Value) -> Result<(), String> {
    let mut got = table.cell(row, column);
    let is_json = table.section.schema.column(column).is_some_and(|c| c.sql_type == domain::SqlType::Json);
    if is_json && let Some(Value::String(text)) = got.as_deref().and_then(|got| serde_json::from_str(got).ok()) {
        got = Some(text);
    }
    let same = match (value, &got) {
        (Value::Null, got) => got.is_none(),
        (Value::Number(n), Some(got)) => {
            got == &n.to_string() || (!n.is_i64() && got.parse::<f64>().ok() == n.as_f64())
        }
        (Value::String(text), Some(got)) => {
            got.trim_end() == text || got.trim_end_matches('0') == text.trim_end_matches('0')
        }
        (Value::Bool(b), Some(got)) => got == &b.to_string(),
        _ => false,
    };
    if same { Ok(()) } else { Err(format!("{row}:{column} is {got:?}, not {value}")) }
}

fn class(sql: &str) -> &str {
    match sql {
        "VARCHAR" => "string",
        "BIGINT" => "int64",
        "UBIGINT" => "uint64",
        "DOUBLE" => "float64",
        "BOOLEAN" => "bool",
        "DATE" => "date",
        "TIME" => "time",
        "TIMESTAMP" => "timestamp",
        "TIMESTAMP WITH TIME ZONE" => "timestamp_tz",
        "JSON" => "json",
        _ if sql.ends_with("[]") => "list",
        _ if sql.starts_with("DECIMAL") => "decimal",
        _ if sql.starts_with("STRUCT") => "struct",
        other => other,
    }
}
