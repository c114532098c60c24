//! How a text file is to be read: what the survey proposes and what a first reading settles.

use domain::{Column, Schema, Warning};

use crate::text::column::Care;
use crate::text::encoding::Decided;
use crate::text::infer::Reading;
use crate::text::locale::Preference;
use crate::text::records::Dialect;

/// Everything a pass needs to know beforehand.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Encoding.
    pub decided: Decided,
    /// Delimiter, quote, newline.
    pub dialect: Dialect,
    /// Records before the first row of data, blank lines included.
    pub skip: usize,
    /// What decides where a column's own evidence does not.
    pub preference: Preference,
    /// Fields a record should have: the header's, or the usual ones.
    pub width: usize,
    /// Column names; more than the width where values beyond it need columns.
    pub names: Vec<String>,
    /// How each column is read and how surely.
    pub columns: Vec<(Reading, Care)>,
    /// Rows that belong to the table, when a footer follows them.
    pub rows: Option<u64>,
    /// Warnings that do not depend on the pass.
    pub warnings: Vec<Warning>,
    /// Warnings about columns, once they are settled.
    pub column_warnings: Vec<Warning>,
}

impl Plan {
    /// The table's schema; `nullable` says which columns lack values.
    pub fn schema(&self, nullable: impl Fn(usize) -> bool) -> Schema {
        let column = |(i, (name, (reading, _))): (usize, (&String, &(Reading, Care)))| Column {
            name: name.clone(),
            sql_type: reading.sql_type(),
            nullable: nullable(i),
        };
        Schema { columns: self.names.iter().zip(&self.columns).enumerate().map(column).collect() }
    }
}
