//! What people see: tables, numbers, colours, progress. Standard output carries results, standard error everything else.

pub mod grid;
pub mod number;
pub mod progress;
pub mod style;
pub mod text;

use std::io::{self, Write as _};

use crate::error::CliError;

/// Writes a result to standard output.
pub fn put(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(CliError::Output)
}

/// Writes a JSON document to standard output.
pub fn put_json(document: &serde_json::Value) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(document).map_err(|e| CliError::Output(e.into()))?;
    put(&format!("{text}\n"))
}
