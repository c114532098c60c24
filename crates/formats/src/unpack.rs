//! Wrappers: gzip in one or several members, inflated as it is read, with caps on size and ratio counted while inflating.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::{Compression, ErrorCode, Failure, limits};
use flate2::bufread::GzDecoder;

use crate::fault::{bug, carry};

/// How far a wrapper may inflate.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Bytes in all.
    pub bytes: u64,
    /// Inflated bytes per byte read from the wrapper.
    pub ratio: u64,
    /// Inflated bytes below which the ratio is not judged.
    pub ratio_floor: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self { bytes: limits::INFLATED_BYTES, ratio: limits::INFLATE_RATIO, ratio_floor: limits::INFLATE_RATIO_FLOOR }
    }
}

/// A reader of the content of a wrapper, and the count of bytes read from the wrapper so far.
///
/// Errors of the raw reader pass through as the world's fault; a broken stream, trailing garbage or a passed cap
/// arrives as an I/O error that carries the [`Failure`].
pub fn unpacked(
    raw: Box<dyn Read + Send>,
    compression: Compression,
    caps: Caps,
) -> Result<(Box<dyn Read + Send>, Arc<AtomicU64>), Failure> {
    let count = Arc::new(AtomicU64::new(0));
    let counted = Counted { inner: raw, count: Arc::clone(&count) };
    let reader: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(counted),
        Compression::Gz => Box::new(Gunzip::new(counted, caps)),
        Compression::Zip | Compression::Bz2 => return Err(bug(format!("no unpacker for {compression}"))),
    };
    Ok((reader, count))
}

/// Counts bytes and marks errors as the world's.
struct Counted {
    inner: Box<dyn Read + Send>,
    count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buf) {
            Ok(n) => {
                self.count.fetch_add(n as u64, Ordering::Relaxed);
                Ok(n)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => Err(carry(crate::fault::failure_of(error, "Reading the file"))),
        }
    }
}

enum State {
    /// Inside a member.
    Member(Box<GzDecoder<BufReader<Counted>>>),
    /// Between members.
    Between(BufReader<Counted>),
    /// After the last member.
    End,
}

struct Gunzip {
    state: State,
    caps: Caps,
    packed: Arc<AtomicU64>,
    inflated: u64,
    members: u64,
}

impl Gunzip {
    fn new(raw: Counted, caps: Caps) -> Self {
        let packed = Arc::clone(&raw.count);
        let state = State::Between(BufReader::with_capacity(64 << 10, raw));
        Self { state, caps, packed, inflated: 0, members: 0 }
    }

    fn check_caps(&self) -> io::Result<()> {
        if self.inflated > self.caps.bytes {
            return Err(carry(Failure::new(
                ErrorCode::ZipBomb,
                format!("The gzip stream inflates to more than {} bytes.", self.caps.bytes),
            )));
        }
        let packed = self.packed.load(Ordering::Relaxed).max(1);
        if self.inflated > self.caps.ratio_floor && self.inflated / packed > self.caps.ratio {
            return Err(carry(Failure::new(
                ErrorCode::ZipBomb,
                format!("The gzip stream inflates to more than {} times its size.", self.caps.ratio),
            )));
        }
        Ok(())
    }

    /// Decides what follows a member: another one, padding, or garbage.
    fn next_member(&mut self, mut raw: BufReader<Counted>) -> io::Result<()> {
        if raw.fill_buf()?.is_empty() {
            if self.members == 0 {
                return Err(broken("it has no gzip header", 0));
            }
            self.state = State::End;
            return Ok(());
        }
        if self.members > 0 && raw.buffer()[0] == 0 {
            // Tape and block tools pad with zeros; anything else after them is garbage.
            loop {
                let block = raw.fill_buf()?;
                if block.is_empty() {
                    self.state = State::End;
                    return Ok(());
                }
                if block.iter().any(|b| *b != 0) {
                    return Err(broken("bytes that are not gzip follow its last member", self.inflated));
                }
                let n = block.len();
                raw.consume(n);
            }
        }
        if self.members > 0 && raw.buffer()[0] != 0x1f {
            return Err(broken("bytes that are not gzip follow its last member", self.inflated));
        }
        self.members += 1;
        self.state = State::Member(Box::new(GzDecoder::new(raw)));
        Ok(())
    }
}

impl Read for Gunzip {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::End) {
                State::End => return Ok(0),
                State::Between(raw) => self.next_member(raw)?,
                State::Member(mut decoder) => match decoder.read(buf) {
                    Ok(0) => self.state = State::Between(decoder.into_inner()),
                    Ok(n) => {
                        self.state = State::Member(decoder);
                        self.inflated += n as u64;
                        self.check_caps()?;
                        return Ok(n);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => self.state = State::Member(decoder),
                    Err(error) => return Err(explain(error, self.inflated)),
                },
            }
        }
    }
}

fn explain(error: io::Error, inflated: u64) -> io::Error {
    let kind = error.kind();
    match error.downcast::<Failure>() {
        Ok(failure) => carry(failure),
        Err(_) if kind == io::ErrorKind::UnexpectedEof => broken("it ends in the middle", inflated),
        Err(error) => broken(&error.to_string(), inflated),
    }
}

fn broken(why: &str, inflated: u64) -> io::Error {
    carry(Failure::new(
        ErrorCode::ParseError,
        format!("The gzip stream is broken after {inflated} inflated bytes: {why}."),
    ))
}
