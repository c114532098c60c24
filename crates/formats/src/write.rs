//! Record batches → Parquet: snappy, row groups bounded by rows and bytes, columns encoded on threads of their own.
//!
//! The caller's thread parses; encoder threads own some columns each; one more thread splices finished row groups into
//! the output in order. At most one finished row group waits while the next one is encoded, so memory stays bounded.

mod encode;
mod splice;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, Schema as ArrowSchema, TimeUnit};
use crossbeam_channel::{Receiver, Sender, bounded};
use domain::{ErrorCode, Failure, Schema, SqlType, limits};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::ArrowRowGroupWriterFactory;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;

use crate::convert::{ColumnTap, Sink};
use crate::fault::{bug, failure_of};
use encode::{ColumnWriters, Order};

/// Most encoder threads of a file; a wide file's columns share them.
const MOST_THREADS: usize = 16;
/// Columns from which on a table is wide: then dictionaries are left out, as the table of each takes about 100 KiB before
/// its first value.
const WIDE_COLUMNS: usize = 512;
/// Batches that wait for an encoder.
const WAITING_BATCHES: usize = 4;

/// The arrow type in which values of a column are written.
pub fn arrow_type(sql_type: &SqlType) -> DataType {
    match sql_type {
        SqlType::Boolean => DataType::Boolean,
        SqlType::BigInt => DataType::Int64,
        SqlType::UBigInt => DataType::UInt64,
        SqlType::Double => DataType::Float64,
        SqlType::Decimal(precision, scale) => DataType::Decimal128(*precision, scale.cast_signed()),
        SqlType::Date => DataType::Date32,
        SqlType::Time => DataType::Time64(TimeUnit::Microsecond),
        SqlType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
        SqlType::TimestampTz => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        SqlType::Varchar | SqlType::Json => DataType::Utf8,
        SqlType::Blob => DataType::Binary,
        SqlType::Struct(fields) => DataType::Struct(fields.iter().map(|c| field(&c.name, &c.sql_type)).collect()),
        SqlType::List(item) => DataType::List(Arc::new(field("element", item))),
    }
}

fn field(name: &str, sql_type: &SqlType) -> Field {
    Field::new(name, arrow_type(sql_type), true)
}

/// How many Parquet columns a type becomes.
fn leaves(data_type: &DataType) -> usize {
    match data_type {
        DataType::Struct(fields) => fields.iter().map(|field| leaves(field.data_type())).sum(),
        DataType::List(item) => leaves(item.data_type()),
        _ => 1,
    }
}

/// What stands in a finished file.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// Rows.
    pub rows: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Writes one Parquet file.
pub struct TableWriter {
    encoders: Vec<Sender<Order>>,
    threads: Vec<JoinHandle<Result<(), Failure>>>,
    splicer: Option<JoinHandle<Result<u64, Failure>>>,
    spliced: Receiver<usize>,
    factory: ArrowRowGroupWriterFactory,
    /// Leaves of each column of the table; more than one where it is nested.
    leaves: Vec<usize>,
    /// Bytes buffered by each encoder.
    buffered: Arc<Vec<AtomicUsize>>,
    /// Whether the file is to be ended, not abandoned.
    whole: Arc<AtomicBool>,
    group: usize,
    group_rows: usize,
    rows: u64,
}

impl TableWriter {
    /// Opens the file of a section and starts it.
    pub fn open(schema: &Schema, section: usize, pass: u32, sink: &mut dyn Sink) -> Result<Self, Failure> {
        let output = sink.begin(section, pass).map_err(|e| failure_of(e, "Opening the table's file"))?;
        Self::start(schema, output, sink.taps(section, pass, schema))
    }

    /// Starts a file of that schema, whose columns the taps look at: one for each column, or none at all.
    pub fn start(
        schema: &Schema,
        output: Box<dyn Write + Send>,
        taps: Vec<Box<dyn ColumnTap>>,
    ) -> Result<Self, Failure> {
        let fields: Vec<Field> = schema.columns.iter().map(|c| field(&c.name, &c.sql_type)).collect();
        let arrow_schema = Arc::new(ArrowSchema::new(fields));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(
                arrow_schema.fields().iter().map(|f| leaves(f.data_type())).sum::<usize>() < WIDE_COLUMNS,
            )
            .set_created_by(concat!("flyquery ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let parquet_schema =
            ArrowSchemaConverter::new().convert(&arrow_schema).map_err(|e| bug(format!("schema: {e}")))?;
        let output = splice::Output::new(output);
        let broken = output.broken();
        let file = SerializedFileWriter::new(output, parquet_schema.root_schema_ptr(), Arc::new(properties))
            .map_err(|e| splice::failure(&broken, &e))?;
        let factory = ArrowRowGroupWriterFactory::new(&file, Arc::clone(&arrow_schema));
        let leaves: Vec<usize> = arrow_schema.fields().iter().map(|field| leaves(field.data_type())).collect();
        let n = leaves.len().clamp(1, MOST_THREADS);
        let buffered: Arc<Vec<AtomicUsize>> = Arc::new((0..n).map(|_| AtomicUsize::new(0)).collect());
        let (chunk_sender, chunks) = bounded(2 * n);
        let (done, spliced) = bounded(4);
        let mut encoders = Vec::with_capacity(n);
        let mut threads = Vec::with_capacity(n);
        let whole = Arc::new(AtomicBool::new(false));
        let mut shares: Vec<Vec<Box<dyn ColumnTap>>> = (0..n).map(|_| Vec::new()).collect();
        for (column, tap) in taps.into_iter().enumerate() {
            shares[column % n].push(tap);
        }
        for (index, taps) in shares.into_iter().enumerate() {
            let (sender, orders) = bounded(WAITING_BATCHES);
            let encoder = encode::Encoder::new(
                index,
                Arc::clone(&arrow_schema),
                chunk_sender.clone(),
                Arc::clone(&buffered),
                encode::Taps { taps, whole: Arc::clone(&whole) },
            );
            threads.push(spawn("parquet-encode", move || encoder.run(&orders))?);
            encoders.push(sender);
        }
        drop(chunk_sender);
        let end = splice::Splicer::new(file, leaves.iter().sum(), broken, Arc::clone(&whole));
        let owner = Some(spawn("parquet-splice", move || end.run(&chunks, &done))?);
        let mut writer = Self {
            encoders,
            threads,
            splicer: owner,
            spliced,
            factory,
            leaves,
            buffered,
            whole,
            group: 0,
            group_rows: 0,
            rows: 0,
        };
        writer.open_group()?;
        Ok(writer)
    }

    /// Appends rows: one array per column, all of one length.
    pub fn write(&mut self, arrays: Vec<ArrayRef>) -> Result<(), Failure> {
        let rows = arrays.first().map_or(0, |array| array.len());
        if rows == 0 {
            return Ok(());
        }
        let buffered: usize = self.buffered.iter().map(|b| b.load(Ordering::Relaxed)).sum();
        let full = self.group_rows + rows > limits::ROW_GROUP_ROWS || buffered > limits::ROW_GROUP_BYTES;
        if full && self.group_rows > 0 {
            self.close_group()?;
            self.open_group()?;
        }
        let n = self.encoders.len();
        let mut shares: Vec<Vec<ArrayRef>> =
            (0..n).map(|index| Vec::with_capacity(self.leaves.len().saturating_sub(index).div_ceil(n))).collect();
        for (column, array) in arrays.into_iter().enumerate() {
            shares[column % n].push(array);
        }
        for (index, share) in shares.into_iter().enumerate() {
            self.order(index, Order::Write(share))?;
        }
        self.group_rows += rows;
        self.rows += rows as u64;
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<Written, Failure> {
        if self.group_rows > 0 {
            self.close_group()?;
        }
        self.whole.store(true, Ordering::Release);
        let bytes = self.join()?;
        Ok(Written { rows: self.rows, bytes })
    }

    fn open_group(&mut self) -> Result<(), Failure> {
        let n = self.encoders.len();
        let writers =
            self.factory.create_column_writers(self.group).map_err(|e| bug(format!("column writers: {e}")))?;
        let mut shares: Vec<Vec<_>> = (0..n).map(|_| Vec::new()).collect();
        let mut writers = writers.into_iter();
        let mut first_leaf = 0;
        for (column, leaves) in self.leaves.iter().enumerate() {
            let leaves: Vec<_> = writers.by_ref().take(*leaves).collect();
            let next = first_leaf + leaves.len();
            shares[column % n].push(ColumnWriters { column, first_leaf, leaves });
            first_leaf = next;
        }
        for (index, share) in shares.into_iter().enumerate() {
            self.order(index, Order::Open(share))?;
        }
        self.group_rows = 0;
        Ok(())
    }

    fn close_group(&mut self) -> Result<(), Failure> {
        for index in 0..self.encoders.len() {
            self.order(index, Order::Close(self.group))?;
        }
        // The group before this one must be in the output before another one may be buffered.
        if self.group > 0 && self.spliced.recv().is_err() {
            return Err(self.why_it_stopped());
        }
        self.group += 1;
        Ok(())
    }

    fn order(&mut self, index: usize, order: Order) -> Result<(), Failure> {
        match self.encoders[index].send(order) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.why_it_stopped()),
        }
    }

    fn why_it_stopped(&mut self) -> Failure {
        match self.join() {
            Err(failure) => failure,
            Ok(_) => bug("an encoder stopped without saying why"),
        }
    }

    /// Lets all threads end; the output's failure comes first, as it explains the encoders'.
    fn join(&mut self) -> Result<u64, Failure> {
        self.encoders.clear();
        let mut encoded = Ok(());
        for thread in self.threads.drain(..) {
            let result = thread.join().unwrap_or_else(|_| Err(bug("an encoder thread panicked")));
            encoded = encoded.and(result);
        }
        let spliced = match self.splicer.take() {
            Some(thread) => thread.join().unwrap_or_else(|_| Err(bug("the writer thread panicked"))),
            None => Err(bug("the writer had ended")),
        };
        let bytes = spliced?;
        encoded.map(|()| bytes)
    }
}

impl Drop for TableWriter {
    /// An abandoned file is left without its end, and nothing writes to its output any more.
    fn drop(&mut self) {
        if self.splicer.is_some() {
            // Whoever abandons a file has a better reason than what its threads could still say.
            let _ = self.join();
        }
    }
}

fn spawn<T: Send + 'static>(
    name: &str,
    run: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<JoinHandle<Result<T, Failure>>, Failure> {
    std::thread::Builder::new().name(name.to_owned()).spawn(run).map_err(|error| {
        let mut failure = failure_of(error, "Starting a thread");
        failure.code = ErrorCode::InfrastructureUnavailable;
        failure
    })
}
