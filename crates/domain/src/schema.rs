//! Columns and their types: the closed list of SQL type names that flyquery publishes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of a column. Printed with the SQL names of the wire (`data_type`).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlType {
    /// true or false.
    Boolean,
    /// Signed 64-bit integer.
    BigInt,
    /// Unsigned 64-bit integer, for columns with values past `i64::MAX`.
    UBigInt,
    /// 64-bit binary floating point.
    Double,
    /// Exact decimal: precision 1 to 38, scale 0 to precision.
    Decimal(u8, u8),
    /// Calendar date.
    Date,
    /// Time of day, microseconds.
    Time,
    /// Date and time without zone, microseconds.
    Timestamp,
    /// Instant, microseconds, stored in UTC.
    TimestampTz,
    /// Text.
    Varchar,
    /// Bytes.
    Blob,
    /// Text that holds one JSON value.
    Json,
    /// Named fields.
    Struct(Vec<Column>),
    /// Values of one type in an order.
    List(Box<SqlType>),
}

impl fmt::Display for SqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("BOOLEAN"),
            Self::BigInt => f.write_str("BIGINT"),
            Self::UBigInt => f.write_str("UBIGINT"),
            Self::Double => f.write_str("DOUBLE"),
            Self::Decimal(precision, scale) => write!(f, "DECIMAL({precision},{scale})"),
            Self::Date => f.write_str("DATE"),
            Self::Time => f.write_str("TIME"),
            Self::Timestamp => f.write_str("TIMESTAMP"),
            Self::TimestampTz => f.write_str("TIMESTAMP WITH TIME ZONE"),
            Self::Varchar => f.write_str("VARCHAR"),
            Self::Blob => f.write_str("BLOB"),
            Self::Json => f.write_str("JSON"),
            Self::Struct(fields) => {
                f.write_str("STRUCT(")?;
                for (i, field) in fields.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "\"{}\" {}", field.name.replace('"', "\"\""), field.sql_type)?;
                }
                f.write_str(")")
            }
            Self::List(item) => write!(f, "{item}[]"),
        }
    }
}

impl SqlType {
    /// Whether values have an arithmetic order: numbers.
    pub const fn is_numeric(&self) -> bool {
        matches!(self, Self::BigInt | Self::UBigInt | Self::Double | Self::Decimal(..))
    }

    /// Whether columns of the type are keys of tables, or refer to them: whole numbers and texts.
    pub const fn may_hold_keys(&self) -> bool {
        matches!(self, Self::BigInt | Self::UBigInt | Self::Decimal(_, 0) | Self::Varchar)
    }

    /// Whether values are points in time or on the clock.
    pub const fn is_temporal(&self) -> bool {
        matches!(self, Self::Date | Self::Time | Self::Timestamp | Self::TimestampTz)
    }
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Column {
    /// Name, unique in its table; at most `limits::COLUMN_NAME_CHARS` characters.
    pub name: String,
    /// Type.
    #[serde(rename = "type")]
    pub sql_type: SqlType,
    /// Whether any row has no value.
    pub nullable: bool,
}

/// The columns of a table, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Schema {
    /// The columns.
    pub columns: Vec<Column>,
}

impl Schema {
    /// The column of that exact name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// What `snapshot_hash` digests: the (name, type) pairs sorted by name, one a line. Hash it with SHA-256.
    pub fn canonical(&self) -> String {
        let mut lines: Vec<String> = self.columns.iter().map(|c| format!("{}\u{1f}{}\n", c.name, c.sql_type)).collect();
        lines.sort();
        lines.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_print_their_sql_names() {
        let nested = SqlType::List(Box::new(SqlType::Struct(vec![Column {
            name: "a\"b".into(),
            sql_type: SqlType::Decimal(10, 2),
            nullable: true,
        }])));
        assert_eq!(nested.to_string(), "STRUCT(\"a\"\"b\" DECIMAL(10,2))[]");
        assert_eq!(SqlType::TimestampTz.to_string(), "TIMESTAMP WITH TIME ZONE");
    }

    #[test]
    fn canonical_form_ignores_order_of_columns() {
        let a = Column { name: "a".into(), sql_type: SqlType::BigInt, nullable: false };
        let b = Column { name: "b".into(), sql_type: SqlType::Varchar, nullable: true };
        let one = Schema { columns: vec![a.clone(), b.clone()] };
        let two = Schema { columns: vec![b, a] };
        assert_eq!(one.canonical(), two.canonical());
    }
}
