//! Arrow types to the SQL type names of the wire: a total mapping, because a statement may make any type.

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use domain::schema::{Column, SqlType};

/// Widest decimal the wire knows.
const DECIMAL_DIGITS: u8 = 38;
/// Field metadata that keeps a column's name as its file spells it.
const REAL_NAME: &str = "flyquery:name";
/// Field metadata of a text column that holds JSON.
const JSON: &str = "flyquery:json";

/// The type as the wire names it. What has no name there is shown as text.
pub(crate) fn sql_type(data_type: &DataType) -> SqlType {
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
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => decimal(*precision, *scale),
        DataType::Date32 | DataType::Date64 => SqlType::Date,
        DataType::Time32(_) | DataType::Time64(_) => SqlType::Time,
        DataType::Timestamp(_, None) => SqlType::Timestamp,
        DataType::Timestamp(_, Some(_)) => SqlType::TimestampTz,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => SqlType::Blob,
        DataType::Struct(fields) => SqlType::Struct(fields.iter().map(|field| column(field)).collect()),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => SqlType::List(Box::new(field_type(item))),
        DataType::Map(..) => SqlType::Json,
        DataType::Dictionary(_, value) => sql_type(value),
        DataType::RunEndEncoded(_, values) => sql_type(values.data_type()),
        DataType::Null
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Duration(_)
        | DataType::Interval(_)
        | DataType::Union(..) => SqlType::Varchar,
    }
}

fn decimal(precision: u8, scale: i8) -> SqlType {
    let digits = precision.saturating_add(if scale < 0 { scale.unsigned_abs() } else { 0 });
    if digits > DECIMAL_DIGITS { SqlType::Varchar } else { SqlType::Decimal(digits, scale.max(0).unsigned_abs()) }
}

/// The type of a field, which unlike its arrow type knows whether its text is JSON.
pub(crate) fn field_type(field: &Field) -> SqlType {
    if field.metadata().contains_key(JSON) { SqlType::Json } else { sql_type(field.data_type()) }
}

/// A field as a column.
pub(crate) fn column(field: &Field) -> Column {
    Column { name: field.name().clone(), sql_type: field_type(field), nullable: field.is_nullable() }
}

/// The name that the file of the field's table gives it, when the field comes straight from a table.
pub(crate) fn real_name(field: &Field) -> Option<&str> {
    field.metadata().get(REAL_NAME).map(String::as_str)
}

/// The schema a table is read with: text and bytes as views, which need no copy, and each field marked with what the
/// catalogue knows beyond the file.
pub(crate) fn table_schema(file: &Schema, columns: &[Column]) -> Schema {
    let field = |field: &Field| {
        let data_type = match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
            DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
            other => other.clone(),
        };
        let mut metadata = std::collections::HashMap::from([(REAL_NAME.to_owned(), field.name().clone())]);
        if columns.iter().any(|column| column.name == *field.name() && column.sql_type == SqlType::Json) {
            metadata.insert(JSON.to_owned(), String::new());
        }
        Field::new(field.name(), data_type, field.is_nullable()).with_metadata(metadata)
    };
    Schema::new(file.fields().iter().map(|f| field(f)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_never_leave_the_closed_list() {
        assert_eq!(sql_type(&DataType::Decimal128(10, 2)), SqlType::Decimal(10, 2));
        assert_eq!(sql_type(&DataType::Decimal128(10, -2)), SqlType::Decimal(12, 0));
        assert_eq!(sql_type(&DataType::Decimal128(38, -2)), SqlType::Varchar);
        assert_eq!(sql_type(&DataType::Decimal256(60, 2)), SqlType::Varchar);
    }

    #[test]
    fn encodings_are_seen_through() {
        let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::LargeUtf8));
        assert_eq!(sql_type(&dictionary), SqlType::Varchar);
        let list = DataType::new_large_list(DataType::UInt64, true);
        assert_eq!(sql_type(&list).to_string(), "UBIGINT[]");
    }
}
