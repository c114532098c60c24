//! Cells as text.

use std::sync::Arc;

use annotate::cell_text;
use arrow::array::{
    Array, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array, Int32Array,
    Int64Array, ListArray, NullArray, StringArray, StringViewArray, StructArray, Time64MicrosecondArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, UInt64Array,
};
use arrow::datatypes::{DataType, Field, Int32Type, Int64Type};

fn texts(array: &dyn Array) -> Vec<Option<String>> {
    (0..array.len()).map(|row| cell_text(array, row)).collect()
}

fn all(array: &dyn Array) -> Vec<String> {
    texts(array).into_iter().map(Option::unwrap).collect()
}

#[test]
fn numbers_keep_every_digit() {
    assert_eq!(all(&Int64Array::from(vec![i64::MIN, 0])), ["-9223372036854775808", "0"]);
    assert_eq!(all(&UInt64Array::from(vec![u64::MAX])), ["18446744073709551615"]);
    let floats = [1.0, 0.1, 1e300, -0.0, 1e-7, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 123_456_789.125];
    let spelt = ["1.0", "0.1", "1e300", "-0.0", "1e-7", "NaN", "Infinity", "-Infinity", "123456789.125"];
    assert_eq!(all(&Float64Array::from(floats.to_vec())), spelt);
    let decimals = Decimal128Array::from(vec![1_250, -5, 0, 100]).with_precision_and_scale(10, 2).unwrap();
    assert_eq!(all(&decimals), ["12.50", "-0.05", "0.00", "1.00"]);
    let whole = Decimal128Array::from(vec![-42]).with_precision_and_scale(20, 0).unwrap();
    assert_eq!(all(&whole), ["-42"]);
}

#[test]
fn days_are_iso_over_the_whole_range() {
    let days = vec![0, 19_782, -1, -719_528, -719_529, 2_932_896, 2_932_897];
    let spelt = ["1970-01-01", "2024-02-29", "1969-12-31", "0000-01-01", "-0001-12-31", "9999-12-31", "+10000-01-01"];
    assert_eq!(all(&Date32Array::from(days)), spelt);
}

#[test]
fn times_show_a_fraction_only_when_there_is_one() {
    assert_eq!(
        all(&Time64MicrosecondArray::from(vec![0, 47_100_000_000, 1_500_000, 1])),
        ["00:00:00", "13:05:00", "00:00:01.500", "00:00:00.000001"]
    );
    let micros = vec![1_709_211_900_000_000, -1];
    let plain = TimestampMicrosecondArray::from(micros.clone());
    assert_eq!(all(&plain), ["2024-02-29T13:05:00", "1969-12-31T23:59:59.999999"]);
    let utc = TimestampMicrosecondArray::from(micros).with_timezone("UTC");
    assert_eq!(all(&utc), ["2024-02-29T13:05:00Z", "1969-12-31T23:59:59.999999Z"]);
    assert_eq!(all(&TimestampMillisecondArray::from(vec![1_500])), ["1970-01-01T00:00:01.500"]);
}

#[test]
fn texts_stay_as_they_are_and_bytes_become_digits() {
    assert_eq!(all(&StringArray::from(vec!["", " a\"b ", "ß"])), ["", " a\"b ", "ß"]);
    assert_eq!(all(&StringViewArray::from(vec!["a text past twelve bytes"])), ["a text past twelve bytes"]);
    assert_eq!(all(&BinaryArray::from_vec(vec![b"\x00\xffA"])), ["00ff41"]);
    assert_eq!(all(&BooleanArray::from(vec![true, false])), ["true", "false"]);
    let dictionary: DictionaryArray<Int32Type> = vec!["x", "y", "x"].into_iter().collect();
    assert_eq!(all(&dictionary), ["x", "y", "x"]);
    assert_eq!(all(&Int32Array::from(vec![-7])), ["-7"]);
}

#[test]
fn no_value_has_no_text() {
    assert_eq!(texts(&Int64Array::from(vec![None, Some(1)])), [None, Some("1".into())]);
    assert_eq!(texts(&NullArray::new(1)), [None]);
}

#[test]
fn nested_values_are_json() {
    let list = ListArray::from_iter_primitive::<Int64Type, _, _>(vec![Some(vec![Some(1), None]), Some(vec![]), None]);
    assert_eq!(texts(&list), [Some("[1,null]".into()), Some("[]".into()), None]);
    let amounts = Decimal128Array::from(vec![1_250]).with_precision_and_scale(10, 2).unwrap();
    let nested = StructArray::from(vec![
        (
            Arc::new(Field::new("a\"b", DataType::Utf8, true)),
            Arc::new(StringArray::from(vec!["x\n\"y"])) as Arc<dyn Array>,
        ),
        (Arc::new(Field::new("d", DataType::Date32, true)), Arc::new(Date32Array::from(vec![0]))),
        (Arc::new(Field::new("m", amounts.data_type().clone(), true)), Arc::new(amounts)),
        (Arc::new(Field::new("f", DataType::Float64, true)), Arc::new(Float64Array::from(vec![f64::NAN]))),
    ]);
    let text = cell_text(&nested, 0).unwrap();
    assert_eq!(text, r#"{"a\"b":"x\n\"y","d":"1970-01-01","m":12.50,"f":"NaN"}"#);
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
}
