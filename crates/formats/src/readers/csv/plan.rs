//! How a text file is to be read: what the survey proposes and what a first reading settles.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use domain::{Column, Failure, Schema, Warning};

use crate::fault::failure_of;
use crate::registry::Request;
use crate::text::column::Care;
use crate::text::encoding::{Decided, TextReader};
use crate::text::infer::Reading;
use crate::text::records::Dialect;
use crate::unpack::{Caps, unpacked};

/// Everything a pass needs to know beforehand.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Encoding.
    pub decided: Decided,
    /// Delimiter, quote, newline.
    pub dialect: Dialect,
    /// Records before the first row of data, blank lines included.
    pub skip: usize,
    /// Column names.
    pub names: Vec<String>,
    /// How each column is read and how surely.
    pub columns: Vec<(Reading, Care)>,
    /// Rows that belong to the table, when a footer follows them.
    pub rows: Option<u64>,
    /// Warnings that do not depend on the pass.
    pub warnings: Vec<Warning>,
    /// Warnings about columns, once they are settled.
    pub column_warnings: Vec<Warning>,
}

impl Plan {
    /// The table's schema; `nullable` says which columns lack values.
    pub fn schema(&self, nullable: impl Fn(usize) -> bool) -> Schema {
        let column = |(i, (name, (reading, _))): (usize, (&String, &(Reading, Care)))| Column {
            name: name.clone(),
            sql_type: reading.sql_type(),
            nullable: nullable(i),
        };
        Schema { columns: self.names.iter().zip(&self.columns).enumerate().map(column).collect() }
    }
}

/// The source's content behind its wrapper, and the count of bytes read from the source.
pub fn open(request: &Request<'_>) -> Result<(Box<dyn std::io::Read + Send>, Arc<AtomicU64>), Failure> {
    let raw = request.source.open().map_err(|e| failure_of(e, "Opening the file"))?;
    unpacked(raw, request.detected.compression, Caps::default())
}

/// The source's text, and the count of bytes read from the source.
pub fn open_text(request: &Request<'_>, decided: Decided) -> Result<(TextReader, Arc<AtomicU64>), Failure> {
    let (reader, count) = open(request)?;
    Ok((TextReader::new(reader, decided), count))
}
