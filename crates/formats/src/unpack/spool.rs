//! A source in a temporary file, for formats that are read from their end.

use std::fs::File;
use std::io::{self, Read, Write};

use domain::{ErrorCode, Failure, limits};
use tempfile::NamedTempFile;

use crate::fault::failure_of;

/// Bytes that are copied at a time.
const BLOCK_BYTES: usize = 256 << 10;

/// A temporary file, removed once nobody holds it.
#[derive(Debug)]
pub struct Spool {
    file: NamedTempFile,
    len: u64,
}

impl Spool {
    /// Copies a reader to its end; `stop` is asked at every block.
    pub fn fill(mut raw: Box<dyn Read + Send + '_>, stop: &dyn Fn() -> bool) -> Result<Self, Failure> {
        let world = |e| failure_of(e, "Writing a temporary file");
        let mut file = NamedTempFile::new().map_err(world)?;
        let mut block = vec![0; BLOCK_BYTES];
        let mut len = 0_u64;
        loop {
            if stop() {
                return Err(Failure::new(ErrorCode::JobCancelled, "The job was cancelled while the file was read."));
            }
            match raw.read(&mut block) {
                Ok(0) => break,
                Ok(n) => {
                    len += n as u64;
                    if len > limits::INFLATED_BYTES {
                        let detail = format!("The file has more than {} bytes.", limits::INFLATED_BYTES);
                        return Err(Failure::new(ErrorCode::LimitExceeded, detail));
                    }
                    file.write_all(&block[..n]).map_err(world)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failure_of(error, "Reading the file")),
            }
        }
        file.flush().map_err(world)?;
        Ok(Self { file, len })
    }

    /// The file, to be read from its start.
    pub fn open(&self) -> Result<File, Failure> {
        self.file.reopen().map_err(|e| failure_of(e, "Opening a temporary file"))
    }

    /// Its bytes.
    pub const fn len(&self) -> u64 {
        self.len
    }
}
