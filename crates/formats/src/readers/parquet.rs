//! Parquet files: checked before a decoder believes them, decoded to their last row, and kept as they are when nothing about
//! them must change; else written anew.

mod columns;
mod guard;
mod thrift;

use std::fs::File;
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema as ArrowSchema, SchemaRef, TimeUnit};
use domain::name::column_names;
use domain::{Column, ErrorCode, Failure, Schema, Warning, WarningCode, limits};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression as Codec, Type as Physical};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetStatisticsPolicy, RowGroupMetaData};

use crate::convert::{SectionOutput, Sink};
use crate::fault::failure_of;
use crate::readers::parquet::guard::broken;
use crate::registry::{Request, open};
use crate::text::block::too_many_columns;
use crate::unpack::Spool;
use crate::write::{TableWriter, arrow_type};

/// Reads the file's one table.
pub fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<Vec<SectionOutput>, Failure> {
    let (raw, _) = open(request)?;
    let spool = Spool::fill(raw, &|| request.observer.cancelled())?;
    let mut file = spool.open()?;
    let end = guard::footer(&mut file, spool.len())?;
    // The decoder is made for sound files; what it does not expect in others must not end the process.
    let table = catch_unwind(AssertUnwindSafe(|| read_table(request, sink, &spool, end)));
    table.unwrap_or_else(|_| Err(broken("the decoder gave up on it"))).map(|table| vec![table])
}

fn read_table(request: &Request<'_>, sink: &mut dyn Sink, spool: &Spool, end: u64) -> Result<SectionOutput, Failure> {
    let mut file = spool.open()?;
    let metadata = metadata(&file)?;
    guard::pages(&mut file, metadata.metadata(), end)?;
    let table = Table::of(&metadata)?;
    let is_kept =
        table.is_kept(&metadata) && guard::indexes(&mut file, metadata.metadata(), end)? && is_sound_throughout(&file);
    let batches = reader(file, hinted(&metadata))?;
    let output = sink.begin(0, 1).map_err(|e| failure_of(e, "Opening the table's file"))?;
    let (nulls, finer, rows, bytes) = if is_kept {
        let mut read = Decoded::new(table.schema.columns.len());
        decode(request, batches, |batch| {
            read.note(batch);
            Ok(())
        })?;
        let bytes = copy(request, spool, output)?;
        (read.nulls, read.finer, read.rows, bytes)
    } else {
        let taps = sink.taps(0, 1, &table.schema);
        let mut writer = TableWriter::start(&table.schema, output, taps)?;
        let mut read = Decoded::new(table.schema.columns.len());
        decode(request, batches, |batch| {
            read.note(batch);
            columns::pieces(batch).iter().try_for_each(|piece| writer.write(table.convert(piece)?))
        })?;
        let written = writer.finish()?;
        (read.nulls, read.finer, written.rows, written.bytes)
    };
    let told: i64 = metadata.metadata().row_groups().iter().map(RowGroupMetaData::num_rows).sum();
    if u64::try_from(told) != Ok(rows) {
        return Err(broken(&format!("it tells of {told} rows and holds {rows}")));
    }
    let name = request.options.table_name.clone();
    let mut warnings = table.warnings;
    if rows == 0 {
        warnings.push(Warning::new(WarningCode::HeaderOnly, "The file has columns and no rows."));
    }
    let mut schema = table.schema;
    for ((column, has_null), finer) in schema.columns.iter_mut().zip(nulls).zip(finer) {
        column.nullable = has_null;
        if finer > 0 {
            let message = format!("{finer} times are finer than microseconds; what is finer was cut off.");
            warnings.push(Warning::new(WarningCode::TimestampRounded, message).rows(finer).column(&column.name));
        }
    }
    let warnings = warnings.into_iter().map(|w| w.table(name.clone())).collect();
    Ok(SectionOutput { name, path: None, schema, rows, pass: 1, warnings, parquet_bytes: bytes })
}

/// What decoding taught about each column.
struct Decoded {
    nulls: Vec<bool>,
    finer: Vec<u64>,
    rows: u64,
}

impl Decoded {
    fn new(columns: usize) -> Self {
        Self { nulls: vec![false; columns], finer: vec![0; columns], rows: 0 }
    }

    fn note(&mut self, batch: &RecordBatch) {
        self.rows += batch.num_rows() as u64;
        for (index, array) in batch.columns().iter().enumerate() {
            self.nulls[index] |= array.logical_null_count() > 0;
            self.finer[index] += columns::too_fine(array);
        }
    }
}

/// The table that the file becomes.
struct Table {
    fields: SchemaRef,
    schema: Schema,
    warnings: Vec<Warning>,
}

impl Table {
    fn of(metadata: &ArrowReaderMetadata) -> Result<Self, Failure> {
        let fields = Arc::clone(metadata.schema());
        if fields.fields().is_empty() {
            return Err(Failure::new(ErrorCode::UnsupportedSchema, "The Parquet file has no columns."));
        }
        if metadata.parquet_schema().num_columns() > limits::COLUMNS {
            return Err(too_many_columns(metadata.parquet_schema().num_columns(), "The Parquet file"));
        }
        let written: Vec<&str> = fields.fields().iter().map(|field| field.name().as_str()).collect();
        let named = column_names(&written);
        let mut warnings = Vec::new();
        if !named.changed.is_empty() {
            let message = format!("{} column names were trimmed, shortened or made unique.", named.changed.len());
            warnings.push(Warning::new(WarningCode::NamesChanged, message));
        }
        let columns = named.names.into_iter().zip(fields.fields());
        let columns = columns
            .map(|(name, field)| Column { name, sql_type: columns::sql_type(field.data_type()), nullable: true })
            .collect();
        Ok(Self { fields, schema: Schema { columns }, warnings })
    }

    /// Whether the file can stay as it is.
    fn is_kept(&self, metadata: &ArrowReaderMetadata) -> bool {
        let same = |(field, column): (&Arc<Field>, &Column)| {
            field.name() == &column.name && field.data_type() == &arrow_type(&column.sql_type)
        };
        let groups = metadata.metadata().row_groups();
        self.fields.fields().iter().zip(&self.schema.columns).all(same)
            && groups.iter().all(|group| {
                group.num_rows() <= limits::ROW_GROUP_ROWS as i64
                    && group.columns().iter().all(|c| c.compression() == Codec::SNAPPY && !is_int96(c.column_type()))
            })
    }

    fn convert(&self, batch: &RecordBatch) -> Result<Vec<arrow::array::ArrayRef>, Failure> {
        let fields = self.fields.fields().iter();
        fields
            .zip(batch.columns())
            .zip(&self.schema.columns)
            .map(|((field, array), column)| {
                columns::convert(array, field, &column.sql_type).map_err(|_| {
                    // The error may quote a value, which must not be told.
                    let detail = format!("Column '{}' holds values that are no {}.", column.name, column.sql_type);
                    Failure::new(ErrorCode::UnsupportedSchema, detail)
                })
            })
            .collect()
    }
}

/// Whether every part of the description can be read, those included that are of no use here: who reads the file as it is
/// may want them.
fn is_sound_throughout(file: &File) -> bool {
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
    ArrowReaderMetadata::load(file, options).is_ok()
}

fn is_int96(physical: Physical) -> bool {
    physical == Physical::INT96
}

/// The file's own description.
fn metadata(file: &File) -> Result<ArrowReaderMetadata, Failure> {
    let unreadable = |error| broken(&format!("its footer cannot be read ({error})"));
    let found = ArrowReaderMetadata::load(file, options()).map_err(unreadable)?;
    Ok(found)
}

/// The same file with hints for its decoder: texts and bytes as views, which do not copy what a dictionary holds for each
/// row; timestamps of the oldest kind as microseconds, as in nanoseconds they would overflow.
fn hinted(found: &ArrowReaderMetadata) -> ArrowReaderMetadata {
    let root = found.parquet_schema().root_schema().get_fields();
    let fields = found.schema().fields();
    let is_old = |i: usize| root.get(i).is_some_and(|t| t.is_primitive() && is_int96(t.get_physical_type()));
    let fields = fields.iter().enumerate().map(|(i, field)| {
        let data_type = match field.data_type() {
            DataType::Timestamp(_, zone) if is_old(i) => DataType::Timestamp(TimeUnit::Microsecond, zone.clone()),
            other => columns::without_copies(other),
        };
        Arc::new(field.as_ref().clone().with_data_type(data_type))
    });
    let schema = Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()));
    // What cannot be hinted, such as groups without fields, is decoded as it is.
    ArrowReaderMetadata::try_new(Arc::clone(found.metadata()), options().with_schema(schema))
        .unwrap_or_else(|_| found.clone())
}

/// Statistics are of no use here, and not reading them spares what is wrong in some.
fn options() -> ArrowReaderOptions {
    ArrowReaderOptions::new()
        .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll)
}

fn reader(file: File, metadata: ArrowReaderMetadata) -> Result<ParquetRecordBatchReader, Failure> {
    let rows = batch_rows(metadata.metadata());
    ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
        .with_batch_size(rows)
        .build()
        .map_err(|error| broken(&format!("it cannot be decoded ({error})")))
}

/// Rows of a batch: fewer where rows are long.
fn batch_rows(metadata: &ParquetMetaData) -> usize {
    let longest = metadata.row_groups().iter().map(|group| {
        let bytes: i64 = group.columns().iter().map(|c| c.uncompressed_size().max(0)).fold(0, i64::saturating_add);
        bytes / group.num_rows().max(1)
    });
    let longest = usize::try_from(longest.max().unwrap_or(0)).unwrap_or(usize::MAX);
    (limits::BATCH_BYTES / longest.max(1)).clamp(1, limits::BATCH_ROWS)
}

/// Decodes all rows.
fn decode(
    request: &Request<'_>,
    batches: ParquetRecordBatchReader,
    mut each: impl FnMut(&RecordBatch) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut rows = 0_u64;
    for batch in batches {
        if request.observer.cancelled() {
            return Err(Failure::new(ErrorCode::JobCancelled, "The job was cancelled while the file was read."));
        }
        let batch = batch.map_err(|error| broken(&format!("it cannot be decoded after row {rows} ({error})")))?;
        each(&batch)?;
        rows += batch.num_rows() as u64;
        request.observer.progress(rows, request.source.len().unwrap_or(0));
    }
    Ok(())
}

fn copy(request: &Request<'_>, spool: &Spool, mut output: Box<dyn Write + Send>) -> Result<u64, Failure> {
    let mut file = spool.open()?;
    let mut block = vec![0; 256 << 10];
    loop {
        if request.observer.cancelled() {
            return Err(Failure::new(ErrorCode::JobCancelled, "The job was cancelled while the file was read."));
        }
        match file.read(&mut block).map_err(|e| failure_of(e, "Reading a temporary file"))? {
            0 => break,
            n => output.write_all(&block[..n]).map_err(|e| failure_of(e, "Writing the table"))?,
        }
    }
    output.flush().map_err(|e| failure_of(e, "Writing the table"))?;
    Ok(spool.len())
}
