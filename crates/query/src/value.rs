//! Cells as JSON, without loss.
//!
//! | SQL type | JSON |
//! |---|---|
//! | BOOLEAN | true, false |
//! | BIGINT, UBIGINT | number with every digit |
//! | DOUBLE | number; the strings `NaN`, `Infinity`, `-Infinity` |
//! | DECIMAL | string with every digit of its scale: `"12.50"` |
//! | DATE, TIME, TIMESTAMP | ISO 8601 strings, seconds with as many of their digits as are not zero: `"2024-02-29T12:00:00.5"` |
//! | TIMESTAMP WITH TIME ZONE | the same in UTC with a `Z` |
//! | VARCHAR, JSON | string (JSON stays the text it is, so that its numbers keep their digits) |
//! | BLOB | string of lower-case hexadecimal digits after `\x` |
//! | STRUCT | object |
//! | T[] | list |
//! | intervals, durations | string |
//! | no value | null |

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    DataType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use serde_json::{Map, Number, Value};

/// Bytes of JSON that may still be made. Cells made past its end are null; the caller drops their row.
#[derive(Debug)]
pub struct Budget(Option<usize>);

impl Budget {
    /// A budget of that many bytes.
    pub fn new(bytes: usize) -> Self {
        Self(Some(bytes))
    }

    /// Whether it was not enough.
    pub fn is_spent(&self) -> bool {
        self.0.is_none()
    }

    fn take(&mut self, bytes: usize) -> bool {
        self.0 = self.0.and_then(|left| left.checked_sub(bytes));
        self.0.is_some()
    }
}

/// The column without encodings that [`cell`] does not see through: dictionaries and runs.
pub fn plain(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match column.data_type() {
        DataType::Dictionary(_, value) => cast(column, value),
        DataType::RunEndEncoded(_, values) => cast(column, values.data_type()),
        _ => Ok(column.clone()),
    }
}

/// One cell as JSON.
pub fn cell(array: &dyn Array, row: usize, budget: &mut Budget) -> Value {
    // A cell's name, quotes and comma come on top of its digits; eight bytes are near enough for a bound.
    // A column of type NULL has no null mask.
    if !budget.take(8) || array.is_null(row) || *array.data_type() == DataType::Null {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Boolean => Value::Bool(array.as_boolean().value(row)),
        DataType::Int8 => signed::<Int8Type>(array, row),
        DataType::Int16 => signed::<Int16Type>(array, row),
        DataType::Int32 => signed::<Int32Type>(array, row),
        DataType::Int64 => signed::<Int64Type>(array, row),
        DataType::UInt8 => unsigned::<UInt8Type>(array, row),
        DataType::UInt16 => unsigned::<UInt16Type>(array, row),
        DataType::UInt32 => unsigned::<UInt32Type>(array, row),
        DataType::UInt64 => unsigned::<UInt64Type>(array, row),
        DataType::Float16 => single(array.as_primitive::<Float16Type>().value(row).to_f32()),
        DataType::Float32 => single(array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => double(array.as_primitive::<Float64Type>().value(row)),
        DataType::Decimal32(..) => array.as_primitive::<Decimal32Type>().value_as_string(row).into(),
        DataType::Decimal64(..) => array.as_primitive::<Decimal64Type>().value_as_string(row).into(),
        DataType::Decimal128(..) => array.as_primitive::<Decimal128Type>().value_as_string(row).into(),
        DataType::Decimal256(..) => array.as_primitive::<Decimal256Type>().value_as_string(row).into(),
        DataType::Utf8 => text(array.as_string::<i32>().value(row), budget),
        DataType::LargeUtf8 => text(array.as_string::<i64>().value(row), budget),
        DataType::Utf8View => text(array.as_string_view().value(row), budget),
        DataType::Binary => blob(array.as_binary::<i32>().value(row), budget),
        DataType::LargeBinary => blob(array.as_binary::<i64>().value(row), budget),
        DataType::BinaryView => blob(array.as_binary_view().value(row), budget),
        DataType::FixedSizeBinary(_) => blob(array.as_fixed_size_binary().value(row), budget),
        DataType::Date32 | DataType::Date64 | DataType::Time32(_) | DataType::Time64(_) | DataType::Timestamp(..) => {
            moment(array, row).into()
        }
        _ => nested(array, row, budget),
    }
}

fn nested(array: &dyn Array, row: usize, budget: &mut Budget) -> Value {
    match array.data_type() {
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            let mut object = Map::new();
            for (field, column) in fields.iter().zip(columns) {
                if budget.take(field.name().len()) {
                    object.insert(field.name().clone(), cell(column, row, budget));
                }
            }
            Value::Object(object)
        }
        DataType::List(_) => items(&array.as_list::<i32>().value(row), budget),
        DataType::LargeList(_) => items(&array.as_list::<i64>().value(row), budget),
        DataType::FixedSizeList(..) => items(&array.as_fixed_size_list().value(row), budget),
        DataType::ListView(_) => items(&array.as_list_view::<i32>().value(row), budget),
        DataType::LargeListView(_) => items(&array.as_list_view::<i64>().value(row), budget),
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let mut object = Map::new();
            for i in 0..entries.len() {
                if budget.is_spent() {
                    break;
                }
                let key = match cell(entries.column(0), i, budget) {
                    Value::String(key) => key,
                    other => other.to_string(),
                };
                object.insert(key, cell(entries.column(1), i, budget));
            }
            Value::Object(object)
        }
        _ => match ArrayFormatter::try_new(array, &FormatOptions::new()) {
            Ok(formatter) => text(&formatter.value(row).to_string(), budget),
            Err(_) => Value::Null,
        },
    }
}

fn items(values: &ArrayRef, budget: &mut Budget) -> Value {
    let Ok(values) = plain(values) else { return Value::Null };
    let mut list = Vec::new();
    for i in 0..values.len() {
        if budget.is_spent() {
            break;
        }
        list.push(cell(&values, i, budget));
    }
    Value::Array(list)
}

fn signed<T: ArrowPrimitiveType>(array: &dyn Array, row: usize) -> Value
where
    i64: From<T::Native>,
{
    Value::Number(i64::from(array.as_primitive::<T>().value(row)).into())
}

fn unsigned<T: ArrowPrimitiveType>(array: &dyn Array, row: usize) -> Value
where
    u64: From<T::Native>,
{
    Value::Number(u64::from(array.as_primitive::<T>().value(row)).into())
}

/// A 32-bit float by its shortest text, so that 0.1 stays 0.1.
fn single(value: f32) -> Value {
    double(value.to_string().parse().unwrap_or_else(|_| f64::from(value)))
}

fn double(value: f64) -> Value {
    match Number::from_f64(value) {
        Some(number) => Value::Number(number),
        None if value.is_nan() => "NaN".into(),
        None if value > 0.0 => "Infinity".into(),
        None => "-Infinity".into(),
    }
}

fn text(value: &str, budget: &mut Budget) -> Value {
    if budget.take(value.len()) { value.into() } else { Value::Null }
}

fn blob(bytes: &[u8], budget: &mut Budget) -> Value {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    if !budget.take(bytes.len().saturating_mul(2)) {
        return Value::Null;
    }
    let mut hex = String::with_capacity(2 + bytes.len() * 2);
    hex.push_str("\\x");
    for byte in bytes {
        hex.push(char::from(DIGITS[usize::from(byte >> 4)]));
        hex.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    hex.into()
}

/// Dates and times. One that the calendar cannot print (past the year 262,000) is shown as its raw count.
fn moment(array: &dyn Array, row: usize) -> String {
    const DAY: i64 = 86_400;
    match array.data_type() {
        DataType::Date32 => date(i64::from(array.as_primitive::<Date32Type>().value(row)) * DAY),
        DataType::Date64 => date(array.as_primitive::<Date64Type>().value(row).div_euclid(1_000)),
        DataType::Time32(TimeUnit::Second) => {
            clock(i64::from(array.as_primitive::<Time32SecondType>().value(row)), TimeUnit::Second)
        }
        DataType::Time32(_) => {
            clock(i64::from(array.as_primitive::<Time32MillisecondType>().value(row)), TimeUnit::Millisecond)
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            clock(array.as_primitive::<Time64NanosecondType>().value(row), TimeUnit::Nanosecond)
        }
        DataType::Time64(_) => clock(array.as_primitive::<Time64MicrosecondType>().value(row), TimeUnit::Microsecond),
        DataType::Timestamp(unit, zone) => {
            let count = match unit {
                TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value(row),
                TimeUnit::Millisecond => array.as_primitive::<TimestampMillisecondType>().value(row),
                TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().value(row),
                TimeUnit::Nanosecond => array.as_primitive::<TimestampNanosecondType>().value(row),
            };
            let (seconds, nanos) = split(count, *unit);
            match chrono::DateTime::from_timestamp(seconds, nanos) {
                Some(at) => {
                    let zone = if zone.is_some() { "Z" } else { "" };
                    format!("{}{}{zone}", at.format("%Y-%m-%dT%H:%M:%S"), fraction(nanos))
                }
                None => count.to_string(),
            }
        }
        _ => unreachable!("only dates, times and timestamps come here"),
    }
}

fn date(seconds: i64) -> String {
    chrono::DateTime::from_timestamp(seconds, 0)
        .map_or_else(|| seconds.to_string(), |at| at.format("%Y-%m-%d").to_string())
}

fn clock(count: i64, unit: TimeUnit) -> String {
    let (seconds, nanos) = split(count, unit);
    format!("{:02}:{:02}:{:02}{}", seconds / 3_600, seconds / 60 % 60, seconds % 60, fraction(nanos))
}

fn split(count: i64, unit: TimeUnit) -> (i64, u32) {
    let (per_second, nanos_each) = match unit {
        TimeUnit::Second => (1, 1_000_000_000),
        TimeUnit::Millisecond => (1_000, 1_000_000),
        TimeUnit::Microsecond => (1_000_000, 1_000),
        TimeUnit::Nanosecond => (1_000_000_000, 1),
    };
    (count.div_euclid(per_second), (count.rem_euclid(per_second) * nanos_each) as u32)
}

fn fraction(nanos: u32) -> String {
    if nanos == 0 { String::new() } else { format!(".{nanos:09}").trim_end_matches('0').to_owned() }
}
