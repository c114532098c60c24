//! The text of a JSON file in blocks: values and lines out of it, and where in the file something is.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::{ErrorCode, Failure, limits};

use crate::convert::Observer;
use crate::fault::failure_of;
use crate::readers::json::tape::{Flaw, Scan, Tape};
use crate::registry::{Request, open_text};
use crate::text::encoding::{Damage, Decided, TextReader};

/// Bytes of text that are read at a time.
const BLOCK_BYTES: usize = 512 << 10;

/// See the module.
pub struct Feed<'a> {
    reader: TextReader,
    consumed: Arc<AtomicU64>,
    observer: &'a dyn Observer,
    /// Text that was read and not yet let go.
    pub text: Vec<u8>,
    /// Where in it reading goes on.
    pub at: usize,
    ended: bool,
    /// Records read, for whoever watches.
    pub records: u64,
    /// Bytes of text before `text`.
    before: u64,
    /// Lines that end before `text`, and where the last of them ends.
    lines: u64,
    line_start: u64,
}

impl<'a> Feed<'a> {
    /// The text of the request's source from its start.
    pub fn open(request: &Request<'a>, decided: Decided) -> Result<Self, Failure> {
        let (reader, consumed) = open_text(request, decided)?;
        Ok(Self {
            reader,
            consumed,
            observer: request.observer,
            text: Vec::with_capacity(BLOCK_BYTES + 4096),
            at: 0,
            ended: false,
            records: 0,
            before: 0,
            lines: 0,
            line_start: 0,
        })
    }

    /// What had to be replaced so far.
    pub const fn damage(&self) -> Damage {
        self.reader.damage()
    }

    /// Lets go what was read and reads more; nothing more comes once it returns false.
    fn more(&mut self) -> Result<bool, Failure> {
        if self.observer.cancelled() {
            return Err(Failure::new(ErrorCode::JobCancelled, "The job was cancelled while the file was read."));
        }
        if self.ended {
            return Ok(false);
        }
        let gone = &self.text[..self.at];
        self.lines += memchr::memchr_iter(b'\n', gone).count() as u64;
        if let Some(last) = memchr::memrchr(b'\n', gone) {
            self.line_start = self.before + last as u64 + 1;
        }
        self.before += self.at as u64;
        self.text.drain(..self.at);
        self.at = 0;
        if self.text.len() > limits::RECORD_BYTES {
            let (line, _) = self.place(0);
            let detail = format!("The record that begins in line {line} has more than {} bytes.", limits::RECORD_BYTES);
            return Err(Failure::new(ErrorCode::LimitExceeded, detail));
        }
        // A record longer than the block needs a longer block; doubling keeps the work linear.
        let want = self.text.len().clamp(BLOCK_BYTES, 16 << 20);
        self.ended = !self.reader.fill(&mut self.text, want).map_err(|e| failure_of(e, "Reading the file"))?;
        self.observer.progress(self.records, self.consumed.load(Ordering::Relaxed));
        Ok(true)
    }

    /// Line and byte in the line (both 1-based) of a byte of `text`.
    fn place(&self, at: usize) -> (u64, u64) {
        let before = &self.text[..at.min(self.text.len())];
        let line = self.lines + memchr::memchr_iter(b'\n', before).count() as u64 + 1;
        let start = memchr::memrchr(b'\n', before).map_or(self.line_start, |last| self.before + last as u64 + 1);
        (line, self.before + at as u64 - start + 1)
    }

    /// The failure that a flaw is; its place counts from `start` in `text`.
    pub fn refuse(&self, start: usize, flaw: Flaw) -> Failure {
        let (line, byte) = self.place(start + flaw.at);
        let place = format!("line {line}, byte {byte} of the line");
        if flaw.limit {
            let detail = format!(
                "At {place}, {} (at most {} levels, {} values in a record, {} bytes in a string).",
                flaw.why,
                limits::JSON_DEPTH,
                limits::JSON_TOKENS,
                limits::CELL_BYTES
            );
            return Failure::new(ErrorCode::LimitExceeded, detail);
        }
        Failure::new(ErrorCode::ParseError, format!("The text is not valid JSON at {place}: {}.", flaw.why))
    }

    /// The failure of something wrong right here.
    pub fn refuse_here(&self, why: &'static str) -> Failure {
        self.refuse(self.at, Flaw { at: 0, why, limit: false })
    }

    /// The next byte that is no blank; none at the end.
    pub fn peek(&mut self) -> Result<Option<u8>, Failure> {
        loop {
            while let Some(byte) = self.text.get(self.at) {
                if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                    return Ok(Some(*byte));
                }
                self.at += 1;
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    /// The value that begins here: where its text stands. Without `keep` it is only checked, in bounded memory.
    pub fn value(&mut self, tape: &mut Tape, keep: bool) -> Result<Range<usize>, Failure> {
        tape.begin(keep);
        loop {
            let start = self.at;
            match tape.scan(&self.text[start..], self.ended) {
                Err(flaw) => return Err(self.refuse(start, flaw)),
                Ok(Scan::Whole(len)) => {
                    self.at = start + len;
                    return Ok(start..start + len);
                }
                Ok(Scan::Cut(_)) if self.ended => {
                    self.at = self.text.len();
                    return Err(self.refuse_here("the text ends in the middle of a value"));
                }
                Ok(Scan::Cut(_)) if keep => {
                    self.more()?;
                }
                Ok(Scan::Cut(looked_at)) => {
                    self.at = start + looked_at;
                    self.more()?;
                    tape.shift(looked_at);
                }
            }
        }
    }

    /// The next line without its end; none at the end of the text.
    pub fn line(&mut self) -> Result<Option<Range<usize>>, Failure> {
        let mut searched = 0;
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.text[self.at + searched..]) {
                let end = self.at + searched + found;
                let line = self.at..end;
                self.at = end + 1;
                return Ok(Some(line));
            }
            searched = self.text.len() - self.at;
            if !self.more()? {
                let line = self.at..self.text.len();
                self.at = self.text.len();
                return Ok((!line.is_empty()).then_some(line));
            }
        }
    }
}
