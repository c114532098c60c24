//! Text that both databases can hold: PostgreSQL has no NUL character, neither in `text` nor in `jsonb`, and files do.

use sea_orm::Value;

/// What stands for a NUL character.
const REPLACEMENT: &str = "\u{fffd}";

/// The value with each NUL character in its texts replaced by U+FFFD.
pub(crate) fn storable(value: Value) -> Value {
    match value {
        Value::String(Some(text)) => Value::String(Some(replaced(text))),
        Value::Json(Some(mut json)) => {
            replace_in(&mut json);
            Value::Json(Some(json))
        }
        other => other,
    }
}

fn replaced(text: String) -> String {
    if text.contains('\0') { text.replace('\0', REPLACEMENT) } else { text }
}

fn replace_in(json: &mut serde_json::Value) {
    match json {
        serde_json::Value::String(text) => *text = replaced(std::mem::take(text)),
        serde_json::Value::Array(items) => items.iter_mut().for_each(replace_in),
        serde_json::Value::Object(fields) => {
            if fields.keys().any(|key| key.contains('\0')) {
                *fields = std::mem::take(fields).into_iter().map(|(key, value)| (replaced(key), value)).collect();
            }
            fields.values_mut().for_each(replace_in);
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_characters_are_replaced_wherever_text_stands() {
        let json = serde_json::json!({"a\0": ["x\0y", {"b": "\0"}], "n": 1});
        let Value::Json(Some(stored)) = storable(Value::Json(Some(Box::new(json)))) else { panic!("JSON stays JSON") };
        assert_eq!(*stored, serde_json::json!({"a\u{fffd}": ["x\u{fffd}y", {"b": "\u{fffd}"}], "n": 1}));
        assert_eq!(storable(Value::from("a\0b")), Value::from("a\u{fffd}b"));
        assert_eq!(storable(Value::from("plain")), Value::from("plain"));
    }
}
