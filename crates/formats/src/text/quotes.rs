//! Quoted fields: where they end, and what becomes of quotes that stand where none should.
//!
//! RFC 4180 wants a closing quote to be followed by a delimiter or an end of record. Files written by hand or by naive
//! tools break that (`"O"Brien"`, `5,"oops`), and a splitter that takes the next best quote for the end swallows whole
//! rows. So a quote that cannot close is text; and where the quote that would close stands on a later line, the opening
//! one is taken for text too unless the lines do not fit the table without it. Every such record is told of.

use crate::text::records::{Field, Newline};

/// Which mark quotes fields, and how it is written inside of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoting {
    /// The mark around fields that hold a delimiter, a newline or itself. Doubled, it stands for itself.
    pub mark: u8,
    /// A mark that makes the quote after it text, as MySQL and many programs write it.
    pub escape: Option<u8>,
}

impl Quoting {
    /// Double quotes, doubled inside (RFC 4180).
    pub const DOUBLED: Self = Self { mark: b'"', escape: None };

    /// Appends the value of a [mixed](Field::is_mixed) field: `raw` is what stands between its outer quotes.
    pub fn unquote(self, raw: &[u8], out: &mut Vec<u8>) {
        let mut rest = raw;
        while let Some(at) = memchr::memchr2(self.mark, self.escape.unwrap_or(self.mark), rest) {
            let stands_for_next = match rest.get(at + 1) {
                Some(next) if rest[at] == self.mark => *next == self.mark,
                Some(next) => *next == self.mark || *next == rest[at],
                None => false,
            };
            out.extend_from_slice(&rest[..at]);
            out.push(rest[at + usize::from(stands_for_next)]);
            rest = &rest[at + 1 + usize::from(stands_for_next)..];
        }
        out.extend_from_slice(rest);
    }

    /// Whether the quote at `at` is escaped; the field's content starts at `start`.
    fn is_escaped(self, text: &[u8], start: usize, at: usize) -> bool {
        self.escape
            .is_some_and(|escape| text[start..at].iter().rev().take_while(|byte| **byte == escape).count() % 2 == 1)
    }
}

/// What a reader knows of the table when it judges quotes, and what quotes it met.
#[derive(Clone, Copy, Debug, Default)]
pub struct Oddities {
    /// Fields that a record of the table has; zero while that is unknown.
    pub width: usize,
    /// Whether a quote was met that neither opens nor closes a field.
    pub stray: bool,
    /// Whether the text ended inside a quoted field.
    pub unclosed: bool,
}

impl Oddities {
    /// Of a table of that width.
    pub fn of_width(width: usize) -> Self {
        Self { width, ..Self::default() }
    }
}

/// A text with the marks that part it.
#[derive(Clone, Copy)]
pub struct Parted<'a> {
    /// The text.
    pub text: &'a [u8],
    /// Whether nothing follows it.
    pub at_end: bool,
    /// Between fields.
    pub delimiter: u8,
    /// Between records.
    pub newline: Newline,
    /// Around fields.
    pub quoting: Quoting,
}

/// What a field that starts with a quote is.
pub enum Quoted {
    /// Quoted; its delimiter or newline stands there.
    Closed(Field, usize),
    /// The quote is text, and so is what follows it up to a delimiter or newline.
    Literal,
    /// The text ends before that is known.
    Cut,
}

/// A field whose opening quote was read.
struct Open<'a> {
    parted: Parted<'a>,
    /// Where its content starts.
    start: usize,
    /// Fields of its record before it.
    fields_before: usize,
    /// Whether a quote in it is written doubled, escaped or is a stray one.
    mixed: bool,
    /// Whether a stray quote was met.
    stray: bool,
    /// Up to where no newline stands in it, once a stray quote was met.
    on_line: usize,
    /// Whether it may go over lines all the same.
    over_lines: bool,
}

impl Parted<'_> {
    /// Finds the end of a quoted field whose content starts at `start`, after `fields_before` others in its record.
    pub fn quoted(self, start: usize, fields_before: usize, odd: &mut Oddities) -> Quoted {
        let mut open =
            Open { parted: self, start, fields_before, mixed: false, stray: false, on_line: start, over_lines: false };
        match open.end(odd.width) {
            Ended::Closed(close, next) => {
                odd.stray |= open.stray;
                let content = &self.text[start..close];
                let mixed =
                    open.mixed || self.quoting.escape.is_some_and(|mark| memchr::memchr(mark, content).is_some());
                Quoted::Closed(Field::quoted(start, close, mixed), next)
            }
            Ended::Unclosed => {
                odd.unclosed = true;
                Quoted::Closed(Field::quoted(start, self.text.len(), open.mixed), self.text.len())
            }
            Ended::Literal => {
                odd.stray = true;
                Quoted::Literal
            }
            Ended::Cut => Quoted::Cut,
        }
    }

    /// Where the delimiter or newline stands that ends a field closed before `after`; only blanks may come between.
    fn ends_at(self, after: usize) -> Follows {
        let rest = &self.text[after..];
        let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r') && !self.parts(**b)).count();
        match rest.get(blanks) {
            Some(byte) if self.parts(*byte) => Follows::End(after + blanks),
            Some(_) => Follows::Text,
            None if self.at_end => Follows::End(self.text.len()),
            None => Follows::Unknown,
        }
    }

    const fn parts(self, byte: u8) -> bool {
        byte == self.delimiter || self.newline.ends(byte)
    }

    /// Whether the first one or two whole lines of a text make records of that width where quotes are text; the first
    /// one has that many fields before it.
    fn lines_fit(self, lines: &[u8], fields_before: usize, width: usize) -> bool {
        let mut before = fields_before;
        lines.split(|byte| self.newline.ends(*byte)).filter(|line| !line.is_empty()).take(2).all(|line| {
            let delimiters =
                if self.newline.ends(self.delimiter) { 0 } else { memchr::memchr_iter(self.delimiter, line).count() };
            std::mem::take(&mut before) + delimiters + 1 == width
        })
    }
}

/// What follows a quote.
enum Follows {
    /// A delimiter or an end of record, there.
    End(usize),
    /// Something else.
    Text,
    /// The text ends too early to say.
    Unknown,
}

/// How a quoted field ended.
enum Ended {
    /// At a closing quote; its delimiter or newline stands there.
    Closed(usize, usize),
    /// With the text.
    Unclosed,
    /// It is no quoted field.
    Literal,
    /// The text ends before that is known.
    Cut,
}

impl Open<'_> {
    fn end(&mut self, width: usize) -> Ended {
        let Parted { text, at_end, quoting, .. } = self.parted;
        let mut at = self.start;
        loop {
            let Some(found) = memchr::memchr(quoting.mark, &text[at..]) else {
                return if at_end { self.without_end(width) } else { Ended::Cut };
            };
            let close = at + found;
            if quoting.is_escaped(text, self.start, close) {
                self.mixed = true;
                at = close + 1;
                continue;
            }
            if self.stray && close > self.start && self.parted.parts(text[close - 1]) {
                // Another field opens here, so this one was none.
                return Ended::Literal;
            }
            if text.get(close + 1) == Some(&quoting.mark) {
                self.mixed = true;
                at = close + 2;
                continue;
            }
            match self.parted.ends_at(close + 1) {
                Follows::Unknown => return Ended::Cut,
                Follows::End(next) if !self.stray || self.may_reach(close, width) => {
                    return Ended::Closed(close, next);
                }
                Follows::End(_) => return Ended::Literal,
                Follows::Text => {
                    self.stray = true;
                    self.mixed = true;
                    if !self.may_reach(close, width) {
                        return Ended::Literal;
                    }
                    at = close + 1;
                }
            }
        }
    }

    /// Whether a field with stray quotes may go on up to there: on its line it may, and over lines only where they do
    /// not fit the table otherwise.
    fn may_reach(&mut self, to: usize, width: usize) -> bool {
        let Parted { text, newline, .. } = self.parted;
        if self.over_lines || newline.find(&text[self.on_line..to]).is_none() {
            self.on_line = to;
            return true;
        }
        // Only lines that are whole before `to` are judged, so that it does not matter where a block was cut.
        let whole = newline.rfind(&text[self.start..to]).map_or(self.start, |at| self.start + at);
        let lines = &text[self.start..whole];
        self.over_lines = width > 0 && !self.parted.lines_fit(lines, self.fields_before, width);
        self.over_lines
    }

    /// No quote closes it in the rest of the file.
    fn without_end(&self, width: usize) -> Ended {
        let rest = &self.parted.text[self.start..];
        let goes_on = self.parted.newline.find(rest.trim_ascii_end()).is_some();
        if self.stray || (width > 0 && goes_on && self.parted.lines_fit(rest, self.fields_before, width)) {
            Ended::Literal
        } else {
            Ended::Unclosed
        }
    }
}
