//! A JSON object read field by field, so that every complaint names its place and all of them are told at once.

use std::str::FromStr;

use domain::ErrorCode;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::problem::{FieldError, Problem};

/// The fields of a JSON object. `null` counts as absent, unknown fields are ignored (decision 30).
pub struct Fields {
    object: Map<String, Value>,
    errors: Vec<FieldError>,
}

impl Fields {
    /// The fields of a body, which must be an object.
    pub fn of(value: Value) -> Result<Self, Problem> {
        match value {
            Value::Object(object) => Ok(Self { object, errors: Vec::new() }),
            other => {
                let error = FieldError::new("wrong_type", "", format!("must be an object, not {}", kind(&other)));
                Err(Problem::several(ErrorCode::ValidationError, vec![error]))
            }
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.object.remove(name).filter(|value| !value.is_null())
    }

    /// Records a complaint about a field; `below` continues the pointer inside it.
    pub fn complain(&mut self, code: &'static str, name: &str, below: &str, message: impl Into<String>) {
        self.errors.push(FieldError::new(code, format!("/{}{below}", pointer(name)), message));
    }

    /// Records that a field must be there and is not.
    pub fn missing(&mut self, name: &str) {
        self.complain("missing", name, "", "is required");
    }

    /// A text of `min` to `max` characters.
    pub fn text(&mut self, name: &str, min: usize, max: usize) -> Option<String> {
        let value = self.take(name)?;
        let Value::String(text) = value else {
            self.complain("wrong_type", name, "", format!("must be a string, not {}", kind(&value)));
            return None;
        };
        let length = text.chars().count();
        if length < min || length > max {
            let message = format!("must have {min} to {max} characters, has {length}");
            self.complain("out_of_range", name, "", message);
            return None;
        }
        if text.contains('\0') {
            self.complain("malformed", name, "", "must not contain the NUL character");
            return None;
        }
        Some(text)
    }

    /// As [`Self::text`], required. The empty text stands in for a missing one until [`Self::finish`] complains.
    pub fn required_text(&mut self, name: &str, min: usize, max: usize) -> String {
        self.required(name, |fields| fields.text(name, min, max))
    }

    /// A name that people see: 1 to 200 characters, one of them visible, none of them a control character.
    pub fn label(&mut self, name: &str) -> Option<String> {
        let label = self.text(name, 1, 200)?;
        if label.trim().is_empty() || label.chars().any(char::is_control) {
            self.complain("malformed", name, "", "must have a visible character and no control characters");
            return None;
        }
        Some(label)
    }

    /// As [`Self::label`], required.
    pub fn required_label(&mut self, name: &str) -> String {
        self.required(name, |fields| fields.label(name))
    }

    fn required(&mut self, name: &str, read: impl FnOnce(&mut Self) -> Option<String>) -> String {
        if !self.has(name) {
            self.missing(name);
            return String::new();
        }
        read(self).unwrap_or_default()
    }

    /// true or false.
    pub fn boolean(&mut self, name: &str) -> Option<bool> {
        let value = self.take(name)?;
        let Value::Bool(flag) = value else {
            self.complain("wrong_type", name, "", format!("must be true or false, not {}", kind(&value)));
            return None;
        };
        Some(flag)
    }

    /// A whole number within `min..=max`.
    pub fn integer(&mut self, name: &str, min: i64, max: i64) -> Option<i64> {
        let value = self.take(name)?;
        let Some(number) = value.as_i64() else {
            self.complain("wrong_type", name, "", format!("must be a whole number, not {}", kind(&value)));
            return None;
        };
        if !(min..=max).contains(&number) {
            self.complain("out_of_range", name, "", format!("must lie between {min} and {max}"));
            return None;
        }
        Some(number)
    }

    /// A JSON object.
    pub fn object(&mut self, name: &str) -> Option<Value> {
        let value = self.take(name)?;
        if !value.is_object() {
            self.complain("wrong_type", name, "", format!("must be an object, not {}", kind(&value)));
            return None;
        }
        Some(value)
    }

    /// A list of texts. Older clients send one text, or a JSON list inside a text: both become a list.
    pub fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        let value = match self.take(name)? {
            Value::String(text) => match serde_json::from_str::<Value>(&text) {
                Ok(list @ Value::Array(_)) => list,
                _ => Value::Array(vec![Value::String(text)]),
            },
            other => other,
        };
        let Value::Array(items) = value else {
            self.complain("wrong_type", name, "", format!("must be a list of strings, not {}", kind(&value)));
            return None;
        };
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            match item {
                Value::String(text) => texts.push(text),
                other => {
                    let message = format!("must be a string, not {}", kind(&other));
                    self.complain("wrong_type", name, &format!("/{index}"), message);
                }
            }
        }
        Some(texts)
    }

    /// A text that parses as an id or a word of a closed list; `expected` ends the sentence "must be …".
    pub fn parsed<T: FromStr>(&mut self, name: &str, expected: &str) -> Option<T> {
        let text = self.text(name, 0, 4_096)?;
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.complain("unknown_value", name, "", format!("must be {expected}"));
        }
        parsed
    }

    /// An id, required. The nil id stands in for a missing one until [`Self::finish`] complains.
    pub fn required_id(&mut self, name: &str) -> Uuid {
        if self.object.get(name).is_none_or(Value::is_null) {
            self.missing(name);
            return Uuid::nil();
        }
        self.parsed(name, "a UUID").unwrap_or_default()
    }

    /// Whether a field that this build refuses is there.
    pub fn has(&self, name: &str) -> bool {
        self.object.get(name).is_some_and(|value| !value.is_null())
    }

    /// 422 naming every field that was wrong.
    pub fn finish(self) -> Result<(), Problem> {
        if self.errors.is_empty() { Ok(()) } else { Err(Problem::several(ErrorCode::ValidationError, self.errors)) }
    }
}

/// A field name as a token of a JSON pointer (RFC 6901).
fn pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_complaints_are_told_with_their_pointers() {
        let mut fields = Fields::of(json!({"n": 1, "flag": "yes", "list": ["a", 1], "a/b": 3})).expect("an object");
        assert_eq!(fields.required_text("name", 1, 10), "");
        assert_eq!(fields.text("n", 0, 10), None);
        assert_eq!(fields.boolean("flag"), None);
        fields.texts("list");
        fields.text("a/b", 0, 1);
        let paths: Vec<&str> = fields.errors.iter().map(|e| e.path.as_str()).collect();
        assert_eq!(paths, ["/name", "/n", "/flag", "/list/1", "/a~1b"]);
    }

    #[test]
    fn older_shapes_of_synonyms_become_a_list() {
        let mut fields = Fields::of(json!({"a": "one", "b": "[\"x\",\"y\"]", "c": ["z"]})).expect("an object");
        assert_eq!(fields.texts("a"), Some(vec!["one".to_owned()]));
        assert_eq!(fields.texts("b"), Some(vec!["x".to_owned(), "y".to_owned()]));
        assert_eq!(fields.texts("c"), Some(vec!["z".to_owned()]));
    }

    #[test]
    fn null_is_absent() {
        let mut fields = Fields::of(json!({"name": null, "n": null})).expect("an object");
        assert_eq!(fields.integer("n", 0, 9), None);
        fields.required_text("name", 1, 3);
        assert_eq!(fields.errors.len(), 1);
    }
}
