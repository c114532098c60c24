//! The one way a cell becomes text: samples, profiles, previews and personal-data scans all read what stands here.
//!
//! | type | text |
//! |---|---|
//! | BOOLEAN | `true`, `false` |
//! | BIGINT, UBIGINT | decimal digits |
//! | DOUBLE | the shortest text that reads back as the same number, always with a point or exponent; `NaN`, `Infinity`, `-Infinity` |
//! | DECIMAL(p,s) | all digits, exactly `s` of them after the point |
//! | DATE | `2024-02-29` |
//! | TIME, TIMESTAMP | `13:05:00`, `2024-02-29T13:05:00`; a fraction has 3 or 6 digits and only stands when it is not zero |
//! | TIMESTAMP WITH TIME ZONE | the same in UTC with `Z` |
//! | BLOB | hexadecimal digits, lower case |
//! | STRUCT, T[] | JSON; dates and bytes as strings, decimals as numbers with all digits |

use std::fmt::Write;

use arrow::array::{Array, AsArray, StructArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Float64Type, Int64Type, Time64MicrosecondType, TimeUnit,
    TimestampMicrosecondType, UInt64Type,
};
use arrow::util::display::array_value_to_string;

/// Characters kept of a value wherever values are kept: samples, top values, smallest and largest.
pub const VALUE_CHARS: usize = 256;

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// The text of one cell, or `None` when it has no value. `row` counts from 0 and must lie inside the array.
pub fn cell_text(array: &dyn Array, row: usize) -> Option<String> {
    if array.is_null(row) || *array.data_type() == DataType::Null {
        return None;
    }
    let mut out = String::new();
    write_cell(&mut out, array, row, Style::Plain);
    Some(out)
}

/// The first [`VALUE_CHARS`] characters of a text.
pub fn cut(text: &str) -> &str {
    if text.len() <= VALUE_CHARS {
        return text;
    }
    text.char_indices().nth(VALUE_CHARS).map_or(text, |(end, _)| &text[..end])
}

/// Whether the text stands alone or inside JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Json,
}

fn write_cell(out: &mut String, array: &dyn Array, row: usize, style: Style) {
    if array.is_null(row) {
        out.push_str("null");
        return;
    }
    match array.data_type() {
        DataType::Boolean => out.push_str(if array.as_boolean().value(row) { "true" } else { "false" }),
        DataType::Int64 => put(out, array.as_primitive::<Int64Type>().value(row)),
        DataType::UInt64 => put(out, array.as_primitive::<UInt64Type>().value(row)),
        DataType::Float64 => {
            let value = array.as_primitive::<Float64Type>().value(row);
            quoted(out, style == Style::Json && !value.is_finite(), |out| write_float(out, value));
        }
        DataType::Decimal128(_, scale) => write_decimal(out, array.as_primitive::<Decimal128Type>().value(row), *scale),
        DataType::Date32 => {
            let days = i64::from(array.as_primitive::<Date32Type>().value(row));
            quoted(out, style == Style::Json, |out| write_date(out, days));
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            let micros = array.as_primitive::<Time64MicrosecondType>().value(row);
            quoted(out, style == Style::Json, |out| write_time(out, micros));
        }
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            let micros = array.as_primitive::<TimestampMicrosecondType>().value(row);
            quoted(out, style == Style::Json, |out| write_timestamp(out, micros, zone.is_some()));
        }
        DataType::Utf8 => write_text(out, array.as_string::<i32>().value(row), style),
        DataType::LargeUtf8 => write_text(out, array.as_string::<i64>().value(row), style),
        DataType::Utf8View => write_text(out, array.as_string_view().value(row), style),
        DataType::Binary => {
            let bytes = array.as_binary::<i32>().value(row);
            quoted(out, style == Style::Json, |out| write_hex(out, bytes));
        }
        DataType::Struct(_) => write_struct(out, array.as_struct(), row),
        DataType::List(_) => write_list(out, array.as_list::<i32>().value(row).as_ref()),
        other => write_foreign(out, array, row, style, canonical(other)),
    }
}

/// A type that our own Parquet never holds: cast the one cell to the type that says the same, or let arrow spell it.
fn write_foreign(out: &mut String, array: &dyn Array, row: usize, style: Style, to: Option<DataType>) {
    let one = array.slice(row, 1);
    match to.and_then(|to| cast(one.as_ref(), &to).ok()) {
        Some(ours) => write_cell(out, ours.as_ref(), 0, style),
        None => write_text(out, &array_value_to_string(one.as_ref(), 0).unwrap_or_default(), style),
    }
}

/// The type of our Parquet that says the same as a foreign one.
fn canonical(foreign: &DataType) -> Option<DataType> {
    Some(match foreign {
        DataType::Int8 | DataType::Int16 | DataType::Int32 => DataType::Int64,
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => DataType::UInt64,
        DataType::Float16 | DataType::Float32 => DataType::Float64,
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) => DataType::Decimal128(*p, *s),
        DataType::Date64 => DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::Time32(_) | DataType::Time64(_) => DataType::Time64(TimeUnit::Microsecond),
        DataType::Timestamp(_, zone) => DataType::Timestamp(TimeUnit::Microsecond, zone.clone()),
        DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => DataType::Binary,
        DataType::LargeList(item) | DataType::FixedSizeList(item, _) => DataType::List(item.clone()),
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        _ => return None,
    })
}

fn put(out: &mut String, value: impl std::fmt::Display) {
    write!(out, "{value}").expect("writing to a String cannot fail");
}

fn quoted(out: &mut String, quotes: bool, write: impl FnOnce(&mut String)) {
    if quotes {
        out.push('"');
    }
    write(out);
    if quotes {
        out.push('"');
    }
}

fn write_text(out: &mut String, text: &str, style: Style) {
    match style {
        Style::Plain => out.push_str(text),
        Style::Json => out.push_str(&serde_json::Value::from(text).to_string()),
    }
}

fn write_struct(out: &mut String, array: &StructArray, row: usize) {
    out.push('{');
    for (i, (field, column)) in array.fields().iter().zip(array.columns()).enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_text(out, field.name(), Style::Json);
        out.push(':');
        write_cell(out, column.as_ref(), row, Style::Json);
    }
    out.push('}');
}

fn write_list(out: &mut String, items: &dyn Array) {
    out.push('[');
    for row in 0..items.len() {
        if row > 0 {
            out.push(',');
        }
        write_cell(out, items, row, Style::Json);
    }
    out.push(']');
}

fn write_hex(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        write!(out, "{byte:02x}").expect("writing to a String cannot fail");
    }
}

pub(crate) fn write_float(out: &mut String, value: f64) {
    if value.is_finite() {
        write!(out, "{value:?}").expect("writing to a String cannot fail");
    } else if value.is_nan() {
        out.push_str("NaN");
    } else {
        out.push_str(if value > 0.0 { "Infinity" } else { "-Infinity" });
    }
}

pub(crate) fn write_decimal(out: &mut String, value: i128, scale: i8) {
    if value < 0 {
        out.push('-');
    }
    let digits = value.unsigned_abs().to_string();
    let scale = usize::from(scale.unsigned_abs()) * usize::from(scale > 0);
    if scale == 0 {
        out.push_str(&digits);
    } else if digits.len() > scale {
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        put(out, format_args!("{whole}.{fraction}"));
    } else {
        put(out, format_args!("0.{digits:0>scale$}"));
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar. Years past 9999 and before 0 carry a sign, as ISO 8601 wants.
pub(crate) fn write_date(out: &mut String, days: i64) {
    // Counting from 0000-03-01 puts the leap day at the end of a year, so that 400-year eras divide evenly.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    if (0..=9_999).contains(&year) {
        put(out, format_args!("{year:04}-{month:02}-{day:02}"));
    } else {
        put(out, format_args!("{year:+05}-{month:02}-{day:02}"));
    }
}

pub(crate) fn write_time(out: &mut String, micros: i64) {
    let (seconds, fraction) = (micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    put(out, format_args!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60));
    if fraction % 1_000 != 0 {
        put(out, format_args!(".{fraction:06}"));
    } else if fraction != 0 {
        put(out, format_args!(".{:03}", fraction / 1_000));
    }
}

pub(crate) fn write_timestamp(out: &mut String, micros: i64, utc: bool) {
    write_date(out, micros.div_euclid(MICROS_PER_DAY));
    out.push('T');
    write_time(out, micros.rem_euclid(MICROS_PER_DAY));
    if utc {
        out.push('Z');
    }
}
