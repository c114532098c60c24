//! Values as text for a terminal: nothing a file holds may move the cursor or change colours there.

use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

/// Columns that text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text with everything that is no visible character written out: a cell must not speak to the terminal.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if c.is_control() || is_direction(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Marks that reorder the text around them.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text cut to so many columns, the cut marked.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
        if used + wide + 1 > columns {
            break;
        }
        used += wide;
        shown.push(c);
    }
    shown.push('…');
    shown
}

/// A value of a row.
pub fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => visible(text),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => visible(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_can_not_speak_to_the_terminal() {
        assert_eq!(visible("a\x1b[31mb\nc\u{202e}"), "a\\u{1b}[31mb\\nc\\u{202e}");
        assert_eq!(visible("Zoë 北京"), "Zoë 北京");
    }

    #[test]
    fn a_cut_keeps_to_the_columns_even_with_wide_characters() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("北京北京", 6), "北京…");
        assert!(width(&cut("北京北京", 6)) <= 6);
    }
}
