//! One column of a text file: cells to values the fast way where they look as proposed, the slow way elsewhere, and
//! evidence of what every cell was.

use arrow::array::ArrayRef;
use arrow::error::ArrowError;

use crate::text::block::Cells;
use crate::text::evidence::{Evidence, boolean, is_mark, trim};
use crate::text::infer::{Reading, decide};
use crate::text::locale::Preference;
use crate::text::moment::{self, Orders};
use crate::text::number::{self, Notation};
use crate::text::values::{Fixed, Texts, Values};

/// What is asked of the cells beyond their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// The reading is proposed: every cell is evidence.
    Validate,
    /// Text, but all cells so far look typed or are empty: every cell is evidence.
    Watch,
    /// The reading is settled.
    Settled,
}

/// A column being read.
#[derive(Debug)]
pub struct ColumnReader {
    values: Values,
    state: State,
}

#[derive(Clone, Debug)]
struct State {
    index: usize,
    reading: Reading,
    care: Care,
    evidence: Evidence,
    contradicted: bool,
    has_null: bool,
    scratch: Vec<u8>,
}

/// What a column knew at some row, without its values.
#[derive(Debug)]
pub struct Memory(State);

/// What the fast way did.
#[derive(Default)]
struct Fast {
    count: u64,
}

impl ColumnReader {
    /// A column that is read so. With [`Care::Settled`] no evidence is collected.
    pub fn new(index: usize, reading: Reading, care: Care) -> Self {
        let state = State {
            index,
            reading,
            care,
            evidence: Evidence::default(),
            contradicted: false,
            has_null: false,
            scratch: Vec::new(),
        };
        Self { values: Values::of(reading), state }
    }

    /// What it knows now; no values may wait.
    pub fn remember(&self) -> Memory {
        Memory(self.state.clone())
    }

    /// Knows again only what it knew then.
    pub fn restore(&mut self, memory: Memory) {
        self.values.clear();
        self.state = memory.0;
    }

    /// Whether a cell with a value would fit what was read so far; none for a column of text or without values.
    pub fn fits(&self, cell: &[u8], preference: Preference) -> Option<bool> {
        if matches!(self.state.reading, Reading::Text) || self.state.contradicted || self.state.evidence.values == 0 {
            return None;
        }
        let mut evidence = self.state.evidence.clone();
        evidence.observe(cell, 0);
        Some(decide(&evidence, preference) != Reading::Text)
    }

    /// How its cells are read.
    pub const fn reading(&self) -> Reading {
        self.state.reading
    }

    /// What its cells said; complete unless [`ColumnReader::is_settled`].
    pub const fn evidence(&self) -> &Evidence {
        &self.state.evidence
    }

    /// Whether a cell did not fit the reading.
    pub const fn is_contradicted(&self) -> bool {
        self.state.contradicted
    }

    /// Whether its reading is final and its cells are no evidence any more.
    pub fn is_settled(&self) -> bool {
        self.state.care == Care::Settled
    }

    /// Whether any cell so far has no value.
    pub const fn has_null(&self) -> bool {
        self.state.has_null
    }

    /// Bytes of values that wait for [`ColumnReader::finish`].
    pub fn bytes(&self) -> usize {
        self.values.bytes()
    }

    /// Forgets the values that wait.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// The values that waited.
    pub fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        self.values.finish(&self.state.reading.sql_type())
    }

    /// Reads the cells of a block.
    pub fn absorb(&mut self, cells: &Cells<'_>) {
        let Self { values, state } = self;
        if state.contradicted {
            state.observe_all(cells);
            return;
        }
        match values {
            Values::Text(out) => state.texts(out, cells),
            Values::Boolean(out) => {
                let fast = state.run(out, cells, boolean, |_, cell| boolean(cell));
                state.evidence.bools += fast.count;
            }
            Values::BigInt(out) => state.whole_numbers(out, cells),
            Values::UBigInt(out) => {
                state.run(out, cells, |_| None, State::unsigned);
            }
            Values::Double(out) => state.doubles(out, cells),
            Values::Decimal(out) => {
                state.run(out, cells, |_| None, State::decimal);
            }
            Values::Date(out) => state.dates(out, cells),
            Values::Time(out) => {
                let slow = |_: &State, cell: &[u8]| moment::only_clock(cell).filter(|c| !c.too_fine).map(|c| c.micros);
                state.run(out, cells, |_| None, slow);
            }
            Values::Stamp(out) => state.stamps(out, cells),
        }
        if state.care == Care::Watch && state.evidence.is_plainly_text() {
            state.care = Care::Settled;
        }
    }
}

impl State {
    /// Reads cells of a fixed-width type. `fast` must accept only cells that have exactly its reading.
    #[inline]
    fn run<T: Copy + Default>(
        &mut self,
        out: &mut Fixed<T>,
        cells: &Cells<'_>,
        mut fast: impl FnMut(&[u8]) -> Option<T>,
        slow: impl Fn(&Self, &[u8]) -> Option<T>,
    ) -> Fast {
        let mut done = Fast::default();
        for (row, field) in cells.of(self.index) {
            let raw = field.bytes(cells.text);
            if !field.is_mixed() {
                if let Some(value) = fast(raw) {
                    done.count += 1;
                    out.push(value);
                    continue;
                }
                if raw.is_empty() {
                    self.has_null = true;
                    out.push_null();
                    continue;
                }
            }
            let value = self.slowly(raw, field.is_mixed(), cells, row, &slow);
            if let Some(value) = value {
                out.push(value);
            } else {
                self.has_null = true;
                out.push_null();
            }
        }
        self.evidence.values += done.count;
        done
    }

    /// The value of a cell that the fast way did not know; none for no value, and for a cell that contradicts.
    #[cold]
    fn slowly<T>(
        &mut self,
        raw: &[u8],
        mixed: bool,
        cells: &Cells<'_>,
        row: usize,
        slow: &impl Fn(&Self, &[u8]) -> Option<T>,
    ) -> Option<T> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let cell = if mixed {
            scratch.clear();
            cells.quoting.unquote(raw, &mut scratch);
            trim(&scratch)
        } else {
            trim(raw)
        };
        let mut value = None;
        if !cell.is_empty() {
            if is_mark(cell) {
                self.evidence.marks.add(cells.row(row));
            } else {
                if self.care == Care::Validate {
                    self.evidence.observe_value(cell, cells.row(row));
                }
                value = slow(self, cell);
                self.contradicted |= value.is_none();
            }
        }
        self.scratch = scratch;
        value
    }

    /// Only evidence, once the reading is known to be wrong.
    fn observe_all(&mut self, cells: &Cells<'_>) {
        if self.evidence.is_plainly_text() {
            return;
        }
        for (row, field) in cells.of(self.index) {
            self.observe(field.bytes(cells.text), field.is_mixed(), cells, row);
        }
    }

    fn observe(&mut self, raw: &[u8], mixed: bool, cells: &Cells<'_>, row: usize) {
        let row = cells.row(row);
        if mixed {
            self.scratch.clear();
            cells.quoting.unquote(raw, &mut self.scratch);
            self.evidence.observe(trim(&self.scratch), row);
        } else {
            self.evidence.observe(trim(raw), row);
        }
    }

    fn texts(&mut self, out: &mut Texts, cells: &Cells<'_>) {
        let watch = self.care == Care::Watch;
        for (row, field) in cells.of(self.index) {
            let raw = field.bytes(cells.text);
            if raw.is_empty() {
                if field.is_quoted() {
                    out.push(&[]);
                } else {
                    self.has_null = true;
                    out.push_null();
                }
            } else if field.is_mixed() {
                let value = out.push_with(|bytes| cells.quoting.unquote(raw, bytes));
                if watch {
                    self.evidence.observe(trim(value), cells.row(row));
                }
            } else {
                out.push(raw);
                if watch {
                    self.evidence.observe(trim(raw), cells.row(row));
                }
            }
        }
    }

    fn whole_numbers(&mut self, out: &mut Fixed<i64>, cells: &Cells<'_>) {
        let before = out.len();
        let fast = self.run(out, cells, number::parse_i64, |state, cell| {
            let number = number::parse(cell, state.notation()).filter(|n| n.whole)?;
            i64::try_from(number.at_scale(0)?).ok()
        });
        let (min, max) = out.since(before).iter().fold((0, 0), |(min, max), v| ((*v).min(min), (*v).max(max)));
        self.evidence.add_wholes(fast.count, min, max);
    }

    fn unsigned(&self, cell: &[u8]) -> Option<u64> {
        let number = number::parse(cell, self.notation()).filter(|n| n.whole)?;
        u64::try_from(number.at_scale(0)?).ok()
    }

    fn decimal(&self, cell: &[u8]) -> Option<i128> {
        let Reading::Decimal { precision, scale, notation } = self.reading else {
            return None;
        };
        let value = number::parse(cell, notation)?.at_scale(scale)?;
        (value.unsigned_abs() < 10_u128.pow(u32::from(precision))).then_some(value)
    }

    fn doubles(&mut self, out: &mut Fixed<f64>, cells: &Cells<'_>) {
        let slow = |state: &Self, cell: &[u8]| {
            let number = number::parse(cell, state.notation())?;
            number.survives_double().then(|| number.to_f64())?
        };
        // While commas could still turn out to be decimal marks, every cell must be looked at.
        if self.notation() != Notation::Plain || (self.care == Care::Validate && !self.evidence.rules_out_commas()) {
            self.run(out, cells, |_| None, slow);
            return;
        }
        let (mut whole, mut fraction) = (0, 0);
        let fast = |cell: &[u8]| {
            let (value, digits) = number::parse_short_f64(cell)?;
            whole = whole.max(digits.0);
            fraction = fraction.max(digits.1);
            Some(value)
        };
        let fast = self.run(out, cells, fast, slow);
        let plain = &mut self.evidence.numbers[0];
        plain.count += fast.count;
        plain.whole_digits = plain.whole_digits.max(whole);
        plain.fraction_digits = plain.fraction_digits.max(fraction);
        plain.written_digits = plain.written_digits.max(fraction);
        plain.fractional |= fraction > 0;
    }

    fn dates(&mut self, out: &mut Fixed<i32>, cells: &Cells<'_>) {
        let Reading::Date(order) = self.reading else {
            return;
        };
        if order == Orders::YMD {
            let fast = self.run(out, cells, moment::iso_date, |_, cell| moment::only_date(cell)?.days(Orders::YMD));
            self.evidence.dates.add(fast.count, Orders::YMD);
            return;
        }
        let mut orders = Orders::ALL;
        let fast = |cell: &[u8]| {
            let date = moment::only_date(cell)?;
            let days = date.days(order)?;
            orders = orders.and(date.orders);
            Some(days)
        };
        let fast = self.run(out, cells, fast, |_, cell| moment::only_date(cell)?.days(order));
        self.evidence.dates.add(fast.count, orders);
    }

    fn stamps(&mut self, out: &mut Fixed<i64>, cells: &Cells<'_>) {
        let Reading::Stamp { order, zoned } = self.reading else {
            return;
        };
        let slow = |_: &Self, cell: &[u8]| {
            moment::stamp(cell).filter(|s| s.offset.is_some() == zoned && !s.clock.too_fine)?.micros(order)
        };
        let iso = |cell: &[u8]| {
            if order != Orders::YMD {
                return None;
            }
            moment::iso_stamp(cell).and_then(|(micros, z)| (z == zoned).then_some(micros))
        };
        let fast = self.run(out, cells, iso, slow);
        let moments = if zoned { &mut self.evidence.zoned } else { &mut self.evidence.stamps };
        moments.add(fast.count, Orders::YMD);
    }

    fn notation(&self) -> Notation {
        match self.reading {
            Reading::BigInt(notation)
            | Reading::UBigInt(notation)
            | Reading::Double(notation)
            | Reading::Decimal { notation, .. } => notation,
            Reading::Text | Reading::Boolean | Reading::Date(_) | Reading::Time | Reading::Stamp { .. } => {
                Notation::Plain
            }
        }
    }
}
