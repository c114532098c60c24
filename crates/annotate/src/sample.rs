//! Samples of a column: a few distinct values that stand for the whole column.
//!
//! The values with the smallest hashes stay. That is a fair draw from the distinct values of the whole column, wherever they
//! stand, the same in every run, and it needs the memory of the sample alone.

use std::collections::BTreeMap;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Decimal128Type, Float64Type, Int64Type, TimeUnit,
    TimestampMicrosecondType, UInt64Type,
};

use crate::hash;
use crate::text::{cell_text, cut};

/// A sample large enough to judge a column by: its personal data and its semantic type.
pub const SCAN: usize = 200;

/// Distinct values below which an overlap says nothing.
pub const TELLING: usize = 4;

/// Draws up to `n` distinct values from a column.
#[derive(Debug, Clone)]
pub struct Sampler {
    n: usize,
    rows: u64,
    /// By hash: the row where the value first stood, and its text.
    kept: BTreeMap<u64, (u64, String)>,
}

impl Sampler {
    /// A sampler of at most `n` values.
    pub fn new(n: usize) -> Self {
        Self { n, rows: 0, kept: BTreeMap::new() }
    }

    /// Takes in the next rows. NULL and blank texts are no samples; texts are cut to `text::VALUE_CHARS`.
    pub fn update(&mut self, array: &dyn Array) {
        match array.data_type() {
            DataType::Utf8 => self.texts(array, array.as_string::<i32>().iter()),
            DataType::LargeUtf8 => self.texts(array, array.as_string::<i64>().iter()),
            DataType::Utf8View => self.texts(array, array.as_string_view().iter()),
            DataType::Boolean => {
                for (row, value) in array.as_boolean().iter().enumerate() {
                    if let Some(value) = value {
                        self.offer(hash::number(u64::from(value)), row, || cell_text(array, row));
                    }
                }
            }
            DataType::Int64 => self.numbers::<Int64Type>(array, |v| hash::number(v.cast_unsigned())),
            DataType::UInt64 => self.numbers::<UInt64Type>(array, hash::number),
            DataType::Float64 => self.numbers::<Float64Type>(array, hash::float),
            DataType::Decimal128(..) => self.numbers::<Decimal128Type>(array, hash::wide),
            DataType::Date32 => self.numbers::<Date32Type>(array, |v| hash::number(i64::from(v).cast_unsigned())),
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                self.numbers::<TimestampMicrosecondType>(array, |v| hash::number(v.cast_unsigned()));
            }
            _ => {
                for row in 0..array.len() {
                    if let Some(text) = cell_text(array, row) {
                        self.offer(hash::bytes(cut(&text).as_bytes()), row, || Some(text));
                    }
                }
            }
        }
        self.rows += array.len() as u64;
    }

    /// The share of the smaller column's distinct values that the other has too, from 0 to 1. Exact while both samples
    /// hold every distinct value, else estimated from the hashes up to which both are complete (a bottom-k sketch:
    /// Beyer et al., SIGMOD 2007). `None` when a column has fewer than [`TELLING`] distinct values: flags agree by chance.
    pub fn overlap(&self, other: &Self) -> Option<f64> {
        if self.kept.len().min(other.kept.len()) < TELLING {
            return None;
        }
        let end = self.complete_to().min(other.complete_to());
        let (ours, theirs) = (self.kept.range(..=end).count(), other.kept.range(..=end).count());
        let shared = self.kept.range(..=end).filter(|(hash, _)| other.kept.contains_key(hash)).count();
        let smaller = ours.min(theirs);
        (smaller > 0).then(|| shared as f64 / smaller as f64)
    }

    /// The hash up to which no distinct value was dropped.
    fn complete_to(&self) -> u64 {
        let full = self.kept.len() >= self.n;
        self.kept.last_key_value().filter(|_| full).map_or(u64::MAX, |(hash, _)| *hash)
    }

    fn texts<'a>(&mut self, array: &dyn Array, cells: impl Iterator<Item = Option<&'a str>>) {
        for (row, text) in cells.enumerate() {
            if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                self.offer(hash::bytes(cut(text).as_bytes()), row, || cell_text(array, row));
            }
        }
    }

    fn numbers<P: ArrowPrimitiveType>(&mut self, array: &dyn Array, hash: impl Fn(P::Native) -> u64) {
        for (row, value) in array.as_primitive::<P>().iter().enumerate() {
            if let Some(value) = value {
                self.offer(hash(value), row, || cell_text(array, row));
            }
        }
    }

    #[inline]
    fn offer(&mut self, hash: u64, row: usize, text: impl FnOnce() -> Option<String>) {
        let full = self.kept.len() >= self.n;
        if full && self.kept.last_key_value().is_none_or(|(largest, _)| hash >= *largest)
            || self.kept.contains_key(&hash)
        {
            return;
        }
        if let Some(text) = text() {
            self.kept.insert(hash, (self.rows + row as u64, cut(&text).to_owned()));
            if full {
                self.kept.pop_last();
            }
        }
    }

    /// The sample, in the order in which the values first stood in the column.
    pub fn finish(self) -> Vec<String> {
        let mut sample: Vec<(u64, String)> = self.kept.into_values().collect();
        sample.sort_unstable_by_key(|(row, _)| *row);
        sample.into_iter().map(|(_, text)| text).collect()
    }
}

/// `n` of the values, evenly spaced; all of them when they are no more than that.
pub fn spread(values: &[String], n: usize) -> Vec<String> {
    if values.len() <= n {
        return values.to_vec();
    }
    (0..n).map(|i| values[i * values.len() / n].clone()).collect()
}
