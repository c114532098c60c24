//! Strings and JSON texts out of tokens: escapes resolved, blanks between tokens left out.

/// Appends the value of a string with escapes. Returns how many lone surrogates, which no text can hold, became U+FFFD.
pub fn unescape(inside: &[u8], out: &mut Vec<u8>) -> u64 {
    let mut rest = inside;
    let mut replaced = 0;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let letter = rest.get(at + 1).copied().unwrap_or(b'\\');
        rest = rest.get(at + 2..).unwrap_or_default();
        let plain = match letter {
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let (character, used) = character(rest);
                rest = rest.get(used..).unwrap_or_default();
                replaced += u64::from(character.is_none());
                let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            other => other,
        };
        out.push(plain);
    }
    out.extend_from_slice(rest);
    replaced
}

/// The character whose hexadecimal digits `rest` starts with, joined with its other half where it is half of a pair.
fn character(rest: &[u8]) -> (Option<char>, usize) {
    let Some(first) = hex(rest) else {
        return (None, rest.len().min(4));
    };
    if !(0xd800..0xe000).contains(&first) {
        return (char::from_u32(first), 4);
    }
    let second = rest.get(4..6).filter(|mark| *mark == b"\\u").and_then(|_| hex(&rest[6..]));
    match second {
        Some(second) if first < 0xdc00 && (0xdc00..0xe000).contains(&second) => {
            (char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)), 10)
        }
        _ => (None, 4),
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    let digits = digits.get(..4)?;
    digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
}

/// Appends a JSON text without the blanks between its tokens.
pub fn compact(raw: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < raw.len() {
        match raw[at] {
            b' ' | b'\n' | b'\r' | b'\t' => at += 1,
            b'"' => {
                let end = string_end(raw, at);
                out.extend_from_slice(&raw[at..end]);
                at = end;
            }
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
}

fn string_end(raw: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &raw[at.min(raw.len())..]) {
        at += found;
        if raw[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    raw.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(inside: &str) -> (String, u64) {
        let mut out = Vec::new();
        let replaced = unescape(inside.as_bytes(), &mut out);
        (String::from_utf8(out).unwrap(), replaced)
    }

    #[test]
    fn escapes_become_characters() {
        assert_eq!(value(r#"a\"b\\c\/d\b\f\n\r\t"#), ("a\"b\\c/d\u{8}\u{c}\n\r\t".to_owned(), 0));
        assert_eq!(value(r"\u00e9\u0000\ud83d\ude00x"), ("é\0😀x".to_owned(), 0));
    }

    #[test]
    fn halves_of_pairs_are_replaced_and_counted() {
        assert_eq!(value(r"\ud83d"), ("\u{fffd}".to_owned(), 1));
        assert_eq!(value(r"\ude00\ud83d\u0041"), ("\u{fffd}\u{fffd}A".to_owned(), 2));
        assert_eq!(value(r"\ud83d\n"), ("\u{fffd}\n".to_owned(), 1));
    }

    #[test]
    fn blanks_go_but_not_those_in_strings() {
        let mut out = Vec::new();
        compact(b"{ \"a b\" :\n [1,\t\"x \\\" y\" ] }", &mut out);
        assert_eq!(out, br#"{"a b":[1,"x \" y"]}"#);
    }
}
