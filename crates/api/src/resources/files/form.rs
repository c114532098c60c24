//! The fields beside the file (decision 23): read in any order, validated when the last part has been read
//! (decision 46).

use axum::http::HeaderMap;
use domain::ports::ingest::UploadForm;
use domain::{ErrorCode, FileFormat};
use serde_json::Value;

use crate::extract::clean_file_name;
use crate::problem::{FieldError, Problem};
use crate::resources::NO_CALLBACKS;

/// Headers that ask for a callback, and the form fields of the same meaning.
const CALLBACK_HEADERS: [&str; 3] =
    ["x-flyquery-callback-url", "x-flyquery-callback-secret", "x-flyquery-callback-headers"];
const CALLBACK_FIELDS: [&str; 3] = ["callback_url", "callback_secret", "callback_headers"];

/// What the form said so far.
#[derive(Default)]
pub struct FormReader {
    fields: Vec<(String, String)>,
}

impl FormReader {
    /// Keeps a field; the last one of a name counts. Blank is absent, unknown names are ignored.
    pub fn keep(&mut self, name: &str, value: String) {
        self.fields.retain(|(known, _)| known != name);
        if !value.trim().is_empty() {
            self.fields.push((name.to_owned(), value));
        }
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim())
    }

    /// The name that a field gave the file so far.
    pub fn wished_name(&self) -> Option<String> {
        self.field("original_filename").and_then(clean_file_name)
    }

    /// The whole form, or every complaint about it.
    pub fn finish(self, part_name: Option<String>) -> Result<UploadForm, Problem> {
        let mut errors = Vec::new();
        let mut complain = |code, name: &str, message: String| {
            errors.push(FieldError::new(code, format!("form/{name}"), message));
        };
        for name in CALLBACK_FIELDS.into_iter().filter(|name| self.field(name).is_some()) {
            complain("not_supported", name, NO_CALLBACKS.to_owned());
        }
        let file_format = self.field("file_format").and_then(|word| {
            let parsed: Result<FileFormat, _> = word.to_ascii_lowercase().parse();
            parsed.map_err(|error| complain("unknown_value", "file_format", error.to_string())).ok()
        });
        let extraction_rules =
            self.field("table_extraction_rules_json").and_then(|text| match serde_json::from_str::<Value>(text) {
                Ok(rules) if rules.is_object() || rules.is_array() => Some(rules),
                Ok(_) => {
                    complain("wrong_type", "table_extraction_rules_json", "must be a JSON object or list".to_owned());
                    None
                }
                Err(error) => {
                    complain("malformed", "table_extraction_rules_json", format!("is not JSON: {error}"));
                    None
                }
            });
        let wished = self.wished_name();
        if !errors.is_empty() {
            return Err(Problem::several(ErrorCode::InvalidRequest, errors));
        }
        let file_name = wished.or(part_name).unwrap_or_else(|| crate::extract::UNNAMED.to_owned());
        Ok(UploadForm { file_name, file_format, extraction_rules, table: None })
    }
}

/// Refuses the headers that ask for a callback.
pub fn refuse_callback_headers(headers: &HeaderMap) -> Result<(), Problem> {
    let filled = |name: &&str| headers.get(*name).is_some_and(|value| !value.as_bytes().trim_ascii().is_empty());
    let errors: Vec<FieldError> = CALLBACK_HEADERS
        .iter()
        .filter(|name| filled(name))
        .map(|name| FieldError::new("not_supported", format!("header/{name}"), NO_CALLBACKS))
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Problem::several(ErrorCode::InvalidRequest, errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_wins_over_the_parts_name() {
        let mut form = FormReader::default();
        form.keep("original_filename", "dir/renamed.csv".to_owned());
        form.keep("file_format", "CSV".to_owned());
        form.keep("callback_url", "  ".to_owned());
        let form = form.finish(Some("part.txt".to_owned())).expect("valid");
        assert_eq!(form.file_name, "renamed.csv");
        assert_eq!(form.file_format, Some(FileFormat::Csv));
        assert_eq!(FormReader::default().finish(None).expect("valid").file_name, "upload.bin");
    }

    #[test]
    fn every_wrong_field_is_named() {
        let mut form = FormReader::default();
        form.keep("file_format", "docx".to_owned());
        form.keep("table_extraction_rules_json", "{".to_owned());
        form.keep("callback_secret", "s".to_owned());
        assert_eq!(form.finish(None).expect_err("refused").code(), ErrorCode::InvalidRequest);
    }
}
