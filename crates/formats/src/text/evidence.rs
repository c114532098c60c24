//! What the cells of a column say about its type: counts per reading, over as many cells as were shown.
//!
//! A column has a type when every value of it fits that type, so evidence is counts: a reading that fits all values is
//! alive. It is the same whether a cell was read the fast way or looked at here, whatever the order of the cells.

use crate::places::Places;
use crate::text::moment::{self, Orders};
use crate::text::number::{self, Notation, Number};

/// Whole numbers that fit 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Wholes {
    /// How many.
    pub count: u64,
    /// The least of them and zero.
    pub min: i64,
    /// The greatest of them and zero.
    pub max: i64,
}

/// Other numbers in one notation.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about all of them, each cleared by one cell")]
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// How many.
    pub count: u64,
    /// Most digits before the decimal mark.
    pub whole_digits: u32,
    /// Most digits after the decimal mark, trailing zeros left out.
    pub fraction_digits: u32,
    /// Most digits after the decimal mark as written.
    pub written_digits: u32,
    /// Whether any has a fraction or an exponent.
    pub fractional: bool,
    /// Whether any is below zero.
    pub negative: bool,
    /// Whether any is minus zero, whose sign only a double keeps.
    pub minus_zero: bool,
    /// Whether all survive as doubles.
    pub survive: bool,
    /// Whether all whole ones fit a signed 64-bit integer.
    pub fit_signed: bool,
    /// Whether all whole ones fit an unsigned 64-bit integer.
    pub fit_unsigned: bool,
}

/// Dates or timestamps.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    /// How many.
    pub count: u64,
    /// Orders that all of them can be read in.
    pub orders: Orders,
}

/// What the cells of a column say.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Cells that hold a value: not empty, not a missing mark.
    pub values: u64,
    /// Missing marks.
    pub marks: Places,
    /// `true` and `false`.
    pub bools: u64,
    /// Whole numbers.
    pub wholes: Wholes,
    /// Other numbers; those that fit the plain notation are not counted again in the others with a decimal point.
    pub numbers: [Numbers; Notation::ALL.len()],
    /// Dates.
    pub dates: Moments,
    /// Timestamps without offset.
    pub stamps: Moments,
    /// Timestamps with offset.
    pub zoned: Moments,
    /// Times of day.
    pub times: u64,
    /// Cells that look like a number or a time but would lose something.
    pub lossy: Places,
    /// Cells written as dates of days that no calendar has.
    pub unreal: Places,
    /// Cells that are plainly text.
    pub text: Places,
    /// Cells that are one number with a decimal point and another one with a decimal comma.
    pub contested: Places,
    /// Cells that are numbers only with a decimal point; all of them only until that is known.
    pub only_points: Places,
    /// Cells that are numbers only with a decimal comma.
    pub only_commas: Places,
}

impl Default for Evidence {
    fn default() -> Self {
        let numbers = Numbers {
            count: 0,
            whole_digits: 0,
            fraction_digits: 0,
            written_digits: 0,
            fractional: false,
            negative: false,
            minus_zero: false,
            survive: true,
            fit_signed: true,
            fit_unsigned: true,
        };
        let moments = Moments { count: 0, orders: Orders::ALL };
        Self {
            values: 0,
            marks: Places::default(),
            bools: 0,
            wholes: Wholes { count: 0, min: 0, max: 0 },
            numbers: [numbers; Notation::ALL.len()],
            dates: moments,
            stamps: moments,
            zoned: moments,
            times: 0,
            lossy: Places::default(),
            unreal: Places::default(),
            text: Places::default(),
            contested: Places::default(),
            only_points: Places::default(),
            only_commas: Places::default(),
        }
    }
}

impl Numbers {
    /// One more.
    pub fn add(&mut self, number: &Number) {
        self.count += 1;
        self.whole_digits = self.whole_digits.max(number.whole_digits());
        self.fraction_digits = self.fraction_digits.max(number.fraction_digits());
        self.written_digits = self.written_digits.max(number.written);
        self.negative |= number.negative;
        self.minus_zero |= number.negative && number.mantissa == 0;
        self.survive = self.survive && number.survives_double();
        if number.whole {
            let signed_limit = (1 << 63) - u128::from(!number.negative);
            self.fit_signed &= number.mantissa <= signed_limit;
            self.fit_unsigned &= !number.negative && u64::try_from(number.mantissa).is_ok();
        } else {
            self.fractional = true;
        }
    }
}

impl Moments {
    /// Some more with the same orders.
    pub fn add(&mut self, n: u64, orders: Orders) {
        if n > 0 {
            self.count += n;
            self.orders = self.orders.and(orders);
        }
    }
}

impl Evidence {
    /// One cell, without outer blanks.
    pub fn observe(&mut self, cell: &[u8], row: u64) {
        if cell.is_empty() {
            return;
        }
        if is_mark(cell) {
            self.marks.add(row);
            return;
        }
        self.observe_value(cell, row);
    }

    /// One cell that holds a value.
    pub fn observe_value(&mut self, cell: &[u8], row: u64) {
        self.values += 1;
        // What starts otherwise, or is longer than any number or time, is text.
        if cell.len() > 64 || !matches!(cell[0], b'0'..=b'9' | b'-' | b'.' | b'+' | b't' | b'T' | b'f' | b'F') {
            self.text.add(row);
            return;
        }
        if let Some(value) = number::parse_i64(cell) {
            self.add_wholes(1, value, value);
        } else if boolean(cell).is_some() {
            self.bools += 1;
        } else if !self.observe_number(cell, row) && !self.observe_moment(cell, row) {
            if moment::is_unreal_date(cell) {
                self.unreal.add(row);
            } else if looks_numeric(cell) {
                self.lossy.add(row);
            } else {
                self.text.add(row);
            }
        }
    }

    /// Some whole numbers with their least and greatest.
    pub fn add_wholes(&mut self, n: u64, min: i64, max: i64) {
        self.wholes.count += n;
        self.wholes.min = self.wholes.min.min(min);
        self.wholes.max = self.wholes.max.max(max);
    }

    fn observe_number(&mut self, cell: &[u8], row: u64) -> bool {
        let (mut any, mut plain) = (false, false);
        let (mut point, mut comma) = (None, None);
        for (slot, notation) in self.numbers.iter_mut().zip(Notation::ALL) {
            // What is plain is part of every notation with a decimal point and is counted once.
            if plain && notation.has_point() {
                continue;
            }
            if let Some(number) = number::parse(cell, notation) {
                slot.add(&number);
                if notation.has_point() {
                    point = Some(number);
                } else {
                    comma = Some(number);
                }
                any = true;
                plain |= notation == Notation::Plain;
            }
        }
        match (point, comma) {
            (Some(point), Some(comma)) if !point.equals(&comma) => self.contested.add(row),
            (Some(_), None) => self.only_points.add(row),
            (None, Some(_)) => self.only_commas.add(row),
            (Some(_), Some(_)) | (None, None) => {}
        }
        any
    }

    fn observe_moment(&mut self, cell: &[u8], row: u64) -> bool {
        if let Some(date) = moment::only_date(cell) {
            self.dates.add(1, date.orders);
        } else if let Some(stamp) = moment::stamp(cell) {
            if stamp.clock.too_fine {
                self.lossy.add(row);
            } else if stamp.offset.is_some() {
                self.zoned.add(1, stamp.date.orders);
            } else {
                self.stamps.add(1, stamp.date.orders);
            }
        } else if let Some(clock) = moment::only_clock(cell) {
            if clock.too_fine { self.lossy.add(row) } else { self.times += 1 }
        } else {
            return false;
        }
        true
    }

    /// Values that fit a notation.
    pub fn fitting(&self, notation: Notation) -> u64 {
        let index = notation as usize;
        let plain = if notation.has_point() && index > 0 { self.numbers[0].count } else { 0 };
        self.wholes.count + self.numbers[index].count + plain
    }

    /// Which decimal mark all its numbers have, where they leave no doubt: `Some(true)` for a comma.
    pub fn decimal_comma(&self) -> Option<bool> {
        let fits = |notation: &Notation| self.fitting(*notation) == self.values;
        let (points, commas): (Vec<Notation>, Vec<Notation>) =
            Notation::ALL.into_iter().filter(fits).partition(|notation| notation.has_point());
        match (points.is_empty(), commas.is_empty()) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            (true, true) | (false, false) => None,
        }
    }

    /// Whether some value is a number only with a decimal point, so that no comma can be the decimal mark.
    pub fn rules_out_commas(&self) -> bool {
        self.fitting(Notation::DecimalComma) < self.values && self.fitting(Notation::BlankGroupsComma) < self.values
    }

    /// Whether so much is plain text that counting on would tell nothing.
    pub fn is_plainly_text(&self) -> bool {
        self.text.count() > 20 && self.text.count() * 20 > self.values
    }
}

/// `true` or `false` in any case.
#[inline]
pub fn boolean(cell: &[u8]) -> Option<bool> {
    match cell.len() {
        4 if cell.eq_ignore_ascii_case(b"true") => Some(true),
        5 if cell.eq_ignore_ascii_case(b"false") => Some(false),
        _ => None,
    }
}

/// Marks that stand for a missing value in a typed column.
pub fn is_mark(cell: &[u8]) -> bool {
    const MARKS: [&[u8]; 17] = [
        b"na", b"n/a", b"#n/a", b"#na", b"<na>", b"n.a.", b"nan", b"-nan", b"null", b"(null)", b"none", b"nil", b"\\n",
        b"-", b"--", b".", b"?",
    ];
    cell.len() <= 6 && MARKS.iter().any(|mark| cell.eq_ignore_ascii_case(mark))
}

/// Without outer blanks, no-break ones included.
#[inline]
pub fn trim(cell: &[u8]) -> &[u8] {
    let mut cell = cell.trim_ascii();
    while let Some(rest) = cell.strip_prefix(b"\xc2\xa0") {
        cell = rest.trim_ascii_start();
    }
    while let Some(rest) = cell.strip_suffix(b"\xc2\xa0") {
        cell = rest.trim_ascii_end();
    }
    cell
}

/// Digits with signs, marks and an exponent: a number but for how it is written.
fn looks_numeric(cell: &[u8]) -> bool {
    cell.iter().any(u8::is_ascii_digit)
        && cell.iter().all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b',' | b' ' | b'e' | b'E'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(cells: &[&str]) -> Evidence {
        let mut evidence = Evidence::default();
        for (i, cell) in cells.iter().enumerate() {
            evidence.observe(trim(cell.as_bytes()), i as u64 + 1);
        }
        evidence
    }

    #[test]
    fn each_cell_counts_for_every_reading_it_fits() {
        let seen = evidence(&["1,234", "12.5", "7", "", "NA", "1.234"]);
        assert_eq!(seen.values, 4);
        assert_eq!(seen.marks.count(), 1);
        assert_eq!(seen.fitting(Notation::CommaGroups), 4);
        assert_eq!(seen.fitting(Notation::Plain), 3);
        assert_eq!(seen.fitting(Notation::DecimalComma), 3);
        assert!(seen.rules_out_commas());
    }

    #[test]
    fn codes_are_lossy_and_words_are_text() {
        let seen = evidence(&["007", "+49", "12E12", "2020-01-01 00:00:00.1234567", "0.1.4", "abc", "tru", "-x"]);
        assert_eq!((seen.lossy.count(), seen.text.count()), (5, 3));
    }

    #[test]
    fn blanks_around_do_not_count() {
        let seen = evidence(&[" 7 ", "\u{a0}8\u{a0}", "   "]);
        assert_eq!((seen.values, seen.wholes.count), (2, 2));
    }
}
