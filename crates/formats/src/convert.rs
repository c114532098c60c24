//! The one way in: a source, what it was detected to be, and where its tables go.

use std::io::{self, Read, Write};
use std::sync::Arc;

use arrow::array::ArrayRef;
use domain::{Compression, ErrorCode, Failure, Locale, Schema, Warning};

use crate::detect::Detected;
use crate::fault::failure_of;
use crate::registry;
use crate::rules::Rules;
use crate::unpack::Spool;

/// Bytes that can be read from their start as often as needed.
pub trait Source: Send + Sync {
    /// Starts reading at the first byte.
    fn open(&self) -> io::Result<Box<dyn Read + Send>>;

    /// Bytes in the source as stored, when known.
    fn len(&self) -> Option<u64>;

    /// Whether the source is known to have no bytes.
    fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }
}

/// Where Parquet files go.
pub trait Sink: Send {
    /// Opens the file of a section (0-based, in the file's order). Pass 2 replaces what pass 1 wrote for that section.
    fn begin(&mut self, section: usize, pass: u32) -> io::Result<Box<dyn Write + Send>>;

    /// What looks at the columns of that file while they are written, one for each; none, and nobody looks. Asked once
    /// after `begin`, and not at all where an original is passed through as it is.
    fn taps(&mut self, _section: usize, _pass: u32, _schema: &Schema) -> Vec<Box<dyn ColumnTap>> {
        Vec::new()
    }
}

/// Looks at the values of one column, on the thread that writes them.
pub trait ColumnTap: Send {
    /// The next values.
    fn values(&mut self, array: &ArrayRef);

    /// The file is whole: those were all. Not called for a file that is abandoned.
    fn end(self: Box<Self>);
}

/// Watches a conversion and may end it.
pub trait Observer: Sync {
    /// Whether to stop; asked at every batch.
    fn cancelled(&self) -> bool;

    /// Rows read so far in this pass, and bytes of the source as stored read so far in this pass.
    fn progress(&self, rows: u64, bytes: u64);
}

/// How a file is to be read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// Name of the table when the file holds one.
    pub table_name: String,
    /// Decides where the file's own evidence does not.
    pub locale: Locale,
    /// Title rows that may stand above a header.
    pub max_title_rows: u32,
    /// Rows from which types are first proposed; the whole file disposes.
    pub infer_sample_rows: usize,
    /// `table_extraction_rules_json` of the upload: an object with `json_paths`, a list of paths such as `"data.items"`
    /// (or lists of keys) to the tables of a JSON document. Anything else is refused with `invalid_request`.
    pub extraction_rules: Option<serde_json::Value>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            table_name: "table".to_owned(),
            locale: Locale::default(),
            max_title_rows: 20,
            infer_sample_rows: 20_480,
            extraction_rules: None,
        }
    }
}

/// One table that was written.
#[derive(Clone, Debug)]
pub struct SectionOutput {
    /// Table name.
    pub name: String,
    /// Where in the file the table stood (`sheet_or_json_path`); none for files of one table.
    pub path: Option<String>,
    /// Its columns.
    pub schema: Schema,
    /// Number of rows.
    pub rows: u64,
    /// Which pass wrote the file that counts: 1 or 2.
    pub pass: u32,
    /// What a user could dispute.
    pub warnings: Vec<Warning>,
    /// Size of the Parquet file in bytes.
    pub parquet_bytes: u64,
}

/// Reads a file and writes one Parquet file per table. Blocks; memory is bounded whatever the file's size.
///
/// Fails with the file's fault (`PARSE_ERROR`, `LIMIT_EXCEEDED`, `ZIP_BOMB`, …), the world's
/// (`INFRASTRUCTURE_UNAVAILABLE`, `STORAGE_FULL`) or `JOB_CANCELLED` when the observer asked to stop.
pub fn convert(
    source: &dyn Source,
    detected: Detected,
    options: &ReadOptions,
    sink: &mut dyn Sink,
    observer: &dyn Observer,
) -> Result<Vec<SectionOutput>, Failure> {
    if source.is_empty() {
        return Err(Failure::new(ErrorCode::EmptyFile, "The file has 0 bytes."));
    }
    Rules::of(options)?.check(detected.format)?;
    let reader = registry::reader(detected)?;
    let spool = match detected.compression {
        Compression::Zip => {
            let raw = source.open().map_err(|e| failure_of(e, "Opening the file"))?;
            Some(Arc::new(Spool::fill(raw, &|| observer.cancelled())?))
        }
        Compression::None | Compression::Gz | Compression::Bz2 => None,
    };
    reader(&registry::Request { source, detected, options, observer, spool }, sink)
}
