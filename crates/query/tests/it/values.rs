//! Each type as JSON and by its name on the wire, through a real Parquet file.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int8Array,
    Int64Array, ListArray, StringArray, StringDictionaryBuilder, StructArray, Time64MicrosecondArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, UInt64Array,
};
use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Int64Type};
use domain::ports::sql::Sql;
use domain::schema::SqlType;
use serde_json::{Value, json};

use crate::world::{World, batch};

/// A table of one column, its values as SQL and as a page of rows give them, and the type's name.
async fn through(array: ArrayRef) -> (Vec<Value>, String) {
    let mut world = World::new();
    world.put("t", &batch(&[("c", array)])).await;
    let answer = world.sql("SELECT c FROM t").await;
    let page = world.engine.rows(world.table("t"), 0, 100).await.expect("a page");
    assert_eq!(answer.rows, page.rows, "both ways give the same");
    (answer.rows.into_iter().map(|mut row| row.remove(0)).collect(), answer.columns[0].sql_type.to_string())
}

async fn check(array: impl Into<ArrayRef>, sql_type: &str, values: Value) {
    let (got, name) = through(array.into()).await;
    assert_eq!(Value::from(got), values, "{sql_type}");
    assert_eq!(name, sql_type);
}

fn arc<A: datafusion::arrow::array::Array + 'static>(array: A) -> ArrayRef {
    Arc::new(array)
}

#[tokio::test]
async fn numbers_keep_every_digit() {
    check(
        arc(Int64Array::from(vec![Some(i64::MIN), Some(i64::MAX), None])),
        "BIGINT",
        json!([i64::MIN, i64::MAX, null]),
    )
    .await;
    check(arc(Int8Array::from(vec![-128, 127])), "BIGINT", json!([-128, 127])).await;
    check(arc(UInt64Array::from(vec![0, u64::MAX])), "UBIGINT", json!([0, u64::MAX])).await;
    check(arc(Float32Array::from(vec![0.1, 1e30])), "DOUBLE", json!([0.1, 1e30])).await;
    check(
        arc(Float64Array::from(vec![0.1, 3.0, -0.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY])),
        "DOUBLE",
        json!([0.1, 3.0, -0.0, 1e300, "NaN", "Infinity", "-Infinity"]),
    )
    .await;
    let decimal = Decimal128Array::from(vec![Some(1_250), Some(-5), Some(0), None])
        .with_precision_and_scale(38, 2)
        .expect("a decimal");
    check(arc(decimal), "DECIMAL(38,2)", json!(["12.50", "-0.05", "0.00", null])).await;
    let widest = 10_i128.pow(37) * 9 + 1;
    let decimal = Decimal128Array::from(vec![widest]).with_precision_and_scale(38, 0).expect("a decimal");
    check(arc(decimal), "DECIMAL(38,0)", json!([widest.to_string()])).await;
}

#[tokio::test]
async fn moments_are_iso_strings() {
    check(
        arc(Date32Array::from(vec![0, 19_782, -719_162, 2_932_896])),
        "DATE",
        json!(["1970-01-01", "2024-02-29", "0001-01-01", "9999-12-31"]),
    )
    .await;
    check(
        arc(Time64MicrosecondArray::from(vec![0, 45_296_500_000, 86_399_999_999])),
        "TIME",
        json!(["00:00:00", "12:34:56.5", "23:59:59.999999"]),
    )
    .await;
    let moments = vec![0, 1_709_208_000_500_000, -1, 1_709_208_000_000_001];
    check(
        arc(TimestampMicrosecondArray::from(moments.clone())),
        "TIMESTAMP",
        json!([
            "1970-01-01T00:00:00",
            "2024-02-29T12:00:00.5",
            "1969-12-31T23:59:59.999999",
            "2024-02-29T12:00:00.000001"
        ]),
    )
    .await;
    check(
        arc(TimestampMicrosecondArray::from(moments).with_timezone("UTC")),
        "TIMESTAMP WITH TIME ZONE",
        json!([
            "1970-01-01T00:00:00Z",
            "2024-02-29T12:00:00.5Z",
            "1969-12-31T23:59:59.999999Z",
            "2024-02-29T12:00:00.000001Z"
        ]),
    )
    .await;
    check(
        arc(TimestampMillisecondArray::from(vec![1_709_208_000_500]).with_timezone("+02:00")),
        "TIMESTAMP WITH TIME ZONE",
        json!(["2024-02-29T12:00:00.5Z"]),
    )
    .await;
}

#[tokio::test]
async fn texts_bytes_and_truths() {
    check(arc(BooleanArray::from(vec![Some(true), Some(false), None])), "BOOLEAN", json!([true, false, null])).await;
    check(arc(StringArray::from(vec![Some("é\"\n"), Some(""), None])), "VARCHAR", json!(["é\"\n", "", null])).await;
    check(
        arc(BinaryArray::from(vec![Some(&[0_u8, 255, 16][..]), Some(&[]), None])),
        "BLOB",
        json!(["\\x00ff10", "\\x", null]),
    )
    .await;
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    dictionary.append_value("a");
    dictionary.append_null();
    dictionary.append_value("a");
    check(arc(dictionary.finish()), "VARCHAR", json!(["a", null, "a"])).await;
}

#[tokio::test]
async fn nested_values_are_objects_and_lists() {
    let list =
        ListArray::from_iter_primitive::<Int64Type, _, _>(vec![Some(vec![Some(1), None, Some(3)]), Some(vec![]), None]);
    check(arc(list), "BIGINT[]", json!([[1, null, 3], [], null])).await;
    let point = StructArray::from(vec![
        (Arc::new(Field::new("x", DataType::Int64, true)), arc(Int64Array::from(vec![1, 2]))),
        (Arc::new(Field::new("Label", DataType::Utf8, true)), arc(StringArray::from(vec![Some("a"), None]))),
    ]);
    check(
        arc(point),
        "STRUCT(\"x\" BIGINT, \"Label\" VARCHAR)",
        json!([{"x": 1, "Label": "a"}, {"x": 2, "Label": null}]),
    )
    .await;
}

#[tokio::test]
async fn json_columns_keep_their_type_and_text() {
    let mut world = World::new();
    world.put("t", &batch(&[("Doc", arc(StringArray::from(vec!["{\"n\": 12345678901234567890.0}"])))])).await;
    world.tables[0].schema.columns[0].sql_type = SqlType::Json;
    let answer = world.sql("SELECT doc, doc || '' AS text FROM t").await;
    assert_eq!(answer.columns[0].sql_type, SqlType::Json);
    assert_eq!(answer.columns[1].sql_type, SqlType::Varchar);
    assert_eq!(answer.rows[0][0], json!("{\"n\": 12345678901234567890.0}"));
}

#[tokio::test]
async fn computed_types_have_names_too() {
    let world = World::new();
    let answer = world
        .sql(
            "SELECT NULL AS a, INTERVAL '1 day 2 hours' AS b, CAST(1 AS SMALLINT) AS c, CAST(1.5 AS DECIMAL(5,1)) AS d, \
             map(['k'], [1]) AS e, arrow_cast(1, 'Duration(Second)') AS f, TIME '01:02:03' AS g, \
             {'p': 1, 'q': [true]} AS h",
        )
        .await;
    let types: Vec<String> = answer.columns.iter().map(|column| column.sql_type.to_string()).collect();
    assert_eq!(
        types,
        [
            "VARCHAR",
            "VARCHAR",
            "BIGINT",
            "DECIMAL(5,1)",
            "JSON",
            "VARCHAR",
            "TIME",
            "STRUCT(\"p\" BIGINT, \"q\" BOOLEAN[])"
        ]
    );
    let row = &answer.rows[0];
    assert!(row[0].is_null() && row[1].is_string() && row[5].is_string(), "{row:?}");
    assert_eq!(row[3..5], [json!("1.5"), json!({"k": 1})]);
    assert_eq!(row[6..], [json!("01:02:03"), json!({"p": 1, "q": [true]})]);
}
