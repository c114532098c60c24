//! Profiles of columns: one pass over arrow arrays, bounded memory, mergeable.
//!
//! What is exact: row and null counts, smallest and largest, text lengths, true and false counts, top values, the number of
//! distinct values up to [`EXACT_DISTINCT`] (and past it where the values of a column rise strictly), quantiles of columns of
//! up to [`QUANTILE_SAMPLE`] values. What is estimated: distinct values past that (HyperLogLog, standard error 0.8 %), and
//! quantiles of longer columns (from a uniform sample of that many values: 99 % lie within 3 percentiles).

mod distinct;
mod lowest;
mod ordered;
mod report;
mod textual;

use arrow::array::{Array, AsArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Float64Type, Int64Type, Time64MicrosecondType, TimeUnit,
    TimestampMicrosecondType, UInt64Type,
};
use arrow::error::ArrowError;
use domain::{Column, SqlType};

use self::ordered::{Float, Ordered};
use self::textual::{Opaque, Texts};
pub use lowest::{LOWEST_HASHES, share_within};
pub use report::{Booleans, ColumnProfile, Lengths, Quantiles, TopValue};

/// Distinct values up to which their number is exact.
pub const EXACT_DISTINCT: usize = 4_096;
/// Distinct values up to which each is counted; more have no top values.
pub const COUNTED_DISTINCT: usize = 100;
/// How many of the most frequent values a profile names.
pub const TOP_VALUES: usize = 5;
/// Values kept for quantiles.
pub const QUANTILE_SAMPLE: usize = 2_048;

/// Profiles one column, batch by batch.
#[derive(Debug, Clone)]
pub struct ColumnProfiler {
    sql_type: SqlType,
    n_rows: u64,
    nulls: u64,
    values: Values,
}

/// What is kept of the values, by the kind of type.
#[derive(Debug, Clone)]
enum Values {
    Boolean(Booleans),
    /// BIGINT, and everything else that is an integer underneath: dates (days), times and timestamps (microseconds).
    Signed(Box<Ordered<i64>>),
    Unsigned(Box<Ordered<u64>>),
    Float(Box<Ordered<Float>>),
    Decimal(Box<Ordered<i128>>),
    Text(Box<Texts>),
    Opaque(Box<Opaque>),
}

impl Values {
    fn new(sql_type: &SqlType) -> Self {
        match sql_type {
            SqlType::Boolean => Self::Boolean(Booleans::default()),
            SqlType::BigInt | SqlType::Date | SqlType::Time | SqlType::Timestamp | SqlType::TimestampTz => {
                Self::Signed(Box::default())
            }
            SqlType::UBigInt => Self::Unsigned(Box::default()),
            SqlType::Double => Self::Float(Box::default()),
            SqlType::Decimal(..) => Self::Decimal(Box::default()),
            SqlType::Varchar => Self::Text(Box::default()),
            SqlType::Json => Self::Text(Box::new(Texts::unordered())),
            SqlType::Blob | SqlType::Struct(_) | SqlType::List(_) => Self::Opaque(Box::default()),
        }
    }
}

impl ColumnProfiler {
    /// An upper bound of what one profiler keeps, in bytes: what lets a wide table be profiled in groups of columns.
    pub const MAX_BYTES: usize = 256 << 10;

    /// A profiler that has seen nothing.
    pub fn new(column: &Column) -> Self {
        Self { sql_type: column.sql_type.clone(), n_rows: 0, nulls: 0, values: Values::new(&column.sql_type) }
    }

    /// Takes in the next rows. Fails only when the array holds what the column's type cannot hold.
    pub fn update(&mut self, array: &dyn Array) -> Result<(), ArrowError> {
        let cast;
        let array = match expected(&self.sql_type, array.data_type()) {
            Some(to) => {
                cast = cast_with_options(array, &to, &CastOptions { safe: false, ..CastOptions::default() })?;
                cast.as_ref()
            }
            None => array,
        };
        self.n_rows += array.len() as u64;
        self.nulls += array.logical_null_count() as u64;
        match &mut self.values {
            Values::Boolean(counts) => counts.update(array.as_boolean()),
            Values::Signed(values) => match array.data_type() {
                DataType::Int64 => values.update(array.as_primitive::<Int64Type>(), |v| v),
                DataType::Date32 => values.update(array.as_primitive::<Date32Type>(), i64::from),
                DataType::Time64(_) => values.update(array.as_primitive::<Time64MicrosecondType>(), |v| v),
                _ => values.update(array.as_primitive::<TimestampMicrosecondType>(), |v| v),
            },
            Values::Unsigned(values) => values.update(array.as_primitive::<UInt64Type>(), |v| v),
            Values::Float(values) => values.update(array.as_primitive::<Float64Type>(), Float),
            Values::Decimal(values) => values.update(array.as_primitive::<Decimal128Type>(), |v| v),
            Values::Text(values) => values.update(array),
            Values::Opaque(values) => values.update(array),
        }
        Ok(())
    }

    /// Takes in what another profiler of the same column saw in the rows after ours. Fails when it is of another type.
    pub fn merge(&mut self, later: Self) -> Result<(), ArrowError> {
        if self.sql_type != later.sql_type {
            return Err(ArrowError::InvalidArgumentError(format!(
                "a profile of {} cannot be merged into one of {}",
                later.sql_type, self.sql_type
            )));
        }
        self.n_rows += later.n_rows;
        self.nulls += later.nulls;
        match (&mut self.values, later.values) {
            (Values::Boolean(ours), Values::Boolean(theirs)) => ours.merge(theirs),
            (Values::Signed(ours), Values::Signed(theirs)) => ours.merge(*theirs),
            (Values::Unsigned(ours), Values::Unsigned(theirs)) => ours.merge(*theirs),
            (Values::Float(ours), Values::Float(theirs)) => ours.merge(*theirs),
            (Values::Decimal(ours), Values::Decimal(theirs)) => ours.merge(*theirs),
            (Values::Text(ours), Values::Text(theirs)) => ours.merge(*theirs),
            (Values::Opaque(ours), Values::Opaque(theirs)) => ours.merge(*theirs),
            _ => unreachable!("equal types keep equal kinds of values"),
        }
        Ok(())
    }

    /// The profile of everything seen.
    pub fn finish(self) -> ColumnProfile {
        let mut profile = ColumnProfile::of_rows(self.n_rows, self.nulls);
        let may_hold_keys = self.sql_type.may_hold_keys();
        match self.values {
            Values::Boolean(counts) => counts.finish(&mut profile),
            Values::Signed(values) => {
                let sql_type = self.sql_type;
                values.finish(&mut profile, |v| report::signed(&sql_type, v));
            }
            Values::Unsigned(values) => values.finish(&mut profile, |v| v.to_string()),
            Values::Float(values) => values.finish(&mut profile, report::float),
            Values::Decimal(values) => {
                let scale = if let SqlType::Decimal(_, scale) = self.sql_type { scale } else { 0 };
                values.finish(&mut profile, |v| report::decimal(v, scale));
            }
            Values::Text(values) => values.finish(&mut profile),
            Values::Opaque(values) => values.finish(&mut profile),
        }
        if !may_hold_keys {
            profile.lowest_hashes = Vec::new();
        }
        profile
    }
}

/// The arrow type to cast to before profiling, or `None` when the array can be read as it is.
fn expected(sql_type: &SqlType, given: &DataType) -> Option<DataType> {
    let wanted = match sql_type {
        SqlType::Boolean => DataType::Boolean,
        SqlType::BigInt => DataType::Int64,
        SqlType::UBigInt => DataType::UInt64,
        SqlType::Double => DataType::Float64,
        SqlType::Decimal(precision, scale) => DataType::Decimal128(*precision, scale.cast_signed()),
        SqlType::Date => DataType::Date32,
        SqlType::Time => DataType::Time64(TimeUnit::Microsecond),
        SqlType::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
        // Every zone counts the same microseconds since 1970 in UTC; only the spelling differs.
        SqlType::TimestampTz => match given {
            DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => return None,
            _ => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        },
        SqlType::Varchar | SqlType::Json => match given {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => return None,
            _ => DataType::Utf8,
        },
        SqlType::Blob | SqlType::Struct(_) | SqlType::List(_) => return None,
    };
    (wanted != *given).then_some(wanted)
}
