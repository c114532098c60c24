//! The records of a block, brought to the table's width; what was too short, too long or blank is counted.

use domain::{ErrorCode, Failure, limits};

use crate::places::Places;
use crate::text::quotes::{Oddities, Quoting};
use crate::text::records::{Dialect, Field, Scan};

/// A field beyond the table's width.
#[derive(Clone, Copy, Debug)]
pub struct Surplus {
    /// Row in the block.
    pub row: usize,
    /// Column, at least the width.
    pub column: usize,
    /// The field.
    pub field: Field,
}

/// Records of a block, every one exactly as wide as the table.
#[derive(Debug)]
pub struct Records {
    width: usize,
    /// Fields a record should have; fewer than the width where values beyond them got columns of their own.
    usual: usize,
    fields: Vec<Field>,
    rows: usize,
    /// Fields that were too many.
    pub surplus: Vec<Surplus>,
    /// Records with too few fields.
    pub short: Places,
    /// Records with too many fields, empty or not.
    pub long: Places,
    /// Rows of this block that follow a blank line.
    pub after_blank: Vec<usize>,
    /// Records with quotes that neither open nor close a field.
    pub stray_quotes: Places,
    /// Whether the text ended inside a quoted field.
    pub unclosed: bool,
    /// Rows of this block that are counted as short, long or with stray quotes.
    odd: Vec<(usize, Oddity)>,
    blank_before: bool,
    waiting_blanks: u64,
    rows_before: u64,
}

/// Which cells a column shall read.
pub struct Cells<'a> {
    /// The text they stand in.
    pub text: &'a [u8],
    /// Where they stand.
    pub records: &'a Records,
    /// Which rows of the block to read.
    pub rows: std::ops::Range<usize>,
    /// Quotes of the dialect.
    pub quoting: Quoting,
}

impl Cells<'_> {
    /// The fields of a column with their rows in the block.
    pub fn of(&self, column: usize) -> impl Iterator<Item = (usize, Field)> + '_ {
        self.records.column(column).enumerate().skip(self.rows.start).take(self.rows.len())
    }

    /// The 1-based row in the file.
    pub fn row(&self, row: usize) -> u64 {
        self.records.rows_before() + row as u64 + 1
    }
}

/// What a record may be counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Oddity {
    Short,
    Long,
    StrayQuote,
}

/// Why splitting stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The rest of the text is no whole record.
    Cut,
    /// As many rows as asked for.
    Full,
}

impl Records {
    /// No records yet, of a table of that width whose records should have `usual` fields.
    pub fn new(width: usize, usual: usize) -> Self {
        Self {
            width,
            usual,
            fields: Vec::new(),
            rows: 0,
            surplus: Vec::new(),
            short: Places::default(),
            long: Places::default(),
            after_blank: Vec::new(),
            stray_quotes: Places::default(),
            unclosed: false,
            odd: Vec::new(),
            blank_before: false,
            waiting_blanks: 0,
            rows_before: 0,
        }
    }

    /// Forgets the block's records; counts stay.
    pub fn clear(&mut self) {
        self.rows_before += self.rows as u64;
        self.fields.clear();
        self.surplus.clear();
        self.after_blank.clear();
        self.odd.clear();
        self.rows = 0;
    }

    /// Records in the block.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Records of all blocks before this one.
    pub const fn rows_before(&self) -> u64 {
        self.rows_before
    }

    /// The fields of a column, in row order.
    pub fn column(&self, column: usize) -> impl Iterator<Item = Field> + '_ {
        self.fields.iter().skip(column).step_by(self.width.max(1)).copied()
    }

    /// Oddities without those of the block from a row on.
    pub fn before(&self, row: usize) -> (Places, Places, Places) {
        let since = |oddity| self.odd.iter().filter(|(r, o)| *r >= row && *o == oddity).count() as u64;
        (
            self.short.less(since(Oddity::Short)),
            self.long.less(since(Oddity::Long)),
            self.stray_quotes.less(since(Oddity::StrayQuote)),
        )
    }

    /// The fields of a row of the block.
    pub fn row(&self, row: usize) -> &[Field] {
        &self.fields[row * self.width..(row + 1) * self.width]
    }

    /// Takes whole records from `text` at `*at` on and moves `*at` behind them.
    pub fn take(
        &mut self,
        dialect: Dialect,
        text: &[u8],
        at: &mut usize,
        at_end: bool,
        max_rows: usize,
    ) -> Result<Stopped, Failure> {
        while *at < text.len() {
            if self.rows >= max_rows {
                return Ok(Stopped::Full);
            }
            let before = self.fields.len();
            let mut quotes = Oddities::of_width(self.usual);
            let Scan::Record(next) = dialect.scan(text, *at, at_end, &mut self.fields, &mut quotes) else {
                return Ok(Stopped::Cut);
            };
            let n = self.fields.len() - before;
            if n != self.usual || n != self.width || n == 1 {
                if n == 1 && self.fields[before].is_empty() {
                    self.fields.truncate(before);
                    self.blank_before = true;
                    self.waiting_blanks += u64::from(self.width == 1);
                    *at = next;
                    continue;
                }
                if self.waiting_blanks > 0 {
                    // Blank lines of a one-column file are rows without a value, unless nothing follows them.
                    self.fields.truncate(before);
                    self.emit_blanks(max_rows);
                    continue;
                }
                self.settle_width(before, n)?;
            }
            if next - *at > limits::CELL_BYTES {
                self.check_cells(before)?;
            }
            if self.blank_before {
                self.blank_before = false;
                self.after_blank.push(self.rows);
            }
            if quotes.stray {
                self.note(Oddity::StrayQuote);
            }
            self.unclosed |= quotes.unclosed;
            self.rows += 1;
            *at = next;
        }
        Ok(Stopped::Cut)
    }

    fn emit_blanks(&mut self, max_rows: usize) {
        let n = self.waiting_blanks.min((max_rows - self.rows) as u64);
        self.fields.extend(std::iter::repeat_n(Field::plain(0, 0), n as usize));
        self.rows += n as usize;
        self.waiting_blanks -= n;
    }

    fn settle_width(&mut self, before: usize, n: usize) -> Result<(), Failure> {
        if n < self.usual {
            self.note(Oddity::Short);
        } else if n > self.usual {
            self.note(Oddity::Long);
        }
        if n < self.width {
            self.fields.resize(before + self.width, Field::ABSENT);
        } else if n > self.width {
            if n > limits::COLUMNS {
                return Err(too_many_columns(n, &format!("Row {}", self.rows_before + self.rows as u64 + 1)));
            }
            let from = before + self.width;
            for (i, field) in self.fields[from..].iter().enumerate() {
                self.surplus.push(Surplus { row: self.rows, column: self.width + i, field: *field });
            }
            self.fields.truncate(from);
        }
        Ok(())
    }

    /// Counts the record that is being taken.
    fn note(&mut self, oddity: Oddity) {
        let places = match oddity {
            Oddity::Short => &mut self.short,
            Oddity::Long => &mut self.long,
            Oddity::StrayQuote => &mut self.stray_quotes,
        };
        places.add(self.rows_before + self.rows as u64 + 1);
        self.odd.push((self.rows, oddity));
    }

    fn check_cells(&self, before: usize) -> Result<(), Failure> {
        for (i, field) in self.fields[before..].iter().enumerate() {
            if !field.is_absent() && field.len() > limits::CELL_BYTES {
                let row = self.rows_before + self.rows as u64 + 1;
                return Err(cell_too_large(&format!("row {row}, column {}", i + 1), *field));
            }
        }
        Ok(())
    }
}

/// More columns than a table may have.
pub fn too_many_columns(n: usize, place: &str) -> Failure {
    Failure::new(
        ErrorCode::LimitExceeded,
        format!("{place} has {n} fields; a table may have at most {} columns.", limits::COLUMNS),
    )
}

/// A cell with more bytes than a cell may have, which may only seem so because a quote is not closed.
pub fn cell_too_large(place: &str, field: Field) -> Failure {
    let hint = if field.is_quoted() { " A quote opens it; perhaps that quote is never closed." } else { "" };
    Failure::new(
        ErrorCode::LimitExceeded,
        format!("The cell in {place} has more than {} bytes.{hint}", limits::CELL_BYTES),
    )
}
