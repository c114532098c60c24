//! Which reader reads which format. A new format is one file in `readers` and one line here.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use domain::{Compression, ErrorCode, Failure, FileFormat};

use crate::convert::{Observer, ReadOptions, SectionOutput, Sink, Source};
use crate::detect::Detected;
use crate::fault::failure_of;
use crate::readers;
use crate::text::encoding::{Decided, TextReader};
use crate::unpack::{Caps, Spool, unpacked, unzipped};

/// What a reader is asked to do.
pub struct Request<'a> {
    /// The bytes.
    pub source: &'a dyn Source,
    /// What they are.
    pub detected: Detected,
    /// How to read them.
    pub options: &'a ReadOptions,
    /// Who watches.
    pub observer: &'a dyn Observer,
    /// The bytes in a temporary file, for what is read from its end.
    pub spool: Option<Arc<Spool>>,
}

/// A reader: writes every table of the request's source to the sink.
pub type Reader = fn(&Request<'_>, &mut dyn Sink) -> Result<Vec<SectionOutput>, Failure>;

/// The reader of a format, or `UNSUPPORTED_FORMAT` naming what this version does read.
pub fn reader(detected: Detected) -> Result<Reader, Failure> {
    match detected.format {
        FileFormat::Csv | FileFormat::Tsv => Ok(readers::csv::read),
        FileFormat::Json | FileFormat::Jsonl => Ok(readers::json::read),
        FileFormat::Parquet => Ok(readers::parquet::read),
        FileFormat::Xlsx
        | FileFormat::Xls
        | FileFormat::Ods
        | FileFormat::Avro
        | FileFormat::Orc
        | FileFormat::Arrow
        | FileFormat::Feather => Err(unsupported(&format!("Files in the format {}", detected.format))),
    }
}

fn unsupported(what: &str) -> Failure {
    Failure::new(
        ErrorCode::UnsupportedFormat,
        format!(
            "{what} are recognised but not read by this version, which reads csv, tsv, json, jsonl and parquet, plain or as .gz, .bz2 or .zip."
        ),
    )
}

/// The source's content behind its wrapper, and the count of bytes read from the source.
pub fn open(request: &Request<'_>) -> Result<(Box<dyn std::io::Read + Send>, Arc<AtomicU64>), Failure> {
    if let (Compression::Zip, Some(spool)) = (request.detected.compression, &request.spool) {
        return unzipped(spool, Caps::default());
    }
    let raw = request.source.open().map_err(|e| failure_of(e, "Opening the file"))?;
    unpacked(raw, request.detected.compression, Caps::default())
}

/// The source's text, and the count of bytes read from the source.
pub fn open_text(request: &Request<'_>, decided: Decided) -> Result<(TextReader, Arc<AtomicU64>), Failure> {
    let (reader, count) = open(request)?;
    Ok((TextReader::new(reader, decided), count))
}
