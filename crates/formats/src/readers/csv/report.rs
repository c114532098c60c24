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
pub fn warnings(rows: u64, records: &Records, text: &TextReader, decided: Decided) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if rows == 0 {
        warnings.push(Warning::new(WarningCode::HeaderOnly, "The file has a header and no rows."));
    }
    warnings.extend(text.damage().warning(decided.encoding));
    if records.short.count() > 0 {
        let short = &records.short;
        let message = format!(
            "{} rows have fewer fields than there are columns; the missing ones are null ({}).",
            short.count(),
            short.describe()
        );
        warnings.push(Warning::new(WarningCode::RaggedRows, message).rows(short.count()));
    }
    if records.long.count() > 0 {
        let long = &records.long;
        let message = format!(
            "{} rows have more fields than there are columns, all of them empty ({}).",
            long.count(),
            long.describe()
        );
        warnings.push(Warning::new(WarningCode::RaggedRows, message).rows(long.count()));
    }
    if records.unclosed {
        let message = "The file ends inside a quoted field; what follows its opening quote is one cell.";
        warnings.push(Warning::new(WarningCode::UnclosedQuote, message));
    }
    warnings
}
