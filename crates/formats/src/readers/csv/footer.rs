//! Footers: a few rows after a blank line that fit none of the table's types, such as sources, units or totals.
//!
//! Whether such rows end the table is known only at the end of the file, so what the columns knew before is kept until
//! then; the rest of the file is read as data all the same.

use std::ops::Range;

use domain::{Warning, WarningCode};

use crate::places::Places;
use crate::text::block::Records;
use crate::text::column::{ColumnReader, Memory};
use crate::text::evidence::{Evidence, trim};
use crate::text::locale::Preference;
use crate::text::records::Dialect;
use crate::write::TableWriter;

/// Rows a footer may have.
const MOST_ROWS: u64 = 100;
/// Blank lines after which they say nothing about footers.
pub const MOST_BLANKS: u32 = 1_000;

/// What may be a footer, and the state of the table before it.
pub struct Footer {
    /// Rows of the table before it.
    pub row: u64,
    /// What each column knew before it.
    pub columns: Vec<Memory>,
    /// Evidence beyond the table's width before it.
    pub extra: Vec<Evidence>,
    /// The table's writer, unless something had contradicted the plan before.
    pub writer: Option<TableWriter>,
    /// Short rows before it.
    pub short: Places,
    /// Long rows before it.
    pub long: Places,
    /// Rows with stray quotes before it.
    pub stray_quotes: Places,
    rows: u64,
    plausible: bool,
}

/// How the cells of a row fit the typed columns.
#[derive(Clone, Copy, Default)]
pub struct Fit {
    fitting: usize,
    misfits: usize,
    filled: usize,
}

impl Fit {
    /// Counts cells, each told as whether it is empty and whether it fits its column, if that is typed.
    pub fn of(cells: impl Iterator<Item = (bool, Option<bool>)>) -> Self {
        let mut found = Self::default();
        for (_, fits) in cells.filter(|(empty, _)| !empty) {
            found.filled += 1;
            match fits {
                Some(true) => found.fitting += 1,
                Some(false) => found.misfits += 1,
                None => {}
            }
        }
        found
    }

    /// Whether the row is of another kind than the table's. One odd cell is odd data; two, or one in a row that is
    /// mostly empty, are something else.
    pub const fn is_other_kind(self, width: usize) -> bool {
        self.fitting == 0 && self.misfits > 0 && (self.misfits > 1 || self.filled * 2 <= width)
    }
}

/// Whether a row of the block that follows a blank line is of another kind than the table's; the rows before it were
/// read.
pub fn starts(
    records: &Records,
    row: usize,
    columns: &[ColumnReader],
    text: &[u8],
    dialect: Dialect,
    preference: Preference,
) -> bool {
    records.rows_before() + row as u64 > 0
        && fit(records, row, columns, text, dialect, preference).is_other_kind(columns.len())
}

fn fit(
    records: &Records,
    row: usize,
    columns: &[ColumnReader],
    text: &[u8],
    dialect: Dialect,
    preference: Preference,
) -> Fit {
    Fit::of(columns.iter().zip(records.row(row)).map(|(column, field)| {
        let cell = dialect.value(*field, text);
        let cell = trim(&cell);
        (cell.is_empty(), if cell.is_empty() { None } else { column.fits(cell, preference) })
    }))
}

impl Footer {
    /// Keeps what is known before a row of the block; the columns' values were written.
    pub fn open(
        records: &Records,
        start: usize,
        columns: &[ColumnReader],
        extra: &[Evidence],
        writer: Option<TableWriter>,
    ) -> Self {
        let (short, long, stray_quotes) = records.before(start);
        Self {
            row: records.rows_before() + start as u64,
            columns: columns.iter().map(ColumnReader::remember).collect(),
            extra: extra.to_vec(),
            writer,
            short,
            long,
            stray_quotes,
            rows: 0,
            plausible: true,
        }
    }

    /// Counts rows of the block into the footer and says whether it may still be one: few rows, none like the table's.
    pub fn is_plausible(
        &mut self,
        records: &Records,
        rows: Range<usize>,
        columns: &[ColumnReader],
        text: &[u8],
        dialect: Dialect,
        preference: Preference,
    ) -> bool {
        if !self.plausible {
            return true;
        }
        self.rows += rows.len() as u64;
        if self.rows > MOST_ROWS.min(self.row) {
            return false;
        }
        // Columns are asked before they read these rows; later ones meet columns that already know misfits.
        !rows.into_iter().any(|row| {
            let fit = fit(records, row, columns, text, dialect, preference);
            fit.misfits == 0 && fit.fitting > 0
        })
    }

    /// It is no footer.
    pub fn give_up(&mut self) {
        self.plausible = false;
        self.writer = None;
        self.columns = Vec::new();
        self.extra = Vec::new();
    }

    /// Whether it is still taken for a footer.
    pub fn stands(&self) -> bool {
        self.plausible
    }

    /// Says what was left out.
    pub fn warning(&self) -> Warning {
        let rows = self.rows;
        let message = format!(
            "{rows} rows after a blank line below the table fit none of its types and were left out as a footer; \
             the first is row {}.",
            self.row + 1
        );
        Warning::new(WarningCode::LinesSkipped, message).rows(rows)
    }
}
