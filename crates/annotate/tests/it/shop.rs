//! The three sample files as typed arrow batches, and their raw text beside them.

use std::path::PathBuf;
use std::sync::Arc;

use annotate::sample::SCAN;
use annotate::{ColumnProfile, ColumnProfiler, Sampler};
use arrow::array::RecordBatch;
use arrow::csv::ReaderBuilder;
use arrow::datatypes::{DataType, Field, Schema, TimeUnit};
use domain::{Column, SqlType};

/// A sample table.
pub struct Shop {
    pub name: &'static str,
    pub columns: Vec<Column>,
    pub batches: Vec<RecordBatch>,
    /// The cells as they stand in the file; empty means no value.
    pub raw: Vec<Vec<String>>,
}

const INT: SqlType = SqlType::BigInt;
const TEXT: SqlType = SqlType::Varchar;
const DOUBLE: SqlType = SqlType::Double;
const BOOL: SqlType = SqlType::Boolean;

pub fn customers() -> Shop {
    let types = [INT, TEXT, TEXT, TEXT, SqlType::Date, TEXT, TEXT, TEXT, INT, BOOL, SqlType::Timestamp];
    Shop::read("customers", &types)
}

pub fn products() -> Shop {
    Shop::read("products", &[TEXT, TEXT, TEXT, DOUBLE, DOUBLE, INT, DOUBLE, BOOL, SqlType::Date, TEXT])
}

pub fn orders() -> Shop {
    let types = [INT, INT, TEXT, SqlType::Timestamp, INT, DOUBLE, DOUBLE, TEXT, TEXT, BOOL, SqlType::Date, TEXT];
    Shop::read("orders", &types)
}

pub fn all() -> [Shop; 3] {
    [customers(), products(), orders()]
}

impl Shop {
    fn read(name: &'static str, types: &[SqlType]) -> Self {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../samples/{name}.csv"));
        let bytes = std::fs::read(&path).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(head.len(), types.len(), "{name}");
        let raw = reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect();
        let columns: Vec<Column> = head
            .iter()
            .zip(types)
            .map(|(name, sql_type)| Column { name: name.clone(), sql_type: sql_type.clone(), nullable: true })
            .collect();
        let fields: Vec<Field> = columns.iter().map(|c| Field::new(&c.name, arrow_type(&c.sql_type), true)).collect();
        let reader = ReaderBuilder::new(Arc::new(Schema::new(fields))).with_header(true).with_batch_size(17);
        let batches = reader.build(bytes.as_slice()).unwrap().map(Result::unwrap).collect();
        Self { name, columns, batches, raw }
    }

    /// The raw cells of one column.
    pub fn cells(&self, column: usize) -> Vec<&str> {
        self.raw.iter().map(|row| row[column].as_str()).collect()
    }

    pub fn profile(&self, column: usize) -> ColumnProfile {
        let mut profiler = ColumnProfiler::new(&self.columns[column]);
        for batch in &self.batches {
            profiler.update(batch.column(column)).unwrap();
        }
        profiler.finish()
    }

    pub fn sample(&self, column: usize) -> Vec<String> {
        let mut sampler = Sampler::new(SCAN);
        for batch in &self.batches {
            sampler.update(batch.column(column));
        }
        sampler.finish()
    }
}

fn arrow_type(sql_type: &SqlType) -> DataType {
    match sql_type {
        SqlType::Boolean => DataType::Boolean,
        SqlType::BigInt => DataType::Int64,
        SqlType::Double => DataType::Float64,
        SqlType::Date => DataType::Date32,
        SqlType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
        SqlType::Varchar => DataType::Utf8,
        other => panic!("no sample column is {other}"),
    }
}
