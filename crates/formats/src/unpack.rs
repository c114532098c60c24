//! Wrappers: gzip and bzip2 in one or several members, a zip archive's one file; inflated as they are read, with caps on size
//! and ratio counted while inflating.

mod archive;
mod members;
mod spool;

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::{Compression, ErrorCode, Failure, limits};

use crate::fault::carry;

pub use archive::first_entry;
pub use members::head_of;
pub use spool::Spool;

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
/// arrives as an I/O error that carries the [`Failure`]. A zip archive is copied to a temporary file first, as what it
/// holds is told at its end.
pub fn unpacked(
    raw: Box<dyn Read + Send>,
    compression: Compression,
    caps: Caps,
) -> Result<(Box<dyn Read + Send>, Arc<AtomicU64>), Failure> {
    let count = Arc::new(AtomicU64::new(0));
    let counted = Counted { inner: raw, count: Arc::clone(&count) };
    let reader: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(counted),
        Compression::Gz | Compression::Bz2 => Box::new(members::Members::new(counted, compression, caps)),
        Compression::Zip => return unzipped(&Arc::new(Spool::fill(Box::new(counted), &|| false)?), caps),
    };
    Ok((reader, count))
}

/// As [`unpacked`], of a zip archive that lies in a temporary file.
pub fn unzipped(spool: &Arc<Spool>, caps: Caps) -> Result<(Box<dyn Read + Send>, Arc<AtomicU64>), Failure> {
    let (reader, count) = archive::open(spool, caps)?;
    Ok((Box::new(reader), count))
}

/// Counts what a wrapper inflates to.
struct Meter {
    /// What it is called.
    what: &'static str,
    caps: Caps,
    packed: Arc<AtomicU64>,
    inflated: u64,
}

impl Meter {
    /// Some more bytes; fails once a cap is passed.
    fn add(&mut self, n: usize) -> io::Result<()> {
        self.inflated += n as u64;
        let Self { what, caps, .. } = self;
        if self.inflated > caps.bytes {
            let detail = format!("The {what} inflates to more than {} bytes.", caps.bytes);
            return Err(carry(Failure::new(ErrorCode::ZipBomb, detail)));
        }
        let packed = self.packed.load(Ordering::Relaxed).max(1);
        if self.inflated > caps.ratio_floor && self.inflated / packed > caps.ratio {
            let detail = format!("The {what} inflates to more than {} times its size.", caps.ratio);
            return Err(carry(Failure::new(ErrorCode::ZipBomb, detail)));
        }
        Ok(())
    }

    /// The failure that an error of the decoder means.
    fn explain(&self, error: io::Error) -> io::Error {
        let kind = error.kind();
        match error.downcast::<Failure>() {
            Ok(failure) => carry(failure),
            Err(_) if kind == io::ErrorKind::UnexpectedEof => self.broken("it ends in the middle"),
            Err(error) => self.broken(&error.to_string()),
        }
    }

    fn broken(&self, why: &str) -> io::Error {
        let detail = format!("The {} is broken after {} inflated bytes: {why}.", self.what, self.inflated);
        carry(Failure::new(ErrorCode::ParseError, detail))
    }
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
