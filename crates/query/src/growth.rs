//! How large the result of a function can get, worked out from its arguments without computing it.

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::length::length;
use datafusion::arrow::datatypes::{DataType, Int64Type, IntervalMonthDayNanoType, TimeUnit};
use datafusion::error::Result;
use datafusion::logical_expr::ColumnarValue;
use domain::limits;

/// Bytes counted for a list item, or a number printed as text.
const ITEM: u64 = 16;
/// A constant is copied once a row wherever it meets a column, so it gets far less: as much as could be written out.
const CONSTANT: u64 = limits::SQL_CHARS as u64;
/// Steps allowed to one call over a batch: a second or so.
const WORK: u64 = 1 << 30;

/// How the result of a function follows from its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Growth {
    /// text, count.
    Repeat,
    /// text, length, fill.
    Pad,
    /// text, from, to.
    Replace,
    /// text, pattern, to.
    RegexReplace,
    /// texts.
    Concat,
    /// separator, texts.
    ConcatWith,
    /// list, separator.
    ListToText,
    /// start, end, step.
    Series,
    /// item, count.
    ListRepeat,
    /// list, length, fill.
    ListResize,
    /// lists and items.
    ListConcat,
    /// Not space but time: every character of a text against every one of another.
    Work,
}

/// Upper bound of the result's bytes over `rows` rows, and how many are allowed.
pub(crate) fn estimate(growth: Growth, args: &[ColumnarValue], rows: usize, constant: bool) -> Result<(u64, u64)> {
    let sizes = |i: usize| args.get(i).map_or_else(|| Ok(vec![0; rows]), |arg| sizes(arg, rows));
    let numbers = |i: usize| args.get(i).map_or_else(|| Ok(vec![0; rows]), |arg| numbers(arg, rows));
    let allowed = if constant { CONSTANT } else { limits::SQL_FUNCTION_BYTES as u64 };
    let bytes = match growth {
        Growth::Work => {
            let (one, other) = (sizes(0)?, sizes(1)?);
            return Ok((sum((0..rows).map(|i| one[i].saturating_mul(other[i]))), WORK));
        }
        Growth::Repeat => product(&sizes(0)?, &numbers(1)?),
        // A character takes up to four bytes.
        Growth::Pad => product(&vec![4; rows], &numbers(1)?),
        Growth::Replace => {
            let (text, from, to) = (sizes(0)?, sizes(1)?, sizes(2)?);
            sum((0..rows).map(|i| {
                let matches = text[i].checked_div(from[i]).unwrap_or(text[i].saturating_add(1));
                text[i].saturating_add(matches.saturating_mul(to[i]))
            }))
        }
        Growth::RegexReplace => {
            // Every position may match, and every two bytes of the replacement may name a whole group. Real ones are
            // far smaller, so the bound is wider.
            let (text, to) = (sizes(0)?, sizes(2)?);
            let bytes = sum((0..rows).map(|i| text[i].saturating_add(1).saturating_mul(to[i] + to[i] / 2 + 1)));
            return Ok((bytes, allowed.saturating_mul(8)));
        }
        Growth::Concat | Growth::ConcatWith => {
            let mut bytes = 0_u64;
            for i in 0..args.len() {
                bytes = bytes.saturating_add(sum(sizes(i)?.into_iter()));
            }
            if growth == Growth::ConcatWith {
                let separators = sum(sizes(0)?.into_iter()).saturating_mul(args.len() as u64);
                bytes = bytes.saturating_add(separators);
            }
            bytes
        }
        Growth::ListToText => {
            let (items, separator) = (sizes(0)?, sizes(1)?);
            let separators = sum((0..rows).map(|i| (items[i] / ITEM).saturating_mul(separator[i])));
            separators.saturating_add(memory(&args[0], rows))
        }
        Growth::Series => series(args, rows)?,
        Growth::ListRepeat => product(&vec![item_size(args.first(), rows); rows], &numbers(1)?),
        Growth::ListResize => product(&vec![item_size(args.get(2), rows); rows], &numbers(1)?),
        Growth::ListConcat => args.iter().fold(0_u64, |bytes, arg| bytes.saturating_add(memory(arg, rows))),
    };
    Ok((bytes, allowed))
}

fn sum(sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.fold(0, u64::saturating_add)
}

fn product(sizes: &[u64], counts: &[i64]) -> u64 {
    sum(sizes.iter().zip(counts).map(|(size, count)| size.saturating_mul(u64::try_from(*count).unwrap_or(0))))
}

/// Bytes of text, or `ITEM` for each item of a list, in each row.
fn sizes(value: &ColumnarValue, rows: usize) -> Result<Vec<u64>> {
    let (array, each) = match value {
        ColumnarValue::Array(array) => (array.clone(), false),
        ColumnarValue::Scalar(scalar) => (scalar.to_array()?, true),
    };
    let weight = if matches!(
        array.data_type(),
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) | DataType::ListView(_)
    ) {
        ITEM
    } else {
        1
    };
    let Ok(lengths) = length(&array) else { return Ok(vec![ITEM; rows]) };
    let lengths = cast(&lengths, &DataType::Int64)?;
    let lengths = lengths.as_primitive::<Int64Type>();
    let at = |i: usize| if lengths.is_null(i) { 0 } else { lengths.value(i).unsigned_abs() * weight };
    Ok(if each { vec![at(0); rows] } else { (0..rows.min(lengths.len())).map(at).collect() })
}

/// A whole number in each row; 0 where there is none.
fn numbers(value: &ColumnarValue, rows: usize) -> Result<Vec<i64>> {
    whole(value, rows, &DataType::Int64)
}

fn whole(value: &ColumnarValue, rows: usize, through: &DataType) -> Result<Vec<i64>> {
    let (array, each) = match value {
        ColumnarValue::Array(array) => (array.clone(), false),
        ColumnarValue::Scalar(scalar) => (scalar.to_array()?, true),
    };
    let numbers = cast(&cast(&array, through)?, &DataType::Int64)?;
    let numbers = numbers.as_primitive::<Int64Type>();
    let at = |i: usize| if numbers.is_null(i) { 0 } else { numbers.value(i) };
    Ok(if each { vec![at(0); rows] } else { (0..rows.min(numbers.len())).map(at).collect() })
}

/// Bytes a value takes in memory when it stands in every row.
fn memory(value: &ColumnarValue, rows: usize) -> u64 {
    match value {
        ColumnarValue::Array(array) => array.to_data().get_slice_memory_size().map_or(u64::MAX, |bytes| bytes as u64),
        ColumnarValue::Scalar(scalar) => (scalar.size() as u64).saturating_mul(rows as u64),
    }
}

/// Bytes of the largest item, at least `ITEM`.
fn item_size(item: Option<&ColumnarValue>, rows: usize) -> u64 {
    let Some(item) = item else { return ITEM };
    match item {
        ColumnarValue::Scalar(scalar) => (scalar.size() as u64).max(ITEM),
        ColumnarValue::Array(_) => sizes(item, rows).map_or(ITEM, |sizes| sizes.into_iter().fold(ITEM, u64::max)),
    }
}

/// Bytes of a list of numbers or moments from start to end.
fn series(args: &[ColumnarValue], rows: usize) -> Result<u64> {
    let moment = DataType::Timestamp(TimeUnit::Microsecond, None);
    let temporal = args.first().is_some_and(|start| {
        matches!(start.data_type(), DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
    });
    let point = |i: usize| whole(&args[i], rows, if temporal { &moment } else { &DataType::Int64 });
    // With one argument the series starts at 0.
    let (start, end) = if args.len() > 1 { (point(0)?, point(1)?) } else { (vec![0; rows], point(0)?) };
    let steps = match args.get(2) {
        Some(step) if temporal => intervals(step, rows)?,
        Some(step) => whole(step, rows, &DataType::Int64)?,
        None => vec![1; rows],
    };
    Ok(sum((0..rows).map(|i| {
        let items = start[i].abs_diff(end[i]) / steps[i].unsigned_abs().max(1);
        items.saturating_add(1).saturating_mul(8)
    })))
}

/// Intervals as microseconds, months at their shortest.
fn intervals(value: &ColumnarValue, rows: usize) -> Result<Vec<i64>> {
    const DAY: i64 = 86_400_000_000;
    let (array, each) = match value {
        ColumnarValue::Array(array) => (array.clone(), false),
        ColumnarValue::Scalar(scalar) => (scalar.to_array()?, true),
    };
    let Some(array) = array.as_primitive_opt::<IntervalMonthDayNanoType>() else { return Ok(vec![1; rows]) };
    let at = |i: usize| {
        let step = array.value(i);
        (i64::from(step.months) * 28 + i64::from(step.days)).saturating_mul(DAY) + step.nanoseconds / 1_000
    };
    Ok(if each { vec![at(0); rows] } else { (0..rows.min(array.len())).map(at).collect() })
}
