//! The records of a JSON file, in order, whatever it is laid out like.

use domain::{ErrorCode, Failure};

use crate::places::Places;
use crate::readers::json::feed::Feed;
use crate::readers::json::string::unescape;
use crate::readers::json::tape::{Flaw, Scan, Tape};

/// Where the records stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One in each line.
    Lines,
    /// Objects one after another.
    Values,
    /// The items of the one list.
    Array,
    /// The document is the one record.
    One,
    /// Under these paths of the one object; each is a table.
    Tables(Vec<Vec<Vec<u8>>>),
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// With the next record.
    More,
    /// With the next table.
    Enough,
    /// Not at all.
    Stop,
}

/// Takes the records.
pub trait Visitor {
    /// A table begins; `Enough` when its records are not wanted.
    fn begin(&mut self, table: usize) -> Result<Flow, Failure>;
    /// A record of it.
    fn record(&mut self, table: usize, text: &[u8], tape: &Tape) -> Result<Flow, Failure>;
    /// The table ends.
    fn end(&mut self, table: usize) -> Result<(), Failure>;
}

/// What was passed over.
#[derive(Debug, Default)]
pub struct Passed {
    /// Lines that hold no record, by number.
    pub bad: Places,
    /// Values beside the tables.
    pub beside: u64,
}

/// The walker stopped early, or failed.
enum Stopped {
    Early,
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Walks through the records.
pub fn walk(feed: &mut Feed<'_>, layout: &Layout, visitor: &mut dyn Visitor) -> Result<Passed, Failure> {
    let mut walker = Walker { feed, tape: Tape::new(), visitor, passed: Passed::default() };
    let end = match layout {
        Layout::Lines => walker.lines(),
        Layout::Values => walker.values(),
        Layout::Array => walker.array(0).and_then(|()| Ok(walker.at_end()?)),
        Layout::One => walker.one(0).and_then(|()| Ok(walker.at_end()?)),
        Layout::Tables(paths) => walker.document(paths),
    };
    match end {
        Ok(()) | Err(Stopped::Early) => Ok(walker.passed),
        Err(Stopped::Failed(failure)) => Err(failure),
    }
}

struct Walker<'a, 'b> {
    feed: &'a mut Feed<'b>,
    tape: Tape,
    visitor: &'a mut dyn Visitor,
    passed: Passed,
}

impl Walker<'_, '_> {
    fn lines(&mut self) -> Result<(), Stopped> {
        let mut flow = self.visitor.begin(0)?;
        let (mut number, mut first) = (0_u64, None);
        while let Some(line) = self.feed.line()? {
            number += 1;
            let text = self.feed.text[line.clone()].trim_ascii();
            if text.is_empty() {
                continue;
            }
            match scan_line(&mut self.tape, text) {
                Ok(()) => {
                    self.feed.records += 1;
                    if flow == Flow::More {
                        flow = self.visitor.record(0, text, &self.tape)?;
                    }
                    if flow == Flow::Stop {
                        return Err(Stopped::Early);
                    }
                }
                Err(wrong) if wrong.limit => return Err(self.feed.refuse(line.start, wrong).into()),
                Err(wrong) => {
                    self.passed.bad.add(number);
                    first.get_or_insert_with(|| self.feed.refuse(line.start, wrong).detail);
                }
            }
        }
        if self.feed.records + self.passed.bad.count() == 0 {
            return Err(Failure::new(ErrorCode::EmptyFile, "The file holds nothing but blanks.").into());
        }
        // A few broken lines among many are left out and counted; where they are many, the file is something else.
        if let Some(first) = first
            && self.passed.bad.count() * 100 > self.feed.records + self.passed.bad.count()
        {
            let n = self.passed.bad.count();
            let all = self.feed.records + n;
            let detail = format!(
                "{n} of {all} lines hold no record, which is more than one in a hundred. {first} A file \
                 that is one document, not a record in each line, is read with file_format=json."
            );
            return Err(Failure::new(ErrorCode::ParseError, detail).into());
        }
        Ok(self.visitor.end(0)?)
    }

    fn values(&mut self) -> Result<(), Stopped> {
        let mut flow = self.visitor.begin(0)?;
        while let Some(byte) = self.feed.peek()? {
            if byte != b'{' {
                return Err(self.feed.refuse_here("an object is expected after the objects before it").into());
            }
            flow = self.next(0, flow)?;
        }
        Ok(self.visitor.end(0)?)
    }

    /// One record, read when the flow says so.
    fn next(&mut self, table: usize, flow: Flow) -> Result<Flow, Stopped> {
        let range = self.feed.value(&mut self.tape, flow == Flow::More)?;
        if flow != Flow::More {
            return Ok(flow);
        }
        self.feed.records += 1;
        match self.visitor.record(table, &self.feed.text[range], &self.tape)? {
            Flow::Stop => Err(Stopped::Early),
            flow => Ok(flow),
        }
    }

    fn one(&mut self, table: usize) -> Result<(), Stopped> {
        let flow = self.visitor.begin(table)?;
        self.feed.peek()?;
        self.next(table, flow)?;
        Ok(self.visitor.end(table)?)
    }

    fn array(&mut self, table: usize) -> Result<(), Stopped> {
        let mut flow = self.visitor.begin(table)?;
        self.feed.peek()?;
        self.feed.at += 1;
        let mut first = true;
        while next_item(self.feed, first)? {
            flow = self.next(table, flow)?;
            first = false;
        }
        Ok(self.visitor.end(table)?)
    }

    fn at_end(&mut self) -> Result<(), Failure> {
        match self.feed.peek()? {
            None => Ok(()),
            Some(_) => Err(self.feed.refuse_here("more text follows the end of the document")),
        }
    }

    fn document(&mut self, paths: &[Vec<Vec<u8>>]) -> Result<(), Stopped> {
        let mut seen = vec![false; paths.len()];
        if self.feed.peek()? == Some(b'{') {
            self.object(&mut Vec::new(), paths, &mut seen)?;
        } else {
            self.feed.value(&mut self.tape, false)?;
        }
        self.at_end()?;
        match seen.iter().position(|seen| !seen) {
            None => Ok(()),
            Some(missing) => {
                let detail = format!("The document has nothing at the path '{}'.", shown(&paths[missing]));
                Err(Failure::new(ErrorCode::ParseError, detail).into())
            }
        }
    }

    fn object(&mut self, path: &mut Vec<Vec<u8>>, paths: &[Vec<Vec<u8>>], seen: &mut [bool]) -> Result<(), Stopped> {
        self.feed.at += 1;
        let mut first = true;
        while let Some(key) = next_key(self.feed, &mut self.tape, first)? {
            first = false;
            path.push(key);
            let byte = self.feed.peek()?;
            if let Some(table) = paths.iter().position(|p| p == path) {
                if std::mem::replace(&mut seen[table], true) {
                    let detail = format!("The document has the key '{}' more than once.", shown(path));
                    return Err(Failure::new(ErrorCode::ParseError, detail).into());
                }
                if byte == Some(b'[') { self.array(table)? } else { self.one(table)? }
            } else if byte == Some(b'{') && paths.iter().any(|p| p.starts_with(path)) {
                self.object(path, paths, seen)?;
            } else {
                self.feed.value(&mut self.tape, false)?;
                self.passed.beside += 1;
            }
            path.pop();
        }
        Ok(())
    }
}

/// A path as people write it.
pub fn shown(path: &[Vec<u8>]) -> String {
    path.iter().map(|key| String::from_utf8_lossy(key)).collect::<Vec<_>>().join(".")
}

/// Comma and blanks before the next item of a list; false at its end.
pub fn next_item(feed: &mut Feed<'_>, first: bool) -> Result<bool, Failure> {
    match feed.peek()? {
        Some(b']') => {
            feed.at += 1;
            return Ok(false);
        }
        _ if first => return Ok(true),
        Some(b',') => feed.at += 1,
        _ => return Err(feed.refuse_here("a comma or the end of the list is expected")),
    }
    match feed.peek()? {
        Some(b']') => Err(feed.refuse_here("a value is expected after a comma")),
        _ => Ok(true),
    }
}

/// Comma, key and colon before the next value of an object: the key; none at the object's end.
pub fn next_key(feed: &mut Feed<'_>, tape: &mut Tape, first: bool) -> Result<Option<Vec<u8>>, Failure> {
    match feed.peek()? {
        Some(b'}') => {
            feed.at += 1;
            return Ok(None);
        }
        Some(b',') if !first => {
            feed.at += 1;
            feed.peek()?;
        }
        _ if first => {}
        _ => return Err(feed.refuse_here("a comma or the end of the object is expected")),
    }
    if feed.text.get(feed.at) != Some(&b'"') {
        return Err(feed.refuse_here("a key in double quotes is expected"));
    }
    let range = feed.value(tape, true)?;
    let text = &feed.text[range];
    let mut key = Vec::new();
    unescape(&text[1..text.len() - 1], &mut key);
    if feed.peek()? != Some(b':') {
        return Err(feed.refuse_here("a colon is expected after a key"));
    }
    feed.at += 1;
    Ok(Some(key))
}

/// The one value of a line.
fn scan_line(tape: &mut Tape, text: &[u8]) -> Result<(), Flaw> {
    tape.begin(true);
    match tape.scan(text, true)? {
        Scan::Whole(len) if text[len..].trim_ascii().is_empty() => Ok(()),
        Scan::Whole(at) => Err(Flaw { at, why: "more text follows the value of the line", limit: false }),
        Scan::Cut(at) => Err(Flaw { at, why: "the line ends in the middle of a value", limit: false }),
    }
}
