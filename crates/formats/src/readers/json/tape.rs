//! JSON text to a flat list of tokens: the grammar of RFC 8259 and nothing beside it, checked before any value is used.
//!
//! A value may arrive in pieces: [`Tape::scan`] stops before a token that the text cuts and goes on when there is more, so a
//! value of any size costs one look at each byte. Depth and number of tokens are bounded.

use domain::limits;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number as written.
    Number,
    /// A string without escapes, or a key without.
    Plain,
    /// A string with escapes, or a key with some.
    Escaped,
    /// A list; its items follow.
    List,
    /// An object; its keys and values follow by turns.
    Object,
}

/// A token: where it stands in the text, quotes and brackets included.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
    /// The token after it and all that is inside it.
    pub next: u32,
}

impl Token {
    /// Its bytes.
    pub fn raw<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..self.end as usize]
    }

    /// The bytes between a string's quotes.
    pub fn inside<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize + 1..self.end as usize - 1]
    }
}

/// Why text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where, in bytes from the start of the value.
    pub at: usize,
    /// What is wrong there.
    pub why: &'static str,
    /// Whether it is a bound that is passed, not the grammar.
    pub limit: bool,
}

/// What came of scanning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// A whole value; it ends before that byte.
    Whole(usize),
    /// The text ends before the value does; so far was looked at.
    Cut(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Value,
    FirstItem,
    FirstKey,
    Key,
    Colon,
    Comma,
}

/// Tokens of one value.
#[derive(Debug)]
pub struct Tape {
    tokens: Vec<Token>,
    /// Open containers: their token (when kept) and whether they are objects.
    open: Vec<(u32, bool)>,
    want: Want,
    keep: bool,
    /// How far the text was looked at.
    at: usize,
}

/// A number, literal or string that the text cuts.
struct CutHere;

type Found<T> = Result<Result<T, CutHere>, Flaw>;

const fn flaw(at: usize, why: &'static str) -> Flaw {
    Flaw { at, why, limit: false }
}

impl Tape {
    /// No tokens yet.
    pub const fn new() -> Self {
        Self { tokens: Vec::new(), open: Vec::new(), want: Want::Value, keep: true, at: 0 }
    }

    /// Begins a value. With `keep` false its tokens are only checked, and the text before what was looked at may go.
    pub fn begin(&mut self, keep: bool) {
        self.tokens.clear();
        self.open.clear();
        self.want = Want::Value;
        self.keep = keep;
        self.at = 0;
    }

    /// The tokens of the value, which is the first of them.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The text before `self` was looked at has gone: that many bytes of it.
    pub fn shift(&mut self, gone: usize) {
        self.at -= gone;
    }

    /// Goes on in the text of the value; `at_end` says that nothing follows it.
    pub fn scan(&mut self, text: &[u8], at_end: bool) -> Result<Scan, Flaw> {
        let mut at = self.at;
        loop {
            while matches!(text.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
                at += 1;
            }
            let Some(byte) = text.get(at).copied() else {
                self.at = at;
                return Ok(Scan::Cut(at));
            };
            let found = match self.want {
                Want::FirstItem if byte == b']' => Ok(self.close(at)),
                Want::FirstItem | Want::Value => self.value(text, at, byte, at_end)?,
                Want::FirstKey if byte == b'}' => Ok(self.close(at)),
                Want::FirstKey | Want::Key => self.key(text, at, byte)?,
                Want::Colon if byte == b':' => {
                    self.want = Want::Value;
                    Ok(at + 1)
                }
                Want::Colon => return Err(flaw(at, "a colon is expected after a key")),
                Want::Comma => Ok(self.comma(at, byte)?),
            };
            let Ok(next) = found else {
                self.at = at;
                return Ok(Scan::Cut(at));
            };
            at = next;
            if self.open.is_empty() && self.want == Want::Comma {
                self.at = at;
                return Ok(Scan::Whole(at));
            }
        }
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) -> Result<(), Flaw> {
        if !self.keep {
            return Ok(());
        }
        if end - start > limits::CELL_BYTES {
            return Err(Flaw { at: start, why: "a string or number is longer than a cell may be", limit: true });
        }
        if self.tokens.len() >= limits::JSON_TOKENS {
            return Err(Flaw { at: start, why: "the record has more values than a record may have", limit: true });
        }
        let next = self.tokens.len() as u32 + 1;
        self.tokens.push(Token { kind, start: start as u32, end: end as u32, next });
        Ok(())
    }

    fn value(&mut self, text: &[u8], at: usize, byte: u8, at_end: bool) -> Found<usize> {
        let (kind, end) = match byte {
            b'"' => match string(text, at)? {
                Ok((end, escaped)) => (if escaped { Kind::Escaped } else { Kind::Plain }, end),
                Err(cut) => return Ok(Err(cut)),
            },
            b'{' | b'[' => return self.begin_container(at, byte == b'{').map(Ok),
            b'-' | b'0'..=b'9' => match number(text, at, at_end)? {
                Ok(end) => (Kind::Number, end),
                Err(cut) => return Ok(Err(cut)),
            },
            b't' | b'f' | b'n' => match literal(text, at, byte)? {
                Ok(found) => found,
                Err(cut) => return Ok(Err(cut)),
            },
            _ => return Err(flaw(at, "a value is expected")),
        };
        self.push(kind, at, end)?;
        self.want = Want::Comma;
        Ok(Ok(end))
    }

    fn key(&mut self, text: &[u8], at: usize, byte: u8) -> Found<usize> {
        if byte != b'"' {
            return Err(flaw(at, "a key in double quotes is expected"));
        }
        let (end, escaped) = match string(text, at)? {
            Ok(found) => found,
            Err(cut) => return Ok(Err(cut)),
        };
        self.push(if escaped { Kind::Escaped } else { Kind::Plain }, at, end)?;
        self.want = Want::Colon;
        Ok(Ok(end))
    }

    fn begin_container(&mut self, at: usize, is_object: bool) -> Result<usize, Flaw> {
        if self.open.len() >= limits::JSON_DEPTH {
            return Err(Flaw { at, why: "values are nested deeper than allowed", limit: true });
        }
        self.open.push((self.tokens.len() as u32, is_object));
        self.push(if is_object { Kind::Object } else { Kind::List }, at, at + 1)?;
        self.want = if is_object { Want::FirstKey } else { Want::FirstItem };
        Ok(at + 1)
    }

    fn comma(&mut self, at: usize, byte: u8) -> Result<usize, Flaw> {
        let is_object = self.open.last().is_some_and(|(_, is_object)| *is_object);
        match byte {
            b',' => {
                self.want = if is_object { Want::Key } else { Want::Value };
                Ok(at + 1)
            }
            b'}' if is_object => Ok(self.close(at)),
            b']' if !is_object => Ok(self.close(at)),
            _ if is_object => Err(flaw(at, "a comma or the end of the object is expected")),
            _ => Err(flaw(at, "a comma or the end of the list is expected")),
        }
    }

    fn close(&mut self, at: usize) -> usize {
        if let Some((index, _)) = self.open.pop()
            && self.keep
        {
            let next = self.tokens.len() as u32;
            let token = &mut self.tokens[index as usize];
            token.end = at as u32 + 1;
            token.next = next;
        }
        self.want = Want::Comma;
        at + 1
    }
}

fn literal(text: &[u8], at: usize, byte: u8) -> Found<(Kind, usize)> {
    let (word, kind): (&[u8], _) = match byte {
        b't' => (b"true", Kind::True),
        b'f' => (b"false", Kind::False),
        _ => (b"null", Kind::Null),
    };
    let there = &text[at..text.len().min(at + word.len())];
    if there == word {
        Ok(Ok((kind, at + word.len())))
    } else if word.starts_with(there) {
        Ok(Err(CutHere))
    } else {
        Err(flaw(at, "a value is expected"))
    }
}

/// The end of a number. What follows it is for the next state to judge.
fn number(text: &[u8], start: usize, at_end: bool) -> Found<usize> {
    let digits = |from: usize| from + text[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let bad = |at: usize, why| if at == text.len() && !at_end { Ok(Err(CutHere)) } else { Err(flaw(at, why)) };
    let first = start + usize::from(text[start] == b'-');
    let mut at = digits(first);
    if at == first {
        return bad(at, "a digit is expected after the minus sign");
    }
    if text[first] == b'0' && at > first + 1 {
        return Err(flaw(first, "a number has a leading zero; codes belong into double quotes"));
    }
    if text.get(at) == Some(&b'.') {
        let fraction = at + 1;
        at = digits(fraction);
        if at == fraction {
            return bad(at, "a digit is expected after the decimal point");
        }
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let exponent = at + 1 + usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        if exponent > text.len() {
            return bad(text.len(), "a digit is expected in the exponent");
        }
        at = digits(exponent);
        if at == exponent {
            return bad(at, "a digit is expected in the exponent");
        }
    }
    Ok(if at == text.len() && !at_end { Err(CutHere) } else { Ok(at) })
}

/// The end of a string that opens at `start`, and whether it has escapes.
fn string(text: &[u8], start: usize) -> Found<(usize, bool)> {
    let mut at = start + 1;
    let mut escaped = false;
    loop {
        at = special(text, at);
        match text.get(at) {
            Some(b'"') => return Ok(Ok((at + 1, escaped))),
            Some(b'\\') => {
                escaped = true;
                match escape(text, at)? {
                    Ok(end) => at = end,
                    Err(cut) => return Ok(Err(cut)),
                }
            }
            Some(_) => return Err(flaw(at, "a control character stands in a string; it must be escaped")),
            None => return Ok(Err(CutHere)),
        }
    }
}

fn escape(text: &[u8], at: usize) -> Found<usize> {
    match text.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(Ok(at + 2)),
        Some(b'u') => {
            let hex = &text[at + 2..text.len().min(at + 6)];
            if !hex.iter().all(u8::is_ascii_hexdigit) {
                return Err(flaw(at, "four hexadecimal digits are expected after \\u"));
            }
            Ok(if hex.len() == 4 { Ok(at + 6) } else { Err(CutHere) })
        }
        Some(_) => Err(flaw(at, "a backslash begins no known escape")),
        None => Ok(Err(CutHere)),
    }
}

/// The first quote, backslash or control character from `at` on, or the end.
#[inline]
fn special(text: &[u8], at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut from = at;
    while let Some(word) = text.get(from..from + 8).and_then(|w| w.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*word);
        let (quotes, slashes) = (word ^ (ONES * 0x22), word ^ (ONES * 0x5c));
        // Each term marks its bytes exactly up to the lowest hit, which is the only one that is used.
        let zero = |w: u64| w.wrapping_sub(ONES) & !w;
        let hits = (zero(quotes) | zero(slashes) | (word.wrapping_sub(ONES * 0x20) & !word)) & HIGHS;
        if hits != 0 {
            return from + (hits.trailing_zeros() / 8) as usize;
        }
        from += 8;
    }
    from + text[from..].iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f)).unwrap_or(text.len() - from)
}
