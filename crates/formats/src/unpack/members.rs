//! Streams of members that follow each other: gzip and bzip2.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use bzip2::bufread::BzDecoder;
use domain::Compression;
use flate2::bufread::GzDecoder;

use super::{Caps, Counted, Meter};

type Raw = BufReader<Counted>;

enum State {
    /// Inside a member.
    Gz(Box<GzDecoder<Raw>>),
    /// Inside a member.
    Bz2(Box<BzDecoder<Raw>>),
    /// Between members.
    Between(Raw),
    /// After the last member.
    End,
}

/// The content of all members.
pub struct Members {
    state: State,
    compression: Compression,
    meter: Meter,
    begun: u64,
}

impl Members {
    /// Before the first member.
    pub fn new(raw: Counted, compression: Compression, caps: Caps) -> Self {
        let what = if compression == Compression::Bz2 { "bzip2 stream" } else { "gzip stream" };
        let meter = Meter { what, caps, packed: Arc::clone(&raw.count), inflated: 0 };
        Self { state: State::Between(BufReader::with_capacity(64 << 10, raw)), compression, meter, begun: 0 }
    }

    /// Decides what follows a member: another one, padding, or garbage.
    fn next_member(&mut self, mut raw: Raw) -> io::Result<()> {
        const GARBAGE: &str = "other bytes follow its last member";
        if raw.fill_buf()?.is_empty() {
            if self.begun == 0 {
                return Err(self.meter.broken("it has no header"));
            }
            self.state = State::End;
            return Ok(());
        }
        if self.begun > 0 && raw.buffer()[0] == 0 {
            // Tape and block tools pad with zeros; anything else after them is garbage.
            loop {
                let block = raw.fill_buf()?;
                if block.is_empty() {
                    self.state = State::End;
                    return Ok(());
                }
                if block.iter().any(|b| *b != 0) {
                    return Err(self.meter.broken(GARBAGE));
                }
                let n = block.len();
                raw.consume(n);
            }
        }
        let is_bz2 = self.compression == Compression::Bz2;
        if self.begun > 0 && raw.buffer()[0] != if is_bz2 { b'B' } else { 0x1f } {
            return Err(self.meter.broken(GARBAGE));
        }
        self.begun += 1;
        self.state =
            if is_bz2 { State::Bz2(Box::new(BzDecoder::new(raw))) } else { State::Gz(Box::new(GzDecoder::new(raw))) };
        Ok(())
    }

    /// Keeps a decoder unless its member has ended.
    fn keep(&mut self, read: io::Result<usize>, state: State) -> io::Result<usize> {
        match (read, state) {
            (Ok(0), State::Gz(decoder)) => self.state = State::Between(decoder.into_inner()),
            (Ok(0), State::Bz2(decoder)) => self.state = State::Between(decoder.into_inner()),
            (Ok(n), state) => {
                self.state = state;
                self.meter.add(n)?;
                return Ok(n);
            }
            (Err(error), state) if error.kind() == io::ErrorKind::Interrupted => self.state = state,
            (Err(error), _) => return Err(self.meter.explain(error)),
        }
        Ok(0)
    }
}

impl Read for Members {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            let n = match std::mem::replace(&mut self.state, State::End) {
                State::End => return Ok(0),
                State::Between(raw) => {
                    self.next_member(raw)?;
                    continue;
                }
                State::Gz(mut decoder) => {
                    let read = decoder.read(buf);
                    self.keep(read, State::Gz(decoder))?
                }
                State::Bz2(mut decoder) => {
                    let read = decoder.read(buf);
                    self.keep(read, State::Bz2(decoder))?
                }
            };
            if n > 0 {
                return Ok(n);
            }
        }
    }
}

/// What the beginning of a stream inflates to, at most `most` bytes: as far as it can be told, errors only end it.
pub fn head_of(head: &[u8], compression: Compression, most: usize) -> Vec<u8> {
    let decoder: Box<dyn Read + '_> = match compression {
        Compression::Gz => Box::new(GzDecoder::new(head)),
        Compression::Bz2 => Box::new(BzDecoder::new(head)),
        Compression::None | Compression::Zip => return Vec::new(),
    };
    read_what_can_be(decoder, most)
}

/// Reads until the end, an error or `most` bytes.
pub fn read_what_can_be(reader: impl Read, most: usize) -> Vec<u8> {
    let mut reader = reader.take(most as u64);
    let mut inner = Vec::new();
    let mut block = [0_u8; 8192];
    while let Ok(n @ 1..) = reader.read(&mut block) {
        inner.extend_from_slice(&block[..n]);
    }
    inner
}
