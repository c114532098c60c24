//! JSON documents and JSON lines: learn the layout, propose types from the first records, read once while writing and
//! counting what every value is, and read the tables a second time whose later values contradicted what was proposed.
//!
//! A record's tokens are checked before any value is used. Records stream: memory is bounded by the longest of them.

mod feed;
mod layout;
mod out;
mod pass;
mod place;
mod report;
mod scalar;
mod seen;
mod string;
mod table;
mod tape;
mod walk;

use std::io::Read;

use domain::{ErrorCode, Failure};

use crate::convert::{SectionOutput, Sink};
use crate::fault::{bug, failure_of};
use crate::registry::{Request, open};
use crate::text::encoding::{Decided, decide};

/// Bytes by which the encoding is decided.
const HEAD_BYTES: u64 = 256 << 10;

/// Reads the file's tables.
pub fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<Vec<SectionOutput>, Failure> {
    let decided = encoding(request)?;
    let layout = layout::find(request, decided)?;
    let mut pass = pass::Pass::new(request, &layout);
    pass.sample(request, decided, &layout)?;
    pass.run(request, decided, &layout, 1, sink)?;
    if !pass.is_done() {
        pass.run(request, decided, &layout, 2, sink)?;
    }
    pass.outputs().ok_or_else(|| bug("the second reading of the file differs from the first"))
}

fn encoding(request: &Request<'_>) -> Result<Decided, Failure> {
    let (reader, _) = open(request)?;
    let mut head = Vec::new();
    reader.take(HEAD_BYTES).read_to_end(&mut head).map_err(|e| failure_of(e, "Reading the file"))?;
    if head.is_empty() {
        return Err(Failure::new(ErrorCode::EmptyFile, "The file has 0 bytes."));
    }
    decide(&head, (head.len() as u64) < HEAD_BYTES)
}
