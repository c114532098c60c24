//! Warnings about a text file as a whole: what was replaced, left out, ragged or unclosed.

use domain::{Warning, WarningCode};

use crate::text::block::Records;
use crate::text::encoding::{Decided, TextReader};

/// The encoding was guessed.
pub fn encoding_warning(name: &str) -> Warning {
    let message = format!("The file says nothing of its encoding; it was read as {name}, which fits its bytes best.");
    Warning::new(WarningCode::EncodingGuessed, message)
}

/// What reading a table taught that a user could dispute, apart from its columns' types.
///
/// `width` is the number of fields a record should have; `extra` names the columns that hold values beyond it.
pub fn warnings(
    rows: u64,
    records: &Records,
    (width, extra): (usize, &[String]),
    text: &TextReader,
    decided: Decided,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if rows == 0 {
        warnings.push(Warning::new(WarningCode::HeaderOnly, "The file has a header and no rows."));
    }
    warnings.extend(text.damage().warning(decided.encoding));
    warnings.extend(ragged(records, width, extra));
    if records.stray_quotes.count() > 0 {
        let stray = &records.stray_quotes;
        let message = format!(
            "{} rows have quotes that neither open nor close a field ({}); those quotes were kept as text. Inside a \
             quoted field, a quote must be doubled.",
            stray.count(),
            stray.describe()
        );
        warnings.push(Warning::new(WarningCode::StrayQuotes, message).rows(stray.count()));
    }
    if records.unclosed {
        let message = "The file ends inside a quoted field; what follows its opening quote is one cell.";
        warnings.push(Warning::new(WarningCode::UnclosedQuote, message));
    }
    warnings
}

fn ragged(records: &Records, width: usize, extra: &[String]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let (short, long) = (&records.short, &records.long);
    if short.count() > 0 {
        let message = format!(
            "{} rows have fewer than {width} fields; the missing ones are null ({}).",
            short.count(),
            short.describe()
        );
        warnings.push(Warning::new(WarningCode::RaggedRows, message).rows(short.count()));
    }
    if long.count() > 0 {
        let where_to = match extra {
            [] => "the fields beyond are empty".to_owned(),
            [column] => format!("the values beyond are in column {column}"),
            [first, .., last] => format!("the values beyond are in columns {first} to {last}"),
        };
        let message = format!("{} rows have more than {width} fields; {where_to} ({}).", long.count(), long.describe());
        warnings.push(Warning::new(WarningCode::RaggedRows, message).rows(long.count()));
    }
    warnings
}
