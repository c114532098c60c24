//! The thread that owns the output: splices finished columns into row groups, in order, and ends the file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossbeam_channel::{Receiver, Sender};
use domain::Failure;
use parquet::arrow::arrow_writer::ArrowColumnChunk;
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;

use crate::fault::{bug, failure_of};
use crate::write::encode::Chunk;

/// The first error of an output, kept as it was.
pub type Broken = Arc<Mutex<Option<io::Error>>>;

/// Counts bytes and keeps the first error, which the Parquet writer would turn into text.
pub struct Output {
    inner: Box<dyn Write + Send>,
    broken: Broken,
}

impl Output {
    /// Wraps an output.
    pub fn new(inner: Box<dyn Write + Send>) -> Self {
        Self { inner, broken: Arc::default() }
    }

    /// Where its first error will be.
    pub fn broken(&self) -> Broken {
        Arc::clone(&self.broken)
    }

    fn keep(&self, error: io::Error) -> io::Error {
        if error.kind() == io::ErrorKind::Interrupted {
            return error;
        }
        let told = io::Error::new(error.kind(), error.to_string());
        self.broken.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        told
    }
}

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.inner.write(buf).map_err(|error| self.keep(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush().map_err(|error| self.keep(error))
    }
}

/// What an error of the Parquet writer means: the output's own error where there was one.
pub fn failure(broken: &Broken, error: &ParquetError) -> Failure {
    match broken.lock().unwrap_or_else(PoisonError::into_inner).take() {
        Some(error) => failure_of(error, "Writing the table"),
        None => bug(format!("writing Parquet: {error}")),
    }
}

/// The state of the thread.
pub struct Splicer {
    file: SerializedFileWriter<Output>,
    columns: usize,
    broken: Broken,
    whole: Arc<AtomicBool>,
}

impl Splicer {
    /// A splicer of a file with that many leaf columns, which it ends only if `whole` is set by then.
    pub fn new(file: SerializedFileWriter<Output>, columns: usize, broken: Broken, whole: Arc<AtomicBool>) -> Self {
        Self { file, columns, broken, whole }
    }

    /// Works until nobody sends chunks, then ends the file and says how many bytes it has. Each finished row group is
    /// told to `spliced`.
    pub fn run(mut self, chunks: &Receiver<Chunk>, spliced: &Sender<usize>) -> Result<u64, Failure> {
        let mut groups: BTreeMap<usize, Vec<Option<ArrowColumnChunk>>> = BTreeMap::new();
        let mut missing = self.columns;
        let mut group = 0;
        for chunk in chunks {
            let columns = groups.entry(chunk.group).or_insert_with(|| (0..self.columns).map(|_| None).collect());
            columns[chunk.leaf] = Some(chunk.pages);
            if chunk.group == group {
                missing -= 1;
            }
            while missing == 0 {
                let columns = groups.remove(&group).expect("a group without missing columns was collected");
                self.append(columns)?;
                // Nobody listens once the caller only waits for the end.
                let _ = spliced.try_send(group);
                group += 1;
                missing = groups.get(&group).map_or(self.columns, |c| c.iter().filter(|c| c.is_none()).count());
            }
        }
        if !self.whole.load(Ordering::Acquire) {
            return Ok(0);
        }
        let broken = Arc::clone(&self.broken);
        self.file.finish().map_err(|e| failure(&broken, &e))?;
        let bytes = self.file.bytes_written() as u64;
        self.file.inner_mut().flush().map_err(|e| failure_of(e, "Writing the table"))?;
        Ok(bytes)
    }

    fn append(&mut self, columns: Vec<Option<ArrowColumnChunk>>) -> Result<(), Failure> {
        let broken = Arc::clone(&self.broken);
        let told = |e: ParquetError| failure(&broken, &e);
        let mut row_group = self.file.next_row_group().map_err(told)?;
        for pages in columns.into_iter().flatten() {
            pages.append_to_row_group(&mut row_group).map_err(told)?;
        }
        row_group.close().map_err(told)?;
        Ok(())
    }
}
