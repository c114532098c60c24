//! `table_extraction_rules_json`: what an uploader may say about where a file's tables stand.

use domain::{ErrorCode, Failure, FileFormat};
use serde_json::Value;

use crate::convert::ReadOptions;

/// The rules that readers know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// `json_paths`: keys that lead to the tables of a JSON document.
    pub json_paths: Vec<Vec<Vec<u8>>>,
}

/// Most paths, and most keys in one.
const MOST: usize = 1_000;

impl Rules {
    /// The rules of an upload; fails with `invalid_request` naming what is wrong.
    pub fn of(options: &ReadOptions) -> Result<Self, Failure> {
        let mut rules = Self::default();
        match &options.extraction_rules {
            None | Some(Value::Null) => {}
            Some(Value::Object(members)) => {
                for (key, value) in members {
                    match key.as_str() {
                        "json_paths" => rules.json_paths = paths(value)?,
                        _ => return Err(wrong(&format!("has the unknown key '{key}'; 'json_paths' is known"))),
                    }
                }
            }
            Some(Value::Array(items)) if items.is_empty() => {}
            Some(Value::Array(_) | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                return Err(wrong("must be an object such as {\"json_paths\": [\"data.items\"]}"));
            }
        }
        Ok(rules)
    }

    /// Fails where a rule has no meaning for the format.
    pub fn check(&self, format: FileFormat) -> Result<(), Failure> {
        if self.json_paths.is_empty() || format == FileFormat::Json {
            return Ok(());
        }
        Err(wrong(&format!("has 'json_paths', which lead into a JSON document; this file is {format}")))
    }
}

fn paths(value: &Value) -> Result<Vec<Vec<Vec<u8>>>, Failure> {
    let Value::Array(items) = value else {
        return Err(wrong("'json_paths' must be a list of paths"));
    };
    if items.len() > MOST {
        return Err(wrong("'json_paths' has more than 1000 paths"));
    }
    let paths: Vec<_> = items.iter().enumerate().map(|(i, item)| path(i, item)).collect::<Result<_, _>>()?;
    for (i, path) in paths.iter().enumerate() {
        if let Some(other) = paths.iter().enumerate().position(|(j, other)| i != j && other.starts_with(path)) {
            let (i, other) = (i + 1, other + 1);
            return Err(wrong(&format!("path {other} of 'json_paths' leads into what path {i} already takes")));
        }
    }
    Ok(paths)
}

/// `"data.items"`, or `["data", "items"]` for keys that hold a point.
fn path(index: usize, item: &Value) -> Result<Vec<Vec<u8>>, Failure> {
    let place = format!("path {} of 'json_paths'", index + 1);
    let keys: Vec<&str> = match item {
        Value::String(text) => text.strip_prefix("$.").unwrap_or(text).split('.').collect(),
        Value::Array(keys) => keys
            .iter()
            .map(Value::as_str)
            .collect::<Option<_>>()
            .ok_or_else(|| wrong(&format!("{place} must hold keys only")))?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            return Err(wrong(&format!("{place} must be a text such as \"data.items\" or a list of keys")));
        }
    };
    if keys.is_empty() || keys.len() > MOST || (matches!(item, Value::String(_)) && keys.contains(&"")) {
        return Err(wrong(&format!("{place} has no keys, an empty key, or too many")));
    }
    Ok(keys.into_iter().map(|key| key.as_bytes().to_vec()).collect())
}

fn wrong(why: &str) -> Failure {
    Failure::new(ErrorCode::InvalidRequest, format!("table_extraction_rules_json {why}."))
}
