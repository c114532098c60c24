//! Properties of JSON: whatever records there are, what was written holds their values, in one pass as in two.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Decimal128Type, Float64Type, Int64Type, UInt64Type};
use domain::SqlType;
use flyquery_formats::ReadOptions;
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::desk::{Bytes, read_source};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        2 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        3 => any::<i64>().prop_map(Value::from),
        3 => (-1000_i64..1000).prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        3 => any::<f64>().prop_filter("JSON has no others", |f| f.is_finite()).prop_map(Value::from),
        4 => any::<String>().prop_map(Value::from),
        1 => "[0-9]{1,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key(), inner), 0..4).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![Just("k".to_owned()), Just("q".to_owned()), Just("é \" \\ \n".to_owned())]
}

/// Values of one kind, so that columns with types come up often.
fn column() -> impl Strategy<Value = Vec<Value>> {
    let kinds = prop_oneof![
        2 => Just(value().boxed()),
        1 => Just((-5_i64..5).prop_map(Value::from).boxed()),
        1 => Just(any::<i64>().prop_map(Value::from).boxed()),
        1 => Just((-1e6..1e6).prop_map(Value::from).boxed()),
        1 => Just(any::<String>().prop_map(Value::from).boxed()),
        1 => Just(proptest::collection::vec((0_i64..9).prop_map(Value::from), 0..3).prop_map(Value::from).boxed()),
    ];
    kinds.prop_flat_map(|kind| proptest::collection::vec(prop_oneof![4 => kind, 1 => Just(Value::Null)], 12))
}

/// Whether a cell holds a value; `kept` is how its column is typed.
fn holds(array: &ArrayRef, row: usize, kept: &SqlType, value: &Value) -> bool {
    if array.is_null(row) {
        return value.is_null();
    }
    match (kept, value) {
        (SqlType::Json, value) => {
            // Both by the same parser, which does not always find the nearest double.
            let read = |text: &str| serde_json::from_str::<Value>(text).ok();
            read(array.as_string::<i32>().value(row)) == read(&value.to_string())
        }
        (SqlType::Boolean, Value::Bool(b)) => array.as_boolean().value(row) == *b,
        (SqlType::BigInt, Value::Number(n)) => n.as_i64() == Some(array.as_primitive::<Int64Type>().value(row)),
        (SqlType::UBigInt, Value::Number(n)) => n.as_u64() == Some(array.as_primitive::<UInt64Type>().value(row)),
        (SqlType::Double, Value::Number(n)) => {
            let double = array.as_primitive::<Float64Type>().value(row);
            n.as_f64() == Some(double) && n.as_i64().is_none_or(|whole| double as i128 == i128::from(whole))
        }
        (SqlType::Decimal(..), Value::Number(n)) => {
            let text = array.as_primitive::<Decimal128Type>().value_as_string(row);
            text == n.to_string() || text.parse::<f64>().ok() == n.as_f64()
        }
        (SqlType::Varchar, Value::Number(n)) => array.as_string::<i32>().value(row) == n.to_string(),
        (SqlType::Varchar, Value::String(s)) => array.as_string::<i32>().value(row) == s,
        (SqlType::List(item), Value::Array(values)) => {
            let items = array.as_list::<i32>().value(row);
            items.len() == values.len() && values.iter().enumerate().all(|(i, v)| holds(&items, i, item, v))
        }
        (SqlType::Struct(fields), Value::Object(members)) => {
            let columns = array.as_struct().columns();
            let all = fields.iter().zip(columns).all(|(field, column)| {
                let written = members.iter().find(|(key, _)| cleaned(key) == field.name);
                holds(column, row, &field.sql_type, written.map_or(&Value::Null, |(_, v)| v))
            });
            all && members.keys().all(|key| fields.iter().any(|field| field.name == cleaned(key)))
        }
        _ => false,
    }
}

/// How the awkward key of `key` is named as a field.
fn cleaned(key: &str) -> String {
    key.replace('\n', " ").trim().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_hold_the_values_of_their_records(a in column(), b in column(), lines in any::<bool>(), sample in 1_usize..14) {
        let records: Vec<Value> = a.iter().zip(&b).enumerate().map(|(i, (a, b))| {
            let mut record = Map::new();
            // A key that is missing here and there, and comes late at times.
            if i % 3 != 1 {
                record.insert("a".to_owned(), a.clone());
            }
            record.insert("b".to_owned(), b.clone());
            Value::Object(record)
        }).collect();
        let text = if lines {
            records.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
        } else {
            serde_json::to_string_pretty(&records).expect("JSON")
        };
        let options = ReadOptions { infer_sample_rows: sample, ..ReadOptions::default() };
        let name = if lines { "a.jsonl" } else { "a.json" };
        let table = read_source(&Bytes(text.clone().into_bytes()), name, &options).expect("readable");
        prop_assert_eq!(table.section.rows, 12);
        let batch = arrow::compute::concat_batches(&table.batches[0].schema(), &table.batches).expect("one schema");
        for column in &table.section.schema.columns {
            let array = batch.column_by_name(&column.name).expect("written");
            for (row, record) in records.iter().enumerate() {
                let value = record.get(&column.name).unwrap_or(&Value::Null);
                prop_assert!(holds(array, row, &column.sql_type, value), "{} {row}: {value} in {text}", column.sql_type);
            }
        }
        // The sample proposes; it does not decide.
        let whole = read_source(&Bytes(text.into_bytes()), name, &ReadOptions::default()).expect("readable");
        prop_assert_eq!(table.types(), whole.types());
    }

    #[test]
    fn no_bytes_make_the_reader_fail_by_its_own_fault(bytes in proptest::collection::vec(any::<u8>(), 0..200), lines in any::<bool>()) {
        let name = if lines { "a.jsonl" } else { "a.json" };
        if let Err(failure) = read_source(&Bytes([b"[{\"a\": ".to_vec(), bytes].concat()), name, &ReadOptions::default()) {
            prop_assert_eq!(failure.class(), domain::FailureClass::Rejected);
        }
    }

    #[test]
    fn texts_near_json_are_read_or_refused(pieces in proptest::collection::vec(prop_oneof![
        Just("{"), Just("}"), Just("["), Just("]"), Just(","), Just(":"), Just("\"a\""), Just("\"b\\n\""), Just("1"),
        Just("-2.5e3"), Just("true"), Just("null"), Just("\n"), Just("[{\"a\":1},"), Just("{\"a\":[{\"b\":2}]}"),
    ], 0..24), lines in any::<bool>()) {
        let name = if lines { "a.jsonl" } else { "a.json" };
        let text = pieces.concat();
        let sound = serde_json::from_str::<Value>(&text).is_ok();
        let read = read_source_all(&text, name);
        if let Err(failure) = &read {
            prop_assert_eq!(failure.class(), domain::FailureClass::Rejected);
        }
        if sound && !lines {
            prop_assert!(read.is_ok(), "{text}");
        }
    }
}

fn read_source_all(text: &str, name: &str) -> Result<usize, domain::Failure> {
    crate::desk::read_tables(&Bytes(text.into()), name, &ReadOptions::default()).map(|tables| tables.len())
}
