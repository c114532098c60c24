//! DESCRIBE, SHOW TABLES and SHOW COLUMNS: answered from the tables handed over, with the type names of the wire.

use datafusion::sql::sqlparser::ast::ObjectName;
use domain::ports::sql::{SqlError, SqlRows};
use domain::schema::{Column, SqlType};
use domain::table::PublishedTable;

use crate::execute::capped;
use crate::names::Fold;
use crate::problem;

fn column(name: &str, sql_type: SqlType) -> Column {
    Column { name: name.to_owned(), sql_type, nullable: false }
}

/// Every table with its size.
pub(crate) fn tables(tables: &[PublishedTable], cap: usize) -> SqlRows {
    let columns = vec![
        column("table_name", SqlType::Varchar),
        column("columns", SqlType::BigInt),
        column("rows", SqlType::BigInt),
    ];
    let rows = tables
        .iter()
        .map(|table| vec![table.name.clone().into(), table.schema.columns.len().into(), table.n_rows.into()])
        .collect();
    capped(columns, rows, cap)
}

/// The columns of one table.
pub(crate) fn columns(
    tables: &[PublishedTable],
    dataset: Option<&str>,
    name: &ObjectName,
    fold: &Fold,
    cap: usize,
) -> Result<SqlRows, SqlError> {
    let table = find(tables, dataset, &parts(name), fold)?;
    Ok(shape(&table.schema.columns, cap))
}

/// A list of columns as rows.
pub(crate) fn shape(shown: &[Column], cap: usize) -> SqlRows {
    let columns = vec![
        column("column_name", SqlType::Varchar),
        column("data_type", SqlType::Varchar),
        column("nullable", SqlType::Boolean),
    ];
    let rows = shown
        .iter()
        .map(|column| vec![column.name.clone().into(), column.sql_type.to_string().into(), column.nullable.into()])
        .collect();
    capped(columns, rows, cap)
}

/// The parts of a name between its dots.
pub(crate) fn parts(name: &ObjectName) -> Vec<String> {
    name.0.iter().filter_map(|part| part.as_ident()).map(|ident| ident.value.clone()).collect()
}

/// The table of a folded name of one part, or of two when the first is the dataset's.
pub(crate) fn find<'a>(
    tables: &'a [PublishedTable],
    dataset: Option<&str>,
    parts: &[String],
    fold: &Fold,
) -> Result<&'a PublishedTable, SqlError> {
    let name = match parts {
        [name] => name,
        [qualifier, name] if dataset.is_some_and(|dataset| fold.word(dataset) == *qualifier) => name,
        _ => {
            let known = dataset.map_or_else(String::new, |dataset| format!(" other than \"{dataset}\""));
            let qualifier = parts[..parts.len().saturating_sub(1)].join(".");
            return Err(SqlError::Wrong(format!("there is no dataset \"{qualifier}\" here{known}")));
        }
    };
    let names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
    let found = tables.iter().find(|table| fold.word(&table.name) == *name);
    found.ok_or_else(|| problem::unknown_table(name, &names))
}
