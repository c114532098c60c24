//! Splitting text into records and fields: byte slices of the block they stand in, nothing copied.
//!
//! RFC 4180 as the world writes it: a quote opens only at the start of a field, a doubled quote is one, what follows a
//! closing quote belongs to the field, LF and CR LF end a record (or CR alone where a file has no LF), the last record
//! may lack its end, blank lines are no records. A record cut by the end of a block is left for the next one.

use std::borrow::Cow;

/// What ends a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newline {
    /// LF, or CR LF.
    Lf,
    /// CR alone.
    Cr,
}

/// How records and fields are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between fields; none in files of one column.
    pub delimiter: Option<u8>,
    /// Around fields that hold a delimiter, a newline or itself.
    pub quote: Option<u8>,
    /// Between records.
    pub newline: Newline,
}

const QUOTED: u32 = 1 << 31;
const MIXED: u32 = 1 << 30;
const LENGTH: u32 = MIXED - 1;
const MISSING: u32 = u32::MAX;

/// A field: where it stands in its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    start: u32,
    bits: u32,
}

impl Field {
    /// A field that a short record lacks.
    pub const ABSENT: Self = Self { start: MISSING, bits: 0 };

    pub(crate) const fn plain(start: usize, end: usize) -> Self {
        Self { start: start as u32, bits: (end - start) as u32 }
    }

    /// Whether the record ended before this field.
    pub const fn is_absent(self) -> bool {
        self.start == MISSING
    }

    /// Whether it was quoted, which tells an empty text from no value.
    pub const fn is_quoted(self) -> bool {
        self.bits & QUOTED != 0
    }

    /// Whether its bytes hold quotes that are not part of its value; then see [`unquote`].
    pub const fn is_mixed(self) -> bool {
        self.bits & MIXED != 0
    }

    /// Whether there is nothing between its delimiters, not even quotes.
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Bytes between its outer quotes.
    pub const fn len(self) -> usize {
        (self.bits & LENGTH) as usize
    }

    /// Its bytes without the outer quotes.
    pub fn bytes(self, text: &[u8]) -> &[u8] {
        if self.is_absent() {
            return &[];
        }
        let start = self.start as usize;
        &text[start..start + (self.bits & LENGTH) as usize]
    }
}

/// Appends the value of a [mixed](Field::is_mixed) field: `raw` starts after its opening quote and goes to its end.
pub fn unquote(raw: &[u8], quote: u8, out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(quote, rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if rest.first() == Some(&quote) {
            out.push(quote);
            rest = &rest[1..];
        } else {
            break;
        }
    }
    out.extend_from_slice(rest);
}

/// What came of looking for a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// A record; the next one starts there.
    Record(usize),
    /// The block ends before the record does.
    Cut,
}

impl Dialect {
    /// The value of a field.
    pub fn value<'a>(&self, field: Field, text: &'a [u8]) -> Cow<'a, [u8]> {
        let raw = field.bytes(text);
        match self.quote {
            Some(quote) if field.is_mixed() => {
                let mut value = Vec::with_capacity(raw.len());
                unquote(raw, quote, &mut value);
                Cow::Owned(value)
            }
            _ => Cow::Borrowed(raw),
        }
    }

    /// Finds the fields of the record at `start`; `at_end` says that nothing follows the text. On [`Scan::Cut`],
    /// `fields` is as before. `unclosed` is set when the text ends inside a quoted field.
    pub fn scan(&self, text: &[u8], start: usize, at_end: bool, fields: &mut Vec<Field>, unclosed: &mut bool) -> Scan {
        let newline = match self.newline {
            Newline::Lf => b'\n',
            Newline::Cr => b'\r',
        };
        let delimiter = self.delimiter.unwrap_or(newline);
        let before = fields.len();
        let mut at = start;
        loop {
            if let Some(quote) = self.quote
                && text.get(at) == Some(&quote)
            {
                let Some((field, end)) = quoted(text, at + 1, quote, (delimiter, newline), at_end, unclosed) else {
                    fields.truncate(before);
                    return Scan::Cut;
                };
                fields.push(field);
                at = end;
            } else {
                let end = find(text, at, delimiter, newline);
                if end == text.len() && !at_end {
                    fields.truncate(before);
                    return Scan::Cut;
                }
                let mut field_end = end;
                if text.get(end).is_none_or(|b| *b == newline) && end > at && text[end - 1] == b'\r' {
                    field_end -= 1;
                }
                fields.push(Field::plain(at, field_end));
                at = end;
            }
            if at == text.len() {
                return Scan::Record(at);
            }
            if text[at] == newline {
                return after_newline(self.newline, text, at + 1, at_end).map_or_else(
                    || {
                        fields.truncate(before);
                        Scan::Cut
                    },
                    Scan::Record,
                );
            }
            at += 1;
        }
    }
}

/// Where the next record starts: in a file of CRs, a stray CR LF is one end.
fn after_newline(newline: Newline, text: &[u8], at: usize, at_end: bool) -> Option<usize> {
    match newline {
        Newline::Lf => Some(at),
        Newline::Cr => match text.get(at) {
            Some(b'\n') => Some(at + 1),
            Some(_) => Some(at),
            None => at_end.then_some(at),
        },
    }
}

/// A quoted field whose content starts at `start`: the field and where its delimiter or newline stands.
fn quoted(
    text: &[u8],
    start: usize,
    quote: u8,
    (delimiter, newline): (u8, u8),
    at_end: bool,
    unclosed: &mut bool,
) -> Option<(Field, usize)> {
    let mut mixed = 0;
    let mut at = start;
    loop {
        let Some(found) = memchr::memchr(quote, &text[at..]) else {
            *unclosed |= at_end;
            let field = Field { start: start as u32, bits: (text.len() - start) as u32 | QUOTED | mixed };
            return at_end.then_some((field, text.len()));
        };
        let close = at + found;
        match text.get(close + 1) {
            Some(b) if *b == quote => {
                mixed = MIXED;
                at = close + 2;
            }
            Some(b) if *b == delimiter || *b == newline => {
                let field = Field { start: start as u32, bits: (close - start) as u32 | QUOTED | mixed };
                return Some((field, close + 1));
            }
            None if !at_end => return None,
            None => {
                let field = Field { start: start as u32, bits: (close - start) as u32 | QUOTED | mixed };
                return Some((field, text.len()));
            }
            Some(_) => {
                let end = find(text, close + 1, delimiter, newline);
                if end == text.len() && !at_end {
                    return None;
                }
                let mut field_end = end;
                if text.get(end).is_none_or(|b| *b == newline) && text[end - 1] == b'\r' {
                    field_end -= 1;
                }
                if field_end == close + 1 {
                    let field = Field { start: start as u32, bits: (close - start) as u32 | QUOTED | mixed };
                    return Some((field, end));
                }
                let field = Field { start: start as u32, bits: (field_end - start) as u32 | QUOTED | MIXED };
                return Some((field, end));
            }
        }
    }
}

/// The first delimiter or newline from `at` on, or the end of the text. Most fields are short: a word or two are
/// looked at without a call.
#[inline]
fn find(text: &[u8], at: usize, delimiter: u8, newline: u8) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let (delimiters, newlines) = (ONES * u64::from(delimiter), ONES * u64::from(newline));
    let mut from = at;
    for _ in 0..3 {
        let Some(word) = text.get(from..from + 8).and_then(|w| w.first_chunk::<8>()) else {
            break;
        };
        let word = u64::from_le_bytes(*word);
        let (d, n) = (word ^ delimiters, word ^ newlines);
        let hits = ((d.wrapping_sub(ONES) & !d) | (n.wrapping_sub(ONES) & !n)) & HIGHS;
        if hits != 0 {
            return from + (hits.trailing_zeros() / 8) as usize;
        }
        from += 8;
    }
    memchr::memchr2(delimiter, newline, &text[from..]).map_or(text.len(), |found| from + found)
}
