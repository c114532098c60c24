//! Splitting text into records and fields: byte slices of the block they stand in, nothing copied.
//!
//! RFC 4180 as the world writes it: a quote opens only at the start of a field ([`quotes`](crate::text::quotes) finds
//! where it closes), LF and CR LF end a record (or CR alone where the file shows it), the last record may lack its end,
//! blank lines are no records. A record cut by the end of a block is left for the next one.

use std::borrow::Cow;

use crate::text::quotes::{Oddities, Parted, Quoted, Quoting};

/// What ends a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newline {
    /// LF, or CR LF.
    Lf,
    /// CR alone.
    Cr,
    /// LF, CR LF or CR alone, in files put together from several systems.
    Any,
}

/// How records and fields are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between fields; none in files of one column.
    pub delimiter: Option<u8>,
    /// Around fields that hold a delimiter, a newline or a quote.
    pub quoting: Quoting,
    /// Between records.
    pub newline: Newline,
}

impl Newline {
    /// Whether a byte ends a record.
    #[inline]
    pub const fn ends(self, byte: u8) -> bool {
        match self {
            Self::Lf => byte == b'\n',
            Self::Cr => byte == b'\r',
            Self::Any => byte == b'\n' || byte == b'\r',
        }
    }

    /// The first end of a record in a text.
    pub fn find(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Lf => memchr::memchr(b'\n', text),
            Self::Cr => memchr::memchr(b'\r', text),
            Self::Any => memchr::memchr2(b'\n', b'\r', text),
        }
    }

    /// The last end of a record in a text.
    pub fn rfind(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Lf => memchr::memrchr(b'\n', text),
            Self::Cr => memchr::memrchr(b'\r', text),
            Self::Any => memchr::memrchr2(b'\n', b'\r', text),
        }
    }

    /// A byte that ends records.
    const fn byte(self) -> u8 {
        match self {
            Self::Lf | Self::Any => b'\n',
            Self::Cr => b'\r',
        }
    }
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

    /// A quoted field; `mixed` as in [`Field::is_mixed`].
    pub(crate) const fn quoted(start: usize, end: usize, mixed: bool) -> Self {
        Self { start: start as u32, bits: (end - start) as u32 | QUOTED | if mixed { MIXED } else { 0 } }
    }

    /// Whether the record ended before this field.
    pub const fn is_absent(self) -> bool {
        self.start == MISSING
    }

    /// Whether it was quoted, which tells an empty text from no value.
    pub const fn is_quoted(self) -> bool {
        self.bits & QUOTED != 0
    }

    /// Whether its bytes hold quotes that are not part of its value; then see [`Quoting::unquote`].
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
        if !field.is_mixed() {
            return Cow::Borrowed(raw);
        }
        let mut value = Vec::with_capacity(raw.len());
        self.quoting.unquote(raw, &mut value);
        Cow::Owned(value)
    }

    /// Finds the fields of the record at `start`; `at_end` says that nothing follows the text. On [`Scan::Cut`],
    /// `fields` is as before. What quotes were met in odd places is noted in `odd`.
    pub fn scan(&self, text: &[u8], start: usize, at_end: bool, fields: &mut Vec<Field>, odd: &mut Oddities) -> Scan {
        let newline = self.newline;
        let delimiter = self.delimiter.unwrap_or(newline.byte());
        let parted = Parted { text, at_end, delimiter, newline, quoting: self.quoting };
        let before = fields.len();
        let mut at = start;
        loop {
            let quoted = if text.get(at) == Some(&self.quoting.mark) {
                parted.quoted(at + 1, fields.len() - before, odd)
            } else {
                Quoted::Literal
            };
            match quoted {
                Quoted::Closed(field, end) => {
                    fields.push(field);
                    at = end;
                }
                Quoted::Literal => {
                    let end = find(text, at, delimiter, newline);
                    if end == text.len() && !at_end {
                        fields.truncate(before);
                        return Scan::Cut;
                    }
                    let mut field_end = end;
                    if text.get(end).is_none_or(|b| newline.ends(*b)) && end > at && text[end - 1] == b'\r' {
                        field_end -= 1;
                    }
                    fields.push(Field::plain(at, field_end));
                    at = end;
                }
                Quoted::Cut => {
                    fields.truncate(before);
                    return Scan::Cut;
                }
            }
            if at == text.len() {
                return Scan::Record(at);
            }
            if newline.ends(text[at]) {
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

/// Where the next record starts: CR LF is one end.
fn after_newline(newline: Newline, text: &[u8], at: usize, at_end: bool) -> Option<usize> {
    match newline {
        Newline::Lf => Some(at),
        Newline::Any if text[at - 1] == b'\n' => Some(at),
        Newline::Cr | Newline::Any => match text.get(at) {
            Some(b'\n') => Some(at + 1),
            Some(_) => Some(at),
            None => at_end.then_some(at),
        },
    }
}

/// The first delimiter or newline from `at` on, or the end of the text. Most fields are short: a word or two are
/// looked at without a call.
#[inline]
fn find(text: &[u8], at: usize, delimiter: u8, newline: Newline) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    if newline == Newline::Any {
        return memchr::memchr3(delimiter, b'\n', b'\r', &text[at..]).map_or(text.len(), |found| at + found);
    }
    let newline = newline.byte();
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
