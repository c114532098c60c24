//! What went wrong, in words that help: DataFusion's errors as `SqlError`, with the nearest name for a wrong one.

use datafusion::arrow::error::ArrowError;
use datafusion::common::{Column, SchemaError};
use datafusion::error::DataFusionError;
use datafusion::sql::sqlparser::parser::ParserError;
use domain::ports::sql::SqlError;

/// Names listed when none is near.
const LISTED: usize = 12;

/// A statement that cannot be parsed.
pub(crate) fn syntax(error: &ParserError) -> SqlError {
    match error {
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => {
            SqlError::Wrong(format!("syntax error: {message}"))
        }
        ParserError::RecursionLimitExceeded => SqlError::Wrong("the statement is nested too deeply".to_owned()),
    }
}

/// Any error of planning or running. `real` gives a folded name the spelling people know.
pub(crate) fn sql_error(error: &DataFusionError, real: impl Fn(&str) -> String) -> SqlError {
    let root = error.find_root();
    match root {
        DataFusionError::ResourcesExhausted(message) => SqlError::OutOfMemory(allocation(message)),
        DataFusionError::SchemaError(schema, _) => SqlError::Wrong(schema_error(schema, real)),
        DataFusionError::SQL(error, _) => syntax(error),
        DataFusionError::NotImplemented(message) => SqlError::Wrong(format!("not supported: {}", tidy(message))),
        DataFusionError::Plan(message)
        | DataFusionError::Configuration(message)
        | DataFusionError::Execution(message) => SqlError::Wrong(tidy(message)),
        DataFusionError::ArrowError(error, _) => arrow_error(error),
        DataFusionError::Collection(errors) if !errors.is_empty() => sql_error(&errors[0], real),
        _ => SqlError::Internal(tidy(&root.strip_backtrace())),
    }
}

fn arrow_error(error: &ArrowError) -> SqlError {
    match error {
        ArrowError::MemoryError(message) => SqlError::OutOfMemory(allocation(message)),
        // Of what `checked` does not compute, such as a division or decimals. Its own message quotes the operands,
        // which may be cells.
        ArrowError::ArithmeticOverflow(_) => SqlError::Wrong(
            "a result is past what its type holds; cast an operand to a wider one, such as DECIMAL(38,0) or DOUBLE"
                .to_owned(),
        ),
        ArrowError::CastError(_)
        | ArrowError::ParseError(_)
        | ArrowError::ComputeError(_)
        | ArrowError::DivideByZero
        | ArrowError::InvalidArgumentError(_)
        | ArrowError::OffsetOverflowError(_) => SqlError::Wrong(tidy(&error.to_string())),
        _ => SqlError::Internal(tidy(&error.to_string())),
    }
}

fn schema_error(error: &SchemaError, real: impl Fn(&str) -> String) -> String {
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => unknown_column(field, valid_fields, real),
        SchemaError::AmbiguousReference { field } => {
            format!("the column \"{}\" is in more than one table here; write table.column", real(field.name()))
        }
        SchemaError::DuplicateQualifiedField { name, .. } | SchemaError::DuplicateUnqualifiedField { name } => {
            format!("the name \"{}\" stands twice in one result; give one of them an alias", real(name))
        }
    }
}

fn unknown_column(field: &Column, valid: &[Column], real: impl Fn(&str) -> String) -> String {
    if let Some(relation) = &field.relation
        && !valid.iter().any(|column| column.relation.as_ref().is_some_and(|known| known.table() == relation.table()))
    {
        let mut tables: Vec<String> =
            valid.iter().filter_map(|c| c.relation.as_ref()).map(|r| real(r.table())).collect();
        tables.dedup();
        let help = near_or_all(relation.table(), &tables, "tables here");
        return format!(
            "there is no table or alias \"{}\" in this part of the statement{help}",
            real(relation.table())
        );
    }
    let names: Vec<String> = valid
        .iter()
        .filter(|column| field.relation.is_none() || column.relation == field.relation)
        .map(|column| real(column.name()))
        .collect();
    let help = near_or_all(field.name(), &names, "columns");
    format!("there is no column \"{}\"{help}", real(field.name()))
}

/// A name of a table that is not in the catalogue.
pub(crate) fn unknown_table(name: &str, tables: &[String]) -> SqlError {
    SqlError::Wrong(format!("there is no table \"{name}\"{}", near_or_all(name, tables, "tables")))
}

/// `; did you mean "x"?`, or the list of what there is.
fn near_or_all(name: &str, known: &[String], what: &str) -> String {
    let lowered = name.to_lowercase();
    let best = known.iter().map(|known| (distance(&lowered, &known.to_lowercase()), known)).min_by_key(|(far, _)| *far);
    match best {
        None => format!("; there are no {what}"),
        Some((far, near)) if far <= (name.chars().count() / 3).max(1) => format!("; did you mean \"{near}\"?"),
        Some(_) => {
            let mut list: Vec<String> = known.iter().take(LISTED).map(|name| format!("\"{name}\"")).collect();
            if known.len() > LISTED {
                list.push("…".to_owned());
            }
            format!("; the {what} are {}", list.join(", "))
        }
    }
}

/// Edits between two words. Names are short, so the quadratic way will do; longer ones are cut.
fn distance(one: &str, other: &str) -> usize {
    const CHARS: usize = 128;
    let other: Vec<char> = other.chars().take(CHARS).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().take(CHARS).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// What a failed allocation was for, without the state of the pool.
fn allocation(message: &str) -> String {
    message.split(" - ").next().unwrap_or_default().trim().to_owned()
}

/// The message without DataFusion's backtrace mark and its stacked prefixes.
fn tidy(message: &str) -> String {
    let message = message.split(DataFusionError::BACK_TRACE_SEP).next().unwrap_or_default().trim();
    let prefixes = ["Error during planning: ", "Execution error: ", "Arrow error: ", "Compute error: "];
    let mut rest = message;
    while let Some(stripped) = prefixes.iter().find_map(|prefix| rest.strip_prefix(prefix)) {
        rest = stripped;
    }
    rest.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        for (one, other, edits) in [("", "", 0), ("a", "", 1), ("orders", "ordres", 2), ("kitten", "sitting", 3)] {
            assert_eq!(distance(one, other), edits, "{one} {other}");
        }
    }

    #[test]
    fn a_far_name_lists_what_there_is() {
        let known = ["orders".to_owned(), "customers".to_owned()];
        assert_eq!(near_or_all("Ordrs", &known, "tables"), "; did you mean \"orders\"?");
        assert_eq!(near_or_all("zebra", &known, "tables"), "; the tables are \"orders\", \"customers\"");
        assert_eq!(near_or_all("zebra", &[], "tables"), "; there are no tables");
    }
}
