//! What a user could dispute about how a JSON file was read.

use domain::{Warning, WarningCode};

use crate::readers::json::place::{Notes, Place};
use crate::readers::json::seen::{Shape, names};
use crate::readers::json::walk::Passed;
use crate::text::encoding::{Damage, Decided};
use crate::text::infer;

/// About the file as a whole.
pub fn of_file(decided: Decided, passed: &Passed, damage: Damage) -> Vec<Warning> {
    let mut found = Vec::new();
    if decided.guessed {
        let name = decided.encoding.name();
        let message = format!("The file is not plain UTF-8; it was read as {name}, which fits its bytes best.");
        found.push(Warning::new(WarningCode::EncodingGuessed, message));
    }
    found.extend(damage.warning(decided.encoding));
    let bad = &passed.bad;
    if bad.count() > 0 {
        let message = format!("{} lines hold no record and were left out ({}).", bad.count(), bad.describe_as("line"));
        found.push(Warning::new(WarningCode::BadLines, message).rows(bad.count()));
    }
    if passed.beside > 0 {
        let message = format!(
            "{} values of the document stand beside its tables and were left out; name their paths in json_paths of \
             table_extraction_rules_json to read them.",
            passed.beside
        );
        found.push(Warning::new(WarningCode::ValuesLeftOut, message).rows(passed.beside));
    }
    found
}

/// About the records of a table.
pub fn of_records(rows: u64, notes: &Notes) -> Vec<Warning> {
    let mut found = Vec::new();
    if rows == 0 {
        found.push(Warning::new(WarningCode::HeaderOnly, "The list holds no records, so the table has no rows."));
    }
    let (replaced, duplicates) = (&notes.replaced, &notes.duplicates);
    if replaced.count() > 0 {
        let message = format!(
            "{} strings hold half of a surrogate pair, which no text can; it became U+FFFD ({}).",
            replaced.count(),
            replaced.describe()
        );
        found.push(Warning::new(WarningCode::EncodingReplaced, message).rows(replaced.count()));
    }
    if duplicates.count() > 0 {
        let message = format!(
            "{} keys stand again in an object that has them already; the last value was kept ({}).",
            duplicates.count(),
            duplicates.describe()
        );
        found.push(Warning::new(WarningCode::DuplicateKeys, message).rows(duplicates.count()));
    }
    found
}

/// About the types and names of a table's columns, from the evidence of all its records.
pub fn of_columns(root: &Place, shape: &Shape) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut changed = 0;
    visit(root, shape, "", &mut found, &mut changed);
    if changed > 0 {
        let message = format!("{changed} names of keys were trimmed, shortened, made unique or made up.");
        found.push(Warning::new(WarningCode::NamesChanged, message));
    }
    found
}

fn visit(place: &Place, shape: &Shape, name: &str, found: &mut Vec<Warning>, changed: &mut usize) {
    match shape {
        Shape::Unknown => {}
        Shape::Scalar(reading) => found.extend(infer::warnings(&place.seen.evidence, *reading, name)),
        Shape::Json => {
            let message = "Kept as JSON texts: the values are of several kinds, or objects that have little in common.";
            let about = if name.is_empty() { "value" } else { name };
            found.push(Warning::new(WarningCode::KeptAsText, message).column(about));
        }
        Shape::List(shape) => {
            if let Some(item) = &place.item {
                visit(item, shape, &format!("{name}[]"), found, changed);
            }
        }
        Shape::Struct(fields) => {
            *changed += names(&place.fields.keys).1;
            for (field, (key, shape)) in place.fields.places.iter().zip(fields) {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                visit(field, shape, &name, found, changed);
            }
        }
    }
}
