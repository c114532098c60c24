//! The operator's own patterns for personal data (`FLYQUERY_PII_REGEX_PATTERNS_PATH`).

use std::path::Path;

use annotate::CustomPatterns;

use crate::error::CliError;

/// Largest file, in bytes.
const FILE_BYTES: u64 = 1 << 20;

/// Reads and compiles them, in the file's order; none when no file is named.
pub fn read(path: Option<&Path>) -> Result<CustomPatterns, CliError> {
    let Some(path) = path else { return Ok(CustomPatterns::default()) };
    let failed = |why: String| {
        let file = path.display();
        CliError::Usage(format!(
            "the patterns for personal data in {file} can't be used: {why} (FLYQUERY_PII_REGEX_PATTERNS_PATH)"
        ))
    };
    let size = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    if size > FILE_BYTES {
        return Err(failed(format!("it has {size} bytes; up to {FILE_BYTES} are read")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let table: toml::Table =
        text.parse().map_err(|error: toml::de::Error| failed(error.to_string().trim_end().to_owned()))?;
    let mut patterns = Vec::with_capacity(table.len());
    for (name, value) in table {
        let toml::Value::String(pattern) = value else {
            return Err(failed(format!("'{name}' must be a regular expression in quotes")));
        };
        patterns.push((name, pattern));
    }
    CustomPatterns::new(patterns).map_err(|error| failed(error.to_string()))
}
