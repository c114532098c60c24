//! Sources, sinks and observers for tests, and tables read back from what was written.

use std::io::{self, Cursor, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use domain::{Failure, Warning, WarningCode};
use flyquery_formats::{Observer, ReadOptions, SectionOutput, Sink, Source, convert, detect};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// Bytes in memory.
pub struct Bytes(pub Vec<u8>);

impl Source for Bytes {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Cursor::new(self.0.clone())))
    }

    fn len(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
}

/// Files in memory; remembers how each was begun.
#[derive(Default, Clone)]
pub struct Shelf {
    files: Arc<Mutex<Vec<File>>>,
    full: bool,
}

/// A file that was begun.
struct File {
    section: usize,
    pass: u32,
    bytes: Vec<u8>,
}

struct Sheet {
    file: usize,
    shelf: Shelf,
}

impl Write for Sheet {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.shelf.full {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no space"));
        }
        self.shelf.files.lock().expect("no test panics with the lock")[self.file].bytes.extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Shelf {
    fn begin(&mut self, section: usize, pass: u32) -> io::Result<Box<dyn Write + Send>> {
        let mut files = self.files.lock().expect("no test panics with the lock");
        files.push(File { section, pass, bytes: Vec::new() });
        Ok(Box::new(Sheet { file: files.len() - 1, shelf: self.clone() }))
    }
}

impl Shelf {
    /// A shelf on which writing fails as on a full disk.
    pub fn full() -> Self {
        Self { full: true, ..Self::default() }
    }

    /// The passes that were begun.
    pub fn passes(&self) -> Vec<u32> {
        self.files.lock().expect("no test panics with the lock").iter().map(|file| file.pass).collect()
    }

    /// The file of a section that was begun in a pass.
    pub fn file(&self, section: usize, pass: u32) -> Vec<u8> {
        let files = self.files.lock().expect("no test panics with the lock");
        let file = files.iter().rfind(|file| (file.section, file.pass) == (section, pass));
        file.map(|file| file.bytes.clone()).expect("the section was begun in that pass")
    }
}

/// Watches, and cancels once that many rows were read.
#[derive(Default)]
pub struct Watch {
    cancel_after: Option<u64>,
    cancel: AtomicBool,
    /// Rows at the last progress.
    pub rows: AtomicU64,
    /// Bytes at the last progress.
    pub bytes: AtomicU64,
}

impl Watch {
    /// A watch that cancels once that many rows were read.
    pub fn cancelling_after(rows: u64) -> Self {
        Self { cancel_after: Some(rows), ..Self::default() }
    }
}

impl Observer for Watch {
    fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    fn progress(&self, rows: u64, bytes: u64) {
        self.rows.store(rows, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        if self.cancel_after.is_some_and(|limit| rows >= limit) {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}

/// A converted table, read back.
pub struct Table {
    /// What the conversion said.
    pub section: SectionOutput,
    /// What was written.
    pub batches: Vec<RecordBatch>,
    /// Passes that were begun.
    pub passes: Vec<u32>,
}

impl Table {
    /// A cell as text, none for null.
    pub fn cell(&self, mut row: usize, column: &str) -> Option<String> {
        for batch in &self.batches {
            if row < batch.num_rows() {
                let array = batch.column_by_name(column).expect("the column exists");
                return text(array, row);
            }
            row -= batch.num_rows();
        }
        panic!("no row {row}")
    }

    /// A column as texts.
    pub fn column(&self, column: &str) -> Vec<Option<String>> {
        (0..usize::try_from(self.section.rows).expect("few rows")).map(|row| self.cell(row, column)).collect()
    }

    /// The type names, in order.
    pub fn types(&self) -> Vec<String> {
        self.section.schema.columns.iter().map(|c| c.sql_type.to_string()).collect()
    }

    /// The column names, in order.
    pub fn names(&self) -> Vec<&str> {
        self.section.schema.columns.iter().map(|c| c.name.as_str()).collect()
    }

    /// The warning of a code.
    pub fn warning(&self, code: WarningCode) -> Option<&Warning> {
        self.section.warnings.iter().find(|w| w.code == code)
    }
}

fn text(array: &ArrayRef, row: usize) -> Option<String> {
    if array.is_null(row) {
        return None;
    }
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(array.as_ref(), &options).expect("every type prints");
    Some(formatter.value(row).to_string())
}

/// Converts and reads back the one table; checks what must hold of every conversion.
pub fn read_source(source: &dyn Source, name: &str, options: &ReadOptions) -> Result<Table, Failure> {
    let mut tables = read_tables(source, name, options)?;
    let table = tables.pop().expect("one section");
    assert!(tables.is_empty());
    Ok(table)
}

/// Converts and reads back every table.
pub fn read_tables(source: &dyn Source, name: &str, options: &ReadOptions) -> Result<Vec<Table>, Failure> {
    let mut head = Vec::new();
    source.open().expect("opens").take(64 << 10).read_to_end(&mut head).expect("reads");
    let detected = detect(&head, name, None)?;
    let mut shelf = Shelf::default();
    let sections = convert(source, detected, options, &mut shelf, &Watch::default())?;
    let tables = sections.into_iter().enumerate().map(|(index, section)| {
        let file = shelf.file(index, section.pass);
        read_back(section, file, shelf.passes())
    });
    Ok(tables.collect())
}

fn read_back(section: SectionOutput, file: Vec<u8>, passes: Vec<u32>) -> Table {
    assert_eq!(file.len() as u64, section.parquet_bytes);
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes_of(file)).expect("valid Parquet");
    let reader = builder.build().expect("valid Parquet");
    let batches: Vec<RecordBatch> = reader.map(|batch| batch.expect("valid Parquet")).collect();
    assert_eq!(batches.iter().map(|b| b.num_rows() as u64).sum::<u64>(), section.rows);
    for column in &section.schema.columns {
        let nulls = batches.iter().any(|b| b.column_by_name(&column.name).is_some_and(|a| a.null_count() > 0));
        assert_eq!(nulls, column.nullable, "{}", column.name);
        for batch in &batches {
            let array = batch.column_by_name(&column.name).expect("written");
            assert_eq!(array.data_type(), &flyquery_formats::arrow_type(&column.sql_type), "{}", column.name);
        }
    }
    Table { section, batches, passes }
}

fn bytes_of(file: Vec<u8>) -> bytes::Bytes {
    bytes::Bytes::from(file)
}

/// Reads bytes under a file name with the usual options.
pub fn read(bytes: &[u8], name: &str) -> Result<Table, Failure> {
    read_source(&Bytes(bytes.to_vec()), name, &ReadOptions::default())
}

/// Reads text as `input.csv`, which must go well.
pub fn csv(text: &str) -> Table {
    read(text.as_bytes(), "input.csv").expect("a readable file")
}

/// Gzips bytes.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Packs bytes with bzip2.
pub fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}
