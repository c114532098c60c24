//! From the types of a Parquet file to the closed list of decision 49, with nothing lost that is not counted.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringBuilder};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, TimeUnit, TimestampNanosecondType};
use arrow::error::ArrowError;
use arrow::json::writer::{EncoderOptions, make_encoder};
use domain::name::column_names;
use domain::{Column, SqlType, limits};

use crate::write::arrow_type;

/// Most digits of a decimal.
const MOST_DIGITS: u8 = 38;

/// The SQL type of a column.
pub fn sql_type(data_type: &DataType) -> SqlType {
    if needs_json(data_type) { SqlType::Json } else { plain(data_type) }
}

/// Whether a type holds something that only JSON can: maps, unions and what is newer.
fn needs_json(data_type: &DataType) -> bool {
    match data_type {
        DataType::Map(..)
        | DataType::Union(..)
        | DataType::RunEndEncoded(..)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => true,
        DataType::Struct(fields) => fields.is_empty() || fields.iter().any(|field| needs_json(field.data_type())),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            needs_json(item.data_type())
        }
        _ => false,
    }
}

fn plain(data_type: &DataType) -> SqlType {
    match data_type {
        DataType::Boolean => SqlType::Boolean,
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32 => SqlType::BigInt,
        DataType::UInt64 => SqlType::UBigInt,
        DataType::Float16 | DataType::Float32 | DataType::Float64 => SqlType::Double,
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) | DataType::Decimal128(p, s)
            if *p <= MOST_DIGITS && (0..=p.cast_signed()).contains(s) =>
        {
            SqlType::Decimal(*p, s.cast_unsigned())
        }
        DataType::Date32 | DataType::Date64 => SqlType::Date,
        DataType::Time32(_) | DataType::Time64(_) => SqlType::Time,
        DataType::Timestamp(_, None) => SqlType::Timestamp,
        DataType::Timestamp(_, Some(_)) => SqlType::TimestampTz,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => SqlType::Blob,
        DataType::Dictionary(_, value) => plain(value),
        DataType::Struct(fields) => SqlType::Struct(columns(fields)),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            SqlType::List(Box::new(plain(item.data_type())))
        }
        // Texts; and what is written out as text: wide decimals, durations, intervals, columns of nulls.
        _ => SqlType::Varchar,
    }
}

fn columns(fields: &Fields) -> Vec<Column> {
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let names = column_names(&names).names;
    let column =
        |(name, field): (String, &FieldRef)| Column { name, sql_type: plain(field.data_type()), nullable: true };
    names.into_iter().zip(fields).map(column).collect()
}

/// Texts and bytes as views into the pages, in which a value that many rows share stands once.
pub fn without_copies(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Dictionary(_, value) => match without_copies(value) {
            view @ (DataType::Utf8View | DataType::BinaryView) => view,
            _ => data_type.clone(),
        },
        other => other.clone(),
    }
}

/// A batch in pieces whose texts and bytes take no more than a batch may once they are copied, as far as rows allow.
pub fn pieces(batch: &RecordBatch) -> Vec<RecordBatch> {
    // The low half of a view is the length of its value; nulls have none.
    let sum = |views: &[u128]| views.iter().map(|view| *view as u32 as usize).fold(0, usize::saturating_add);
    let bytes = batch.columns().iter().map(|array| match array.data_type() {
        DataType::Utf8View => sum(array.as_string_view().views()),
        DataType::BinaryView => sum(array.as_binary_view().views()),
        _ => 0,
    });
    let rows = batch.num_rows();
    if rows < 2 || bytes.fold(0, usize::saturating_add) <= 2 * limits::BATCH_BYTES {
        return vec![batch.clone()];
    }
    let half = rows / 2;
    [batch.slice(0, half), batch.slice(half, rows - half)].iter().flat_map(pieces).collect()
}

/// The values as they are written; fails where a value has no place in the type.
pub fn convert(array: &ArrayRef, field: &FieldRef, target: &SqlType) -> Result<ArrayRef, ArrowError> {
    const STRICT: CastOptions<'static> =
        CastOptions { safe: false, format_options: arrow::util::display::FormatOptions::new() };
    let wanted = arrow_type(target);
    if array.data_type() == &wanted {
        return Ok(Arc::clone(array));
    }
    if *target == SqlType::Json {
        return json(&cast_with_options(array, &with_text_keys(array.data_type()), &STRICT)?, field);
    }
    // Struct fields are matched by name where names differ, so the names are changed first.
    cast_with_options(&renamed(array, &wanted)?, &wanted, &STRICT)
}

/// The same values with the field names of `wanted`.
fn renamed(array: &ArrayRef, wanted: &DataType) -> Result<ArrayRef, ArrowError> {
    let (DataType::Struct(own), DataType::Struct(new)) = (array.data_type(), wanted) else {
        return Ok(Arc::clone(array));
    };
    if own.iter().zip(new).all(|(a, b)| a.name() == b.name()) {
        return Ok(Arc::clone(array));
    }
    let fields: Fields = own.iter().zip(new).map(|(a, b)| a.as_ref().clone().with_name(b.name())).collect();
    let (_, arrays, nulls) = array.as_struct().clone().into_parts();
    Ok(Arc::new(arrow::array::StructArray::try_new(fields, arrays, nulls)?))
}

/// The type with texts as the keys of its maps, as JSON has no others.
fn with_text_keys(data_type: &DataType) -> DataType {
    let inner = |field: &FieldRef| -> FieldRef {
        Arc::new(Field::new(field.name(), with_text_keys(field.data_type()), field.is_nullable()))
    };
    match data_type {
        DataType::Map(entries, sorted) => match entries.data_type() {
            DataType::Struct(fields) if fields.len() == 2 => {
                let key = Arc::new(fields[0].as_ref().clone().with_data_type(DataType::Utf8));
                let pair = DataType::Struct(vec![key, inner(&fields[1])].into());
                DataType::Map(Arc::new(entries.as_ref().clone().with_data_type(pair)), *sorted)
            }
            _ => data_type.clone(),
        },
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        DataType::List(item) => DataType::List(inner(item)),
        DataType::LargeList(item) => DataType::LargeList(inner(item)),
        DataType::FixedSizeList(item, n) => DataType::FixedSizeList(inner(item), *n),
        other => other.clone(),
    }
}

fn json(array: &ArrayRef, field: &FieldRef) -> Result<ArrayRef, ArrowError> {
    let options = EncoderOptions::default().with_explicit_nulls(true);
    let field: FieldRef = Arc::new(field.as_ref().clone().with_data_type(array.data_type().clone()));
    let mut encoder = make_encoder(&field, array.as_ref(), &options)?;
    let mut texts = StringBuilder::with_capacity(array.len(), array.len() * 16);
    let mut text = Vec::new();
    for row in 0..array.len() {
        if array.is_null(row) {
            texts.append_null();
            continue;
        }
        text.clear();
        encoder.encode(row, &mut text);
        let text = std::str::from_utf8(&text).map_err(|_| ArrowError::JsonError("not UTF-8".to_owned()))?;
        texts.append_value(text);
    }
    Ok(Arc::new(texts.finish()))
}

/// Values of timestamps and times that microseconds do not hold.
pub fn too_fine(array: &ArrayRef) -> u64 {
    let finer = |values: &[i64]| {
        values.iter().enumerate().filter(|(i, value)| *value % 1_000 != 0 && array.is_valid(*i)).count() as u64
    };
    match array.data_type() {
        DataType::Timestamp(TimeUnit::Nanosecond, _) => finer(array.as_primitive::<TimestampNanosecondType>().values()),
        DataType::Time64(TimeUnit::Nanosecond) => {
            finer(array.as_primitive::<arrow::datatypes::Time64NanosecondType>().values())
        }
        DataType::Struct(_) => array.as_struct().columns().iter().map(too_fine).sum(),
        DataType::List(_) => too_fine(array.as_list::<i32>().values()),
        DataType::LargeList(_) => too_fine(array.as_list::<i64>().values()),
        DataType::FixedSizeList(..) => too_fine(array.as_fixed_size_list().values()),
        _ => 0,
    }
}
