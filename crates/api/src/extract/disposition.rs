//! The file name in a part's `Content-Disposition`: RFC 5987 encoding, quoted strings, and the percent escapes that
//! browsers use; and what of it is kept.

use percent_encoding::percent_decode_str;

/// Characters of a file name that are kept.
const NAME_CHARS: usize = 255;
/// The name of a file whose sender calls it nothing.
pub const UNNAMED: &str = "upload.bin";

/// The file name that a `Content-Disposition` value carries, as its sender wrote it.
pub fn file_name(header: &[u8]) -> Option<String> {
    let parameters = parameters(header);
    let of = |name: &str| parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_slice());
    of("filename*").and_then(extended).or_else(|| of("filename").map(|bytes| unescape(&text(bytes))))
}

/// What is kept of a name: the last path segment without control characters, cut to 255 characters with its
/// extension; nothing when nothing is left.
pub fn clean(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let visible: String = last.chars().filter(|c| !c.is_control() && !is_direction_mark(*c)).collect();
    let trimmed = visible.trim();
    if trimmed.is_empty() || trimmed.chars().all(|c| c == '.') {
        return None;
    }
    let length = trimmed.chars().count();
    if length <= NAME_CHARS {
        return Some(trimmed.to_owned());
    }
    let tail: String = trimmed.char_indices().rev().nth(31).map_or(trimmed, |(at, _)| &trimmed[at..]).to_owned();
    let extension = tail.find('.').map_or("", |at| &tail[at..]);
    let stem: String = trimmed.chars().take(NAME_CHARS - extension.chars().count()).collect();
    Some(stem + extension)
}

/// Marks that make `gpj.exe` look like `exe.jpg`.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}

/// `UTF-8''na%C3%AFve.csv` (RFC 5987).
fn extended(value: &[u8]) -> Option<String> {
    let value = std::str::from_utf8(value).ok()?;
    let mut parts = value.splitn(3, '\'');
    let (charset, _language, encoded) = (parts.next()?, parts.next()?, parts.next()?);
    let bytes: Vec<u8> = percent_decode_str(encoded).collect();
    match charset.to_ascii_lowercase().as_str() {
        "utf-8" => String::from_utf8(bytes).ok(),
        "iso-8859-1" => Some(bytes.iter().map(|b| char::from(*b)).collect()),
        _ => None,
    }
}

/// Browsers escape quote, CR and LF, and nothing else: `50%25.csv` really is the name of a file.
fn unescape(name: &str) -> String {
    name.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")
}

fn parameters(header: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut rest = match header.iter().position(|b| *b == b';') {
        Some(at) => &header[at + 1..],
        None => return found,
    };
    while let Some(equals) = rest.iter().position(|b| *b == b'=') {
        let name = text(&rest[..equals]).trim().trim_start_matches(';').trim().to_ascii_lowercase();
        let value = rest[equals + 1..].trim_ascii_start();
        let (parsed, used) = if value.first() == Some(&b'"') { quoted(&value[1..]) } else { token(value) };
        rest = &value[used..];
        found.push((name, parsed));
    }
    found
}

/// A quoted string after its opening quote. Only `\"` and `\\` are escapes: old browsers send `C:\dir\file`.
fn quoted(value: &[u8]) -> (Vec<u8>, usize) {
    let mut out = Vec::new();
    let mut at = 0;
    while at < value.len() {
        match value[at] {
            b'"' => return (out, after_semicolon(value, at + 1) + 1),
            b'\\' if matches!(value.get(at + 1), Some(b'"' | b'\\')) => {
                out.push(value[at + 1]);
                at += 2;
            }
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    (out, value.len() + 1)
}

fn token(value: &[u8]) -> (Vec<u8>, usize) {
    let end = value.iter().position(|b| *b == b';').unwrap_or(value.len());
    (value[..end].trim_ascii_end().to_vec(), (end + 1).min(value.len()))
}

fn after_semicolon(value: &[u8], from: usize) -> usize {
    value[from..].iter().position(|b| *b == b';').map_or(value.len(), |at| from + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_every_spelling() {
        for (header, name) in [
            ("form-data; name=\"file\"; filename=\"a b.csv\"", "a b.csv"),
            ("form-data; filename=plain.csv; name=file", "plain.csv"),
            (
                "form-data; name=\"file\"; filename=\"x.csv\"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.csv",
                "naïve €.csv",
            ),
            ("form-data; name=file; filename*=iso-8859-1'en'na%EFve.csv", "naïve.csv"),
            ("form-data; name=file; filename=\"say %22hi%22.csv\"", "say \"hi\".csv"),
            ("form-data; name=file; filename=\"say \\\"hi\\\"; ok.csv\"", "say \"hi\"; ok.csv"),
            ("form-data; name=file; filename=\"50%25.csv\"", "50%25.csv"),
            ("form-data; name=file; filename=\"größe.csv\"", "größe.csv"),
            ("form-data; name=file; filename=\"C:\\tmp\\f.csv\"", "C:\\tmp\\f.csv"),
        ] {
            assert_eq!(file_name(header.as_bytes()).as_deref(), Some(name), "{header}");
        }
        assert_eq!(file_name(b"form-data; name=\"filename\""), None);
        assert_eq!(file_name(b"form-data; name=file; filename=\"caf\xe9.csv\"").as_deref(), Some("café.csv"));
    }

    #[test]
    fn folders_and_control_characters_go() {
        assert_eq!(clean("../../etc/passwd").as_deref(), Some("passwd"));
        assert_eq!(clean("C:\\tmp\\f.csv").as_deref(), Some("f.csv"));
        assert_eq!(clean("a\r\nb\u{202e}.csv").as_deref(), Some("ab.csv"));
        for nothing in ["", "..", ".", "dir/", " \t"] {
            assert_eq!(clean(nothing), None, "{nothing:?}");
        }
        let long = clean(&format!("{}.csv.gz", "x".repeat(400))).expect("kept");
        assert_eq!(long.chars().count(), 255);
        assert!(long.ends_with("x.csv.gz"));
        assert_eq!(clean(&"ä".repeat(300)).expect("kept").chars().count(), 255);
    }
}
