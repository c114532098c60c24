//! What a profile says, and its form in the catalogue.

use std::cmp::Ordering;

use domain::SqlType;
use serde::{Deserialize, Serialize};

use super::TOP_VALUES;
use crate::text::{write_date, write_decimal, write_float, write_time, write_timestamp};

/// What is known of a column after all its rows were seen. Values are texts as `text::cell_text` spells them, cut to
/// `text::VALUE_CHARS`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ColumnProfile {
    /// Share of the rows without a value, 0.0 to 1.0; 0.0 when there are no rows.
    pub null_fraction: f64,
    /// Number of distinct values; NULL is none.
    pub distinct_estimate: u64,
    /// Number of rows.
    pub n_rows: u64,
    /// Smallest value; texts by their bytes, NaN left out. None of JSON, BLOB and nested values.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub min: Option<String>,
    /// Largest value.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max: Option<String>,
    /// The most frequent values, most frequent first, equal counts by the order of the type; empty when there are too many
    /// distinct values to count each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub top_values: Vec<TopValue>,
    /// Rows without a value.
    #[serde(default)]
    pub nulls: u64,
    /// Whether `distinct_estimate` is exact.
    #[serde(default)]
    pub distinct_exact: bool,
    /// Quantiles of numbers, dates and times.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub quantiles: Option<Quantiles>,
    /// Lengths of texts in characters, of BLOBs in bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lengths: Option<Lengths>,
    /// Counts of true and false.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub booleans: Option<Booleans>,
    /// The smallest hashes of the distinct values, ascending, of a type that keys have: see [`super::share_within`].
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lowest_hashes: Vec<u32>,
}

/// A value and how often it stands in the column.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TopValue {
    /// The value as text.
    pub value: String,
    /// Rows that hold it.
    pub count: u64,
}

/// Quantiles by nearest rank: each is a value of the column, and at least that share of the values is no larger.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Quantiles {
    /// 5 % are no larger.
    pub p05: String,
    /// 25 %.
    pub p25: String,
    /// The median.
    pub p50: String,
    /// 75 %.
    pub p75: String,
    /// 95 %.
    pub p95: String,
}

/// Lengths of the values of a column.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lengths {
    /// Shortest.
    pub min: u64,
    /// Longest.
    pub max: u64,
    /// Mean.
    pub avg: f64,
}

/// How often true and how often false.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Booleans {
    /// Rows with true.
    pub true_count: u64,
    /// Rows with false.
    pub false_count: u64,
}

impl Quantiles {
    /// The quantiles of sorted values; none of no values.
    pub(super) fn of<T: Copy>(sorted: &[T], print: impl Fn(T) -> String) -> Option<Self> {
        // In whole percent, because 0.95 times a count is not always what it should be in floating point.
        let at = |percent: usize| sorted.get((sorted.len() * percent).div_ceil(100).max(1) - 1).copied();
        Some(Self {
            p05: print(at(5)?),
            p25: print(at(25)?),
            p50: print(at(50)?),
            p75: print(at(75)?),
            p95: print(at(95)?),
        })
    }
}

impl ColumnProfile {
    /// A profile that knows the rows and nothing of the values yet.
    pub(super) fn of_rows(n_rows: u64, nulls: u64) -> Self {
        Self {
            null_fraction: if n_rows == 0 { 0.0 } else { nulls as f64 / n_rows as f64 },
            distinct_estimate: 0,
            n_rows,
            min: None,
            max: None,
            top_values: Vec::new(),
            nulls,
            distinct_exact: true,
            quantiles: None,
            lengths: None,
            booleans: None,
            lowest_hashes: Vec::new(),
        }
    }

    pub(super) fn set_distinct(&mut self, distinct: u64, exact: bool) {
        self.distinct_estimate = distinct.min(self.non_null());
        self.distinct_exact = exact;
    }

    /// Rows with a value.
    pub fn non_null(&self) -> u64 {
        self.n_rows - self.nulls.min(self.n_rows)
    }

    /// Whether every value is distinct; within 3 % where the number of distinct values is an estimate. False of no values.
    pub fn is_unique(&self) -> bool {
        let values = self.non_null();
        values > 0
            && if self.distinct_exact {
                self.distinct_estimate == values
            } else {
                self.distinct_estimate as f64 >= 0.97 * values as f64
            }
    }

    /// The profile without any cell's text: what may be kept of a column that holds personal data.
    pub fn without_values(self) -> Self {
        Self { min: None, max: None, top_values: Vec::new(), quantiles: None, lowest_hashes: Vec::new(), ..self }
    }

    /// The profile without the values that `hide` picks: single pieces of personal data in a column that is not tagged.
    pub fn hiding(mut self, hide: impl Fn(&str) -> bool) -> Self {
        self.min = self.min.filter(|value| !hide(value));
        self.max = self.max.filter(|value| !hide(value));
        self.top_values.retain(|top| !hide(&top.value));
        self.quantiles = self.quantiles.filter(|q| ![&q.p05, &q.p25, &q.p50, &q.p75, &q.p95].iter().any(|v| hide(v)));
        self
    }

    /// The form in the catalogue: `{null_fraction, distinct_estimate, n_rows, min?, max?, top_values?, …}`.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("a profile has nothing that JSON cannot say")
    }

    /// Reads back what [`Self::to_json`] wrote; `None` when it is no profile.
    pub fn from_json(json: &serde_json::Value) -> Option<Self> {
        Self::deserialize(json).ok()
    }
}

/// The most frequent values as text.
pub(super) fn top_values<T>(
    mut counted: Vec<(T, u64)>,
    order: impl Fn(&T, &T) -> Ordering,
    print: impl Fn(T) -> String,
) -> Vec<TopValue> {
    counted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| order(&a.0, &b.0)));
    counted.into_iter().take(TOP_VALUES).map(|(value, count)| TopValue { value: print(value), count }).collect()
}

/// The text of a value that is an integer underneath.
pub(super) fn signed(sql_type: &SqlType, value: i64) -> String {
    let mut out = String::new();
    match sql_type {
        SqlType::Date => write_date(&mut out, value),
        SqlType::Time => write_time(&mut out, value),
        SqlType::Timestamp => write_timestamp(&mut out, value, false),
        SqlType::TimestampTz => write_timestamp(&mut out, value, true),
        SqlType::BigInt
        | SqlType::Boolean
        | SqlType::UBigInt
        | SqlType::Double
        | SqlType::Decimal(..)
        | SqlType::Varchar
        | SqlType::Blob
        | SqlType::Json
        | SqlType::Struct(_)
        | SqlType::List(_) => return value.to_string(),
    }
    out
}

pub(super) fn float(value: super::Float) -> String {
    let mut out = String::new();
    write_float(&mut out, value.0);
    out
}

pub(super) fn decimal(value: i128, scale: u8) -> String {
    let mut out = String::new();
    write_decimal(&mut out, value, scale.cast_signed());
    out
}
