//! A table as the summary needs it: its columns in the file's order with what is known of each, and its first rows.

use domain::TableReport;
use serde_json::{Value, json};

use crate::client::{Rows, SchemaObject, Server, SqlColumn};
use crate::error::CliError;

/// Rows shown of a table.
pub const FIRST_ROWS: usize = 5;
/// Instead of personal data.
const HIDDEN: &str = "•••";

/// A table.
pub struct TableView {
    /// Its report.
    pub report: TableReport,
    /// What it holds, in a sentence.
    pub description: Option<String>,
    /// Its columns.
    pub columns: Vec<ColumnView>,
    /// Its first rows, personal data hidden.
    pub first_rows: Vec<Vec<Value>>,
}

/// A column.
pub struct ColumnView {
    /// Its name.
    pub name: String,
    /// Its SQL type.
    pub data_type: String,
    /// What it means.
    pub semantic_type: Option<String>,
    /// Personal data in it.
    pub pii: Option<String>,
    /// What it holds, in a sentence.
    pub description: Option<String>,
    /// Counts and bounds.
    pub profile: Value,
    /// Sample values.
    pub samples: Value,
}

impl ColumnView {
    /// Share of rows without a value, when profiled.
    pub fn null_fraction(&self) -> Option<f64> {
        self.profile.get("null_fraction").and_then(Value::as_f64)
    }

    /// Distinct values, when profiled.
    pub fn distinct(&self) -> Option<u64> {
        self.profile.get("distinct_estimate").and_then(Value::as_u64)
    }

    /// Smallest and largest value, when profiled and not hidden.
    pub fn bounds(&self) -> Option<(&str, &str)> {
        let bound = |key: &str| self.profile.get(key).and_then(Value::as_str);
        Some((bound("min")?, bound("max")?))
    }

    /// Sample values.
    pub fn samples(&self) -> Vec<&str> {
        self.samples.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

impl TableView {
    /// The table for programs.
    pub fn document(&self) -> Value {
        let columns: Value = self
            .columns
            .iter()
            .map(|column| {
                json!({
                    "name": column.name,
                    "data_type": column.data_type,
                    "semantic_type": column.semantic_type,
                    "pii_tag": column.pii,
                    "description": column.description,
                    "profile": column.profile,
                    "samples": column.samples,
                })
            })
            .collect();
        json!({
            "table_id": self.report.table_id,
            "name": self.report.name,
            "qualified_name": self.report.qualified_name,
            "description": self.description,
            "n_rows": self.report.n_rows_actual,
            "columns": columns,
            "first_rows": self.first_rows,
        })
    }
}

/// Asks the server for everything about the version of a table that the job made, current or not.
pub async fn table(server: &Server, report: &TableReport) -> Result<TableView, CliError> {
    let id = report.table_id;
    let version = ("snapshot_id", report.snapshot_id.to_string());
    let objects: Value = server.get(&format!("/tables/{id}/objects"), std::slice::from_ref(&version)).await?;
    let objects: Vec<SchemaObject> = objects
        .get("items")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|object| serde_json::from_value(object.clone()).ok())
        .collect();
    let rows: Rows = server.get(&format!("/tables/{id}/rows"), &[version, ("limit", FIRST_ROWS.to_string())]).await?;
    Ok(assemble(report, &objects, rows))
}

fn assemble(report: &TableReport, objects: &[SchemaObject], rows: Rows) -> TableView {
    let description = objects.iter().find(|object| object.kind == "TABLE").and_then(|table| table.description.clone());
    let columns: Vec<ColumnView> = rows
        .columns
        .iter()
        .map(|column| {
            let qualified = format!("{}.{}", report.qualified_name, column.name);
            let known = objects.iter().find(|object| object.kind == "COLUMN" && object.qualified_name == qualified);
            view(column, known)
        })
        .collect();
    let mut first_rows = rows.rows;
    for row in &mut first_rows {
        for (value, column) in row.iter_mut().zip(&columns) {
            if column.pii.is_some() && !value.is_null() {
                *value = HIDDEN.into();
            }
        }
    }
    TableView { report: report.clone(), description, columns, first_rows }
}

fn view(column: &SqlColumn, known: Option<&SchemaObject>) -> ColumnView {
    let word = |text: Option<&str>, nothing: &str| text.filter(|text| *text != nothing).map(str::to_owned);
    ColumnView {
        name: column.name.clone(),
        data_type: known.and_then(|k| k.data_type.clone()).unwrap_or_else(|| column.data_type.clone()),
        semantic_type: word(
            known.and_then(|k| k.governance_json.get("semantic_type")).and_then(Value::as_str),
            "unknown",
        ),
        pii: word(known.and_then(|k| k.pii_tag.as_deref()), "NONE"),
        description: known.and_then(|k| k.description.clone()),
        profile: known.map_or(Value::Null, |k| k.profile.clone()),
        samples: known.map_or(Value::Null, |k| k.samples.clone()),
    }
}

#[cfg(test)]
pub mod tests {
    //! Views for tests of what is made of them.

    use super::*;

    fn object(kind: &str, name: &str, rest: &Value) -> SchemaObject {
        let mut object =
            json!({"kind": kind, "qualified_name": name, "data_type": null, "description": null, "pii_tag": null});
        for (key, value) in rest.as_object().into_iter().flatten() {
            object[key] = value.clone();
        }
        serde_json::from_value(object).expect("a schema object")
    }

    /// A table of people with a column of each sort.
    pub fn people() -> TableView {
        let id = uuid::Uuid::nil();
        let report = TableReport {
            table_id: id.into(),
            name: "people".into(),
            qualified_name: "default.people".into(),
            snapshot_id: id.into(),
            sheet_or_json_path: None,
            n_columns: 3,
            n_rows_estimate: 1_200,
            n_rows_actual: 1_200,
            parquet_byte_size: 38_200,
        };
        let profile =
            json!({"n_rows": 1200, "null_fraction": 0.0, "distinct_estimate": 1200, "min": "1", "max": "1200"});
        let email = json!({"pii_tag": "EMAIL", "governance_json": {"semantic_type": "email"}, "data_type": "VARCHAR",
                           "profile": {"n_rows": 1200, "null_fraction": 0.25, "distinct_estimate": 900}});
        let note = json!({"data_type": "VARCHAR", "samples": ["red", "green"], "governance_json": {"semantic_type": "unknown"}});
        let objects = vec![
            object("TABLE", "default.people", &json!({"description": "People."})),
            object("COLUMN", "default.people.email", &email),
            object("COLUMN", "default.people.id", &json!({"data_type": "BIGINT", "profile": profile})),
            object("COLUMN", "default.people.note", &note),
        ];
        let column = |name: &str, data_type: &str| SqlColumn { name: name.into(), data_type: data_type.into() };
        let columns = vec![column("id", "BIGINT"), column("email", "VARCHAR"), column("note", "VARCHAR")];
        let rows =
            vec![vec![json!(1), json!("a@example.com"), json!("red")], vec![json!(2), Value::Null, json!("green")]];
        assemble(&report, &objects, Rows { columns, rows })
    }

    #[test]
    fn columns_stand_in_the_files_order_and_personal_data_is_hidden() {
        let table = people();
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["id", "email", "note"]);
        assert_eq!(table.first_rows[0], [json!(1), json!(HIDDEN), json!("red")]);
        assert_eq!(table.first_rows[1], [json!(2), Value::Null, json!("green")]);
        assert_eq!(table.columns[2].semantic_type, None);
    }
}
