//! Every handed case of `fixtures/csv`: names, types, row counts and cells as its `expected.json` says.

use std::path::{Path, PathBuf};

use flyquery_formats::ReadOptions;
use serde_json::Value;

use crate::desk::{Bytes, Table, read_source};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/csv")
}

#[test]
fn every_case_reads_as_expected() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut cases: Vec<_> =
        std::fs::read_dir(folder()).expect("the fixtures").map(|e| e.expect("an entry").path()).collect();
    cases.sort();
    for case in cases {
        count += 1;
        if let Err(why) = judge(&case) {
            wrong.push(format!("{}: {why}", case.file_name().expect("a name").to_string_lossy()));
        }
    }
    assert!(count >= 27, "only {count} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn judge(case: &Path) -> Result<(), String> {
    let expected: Value =
        serde_json::from_slice(&std::fs::read(case.join("expected.json")).expect("expected.json")).expect("JSON");
    let input = ["input.csv", "input.tsv"].into_iter().find(|n| case.join(n).exists()).ok_or("no input")?;
    let bytes = std::fs::read(case.join(input)).expect("readable");
    let options = ReadOptions { table_name: "input".to_owned(), ..ReadOptions::default() };
    let table = read_source(&Bytes(bytes), input, &options).map_err(|failure| failure.to_string())?;
    let wanted = &expected["tables"][0];
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
            let t = t.split('(').next().unwrap_or(t);
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
    let got = table.cell(row, column);
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
        _ if sql.starts_with("DECIMAL") => "decimal",
        other => other,
    }
}
