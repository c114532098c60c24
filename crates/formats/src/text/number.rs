//! Numbers as people write them: which notations a cell fits, and its exact value in one of them.

/// Decimal mark and grouping of a column of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// `1234.5`
    Plain,
    /// `1,234.5`
    CommaGroups,
    /// `1.234,5` and `1234,5`
    DecimalComma,
    /// `1 234,5` (blank, no-break blank or narrow no-break blank) and `1234,5`
    BlankGroupsComma,
    /// `1 234.5`
    BlankGroupsPoint,
    /// `1'234.5`
    ApostropheGroups,
}

impl Notation {
    /// Every notation, the most usual first: where several fit, the first counts.
    pub const ALL: [Self; 6] = [
        Self::Plain,
        Self::CommaGroups,
        Self::DecimalComma,
        Self::BlankGroupsComma,
        Self::BlankGroupsPoint,
        Self::ApostropheGroups,
    ];

    /// Whether the decimal mark is a point, so that every plain number fits too.
    pub const fn has_point(self) -> bool {
        match self {
            Self::Plain | Self::CommaGroups | Self::BlankGroupsPoint | Self::ApostropheGroups => true,
            Self::DecimalComma | Self::BlankGroupsComma => false,
        }
    }

    /// Length of the group mark that `rest` starts with.
    fn group_mark(self, rest: &[u8]) -> usize {
        match self {
            Self::Plain => 0,
            Self::CommaGroups => usize::from(rest[0] == b','),
            Self::DecimalComma => usize::from(rest[0] == b'.'),
            Self::ApostropheGroups => match rest {
                [b'\'', ..] => 1,
                [0xe2, 0x80, 0x99, ..] => 3,
                _ => 0,
            },
            Self::BlankGroupsComma | Self::BlankGroupsPoint => match rest {
                [b' ', ..] => 1,
                [0xc2, 0xa0, ..] => 2,
                [0xe2, 0x80, 0xaf, ..] => 3,
                _ => 0,
            },
        }
    }
}

/// An exact decimal number: `mantissa × 10^-scale`, without trailing zeros in the fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Whether a minus stood before it.
    pub negative: bool,
    /// All its digits; at most 38.
    pub mantissa: u128,
    /// Digits after the decimal mark; negative only where an exponent says so.
    pub scale: i32,
    /// Digits after the decimal mark as written, trailing zeros included.
    pub written: u32,
    /// Whether it was written as a whole number: digits only.
    pub whole: bool,
}

/// Most digits an exact number may have.
pub const MAX_DIGITS: usize = 38;

/// Reads a cell in a notation. None when it does not fit, has a leading zero, a plus sign, an exponent that could be
/// part of a code (`12E12`), or more than 38 digits.
pub fn parse(cell: &[u8], notation: Notation) -> Option<Number> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    let mut number = Number { negative, mantissa: 0, scale: 0, written: 0, whole: true };
    let mut at = whole_part(digits, notation, &mut number)?;
    let mark = if notation.has_point() { b'.' } else { b',' };
    let whole_digits = at;
    if digits.get(at) == Some(&mark) {
        number.whole = false;
        at = fraction(digits, at + 1, &mut number)?;
    }
    if at == whole_digits && at == 0 {
        return None;
    }
    if matches!(digits.get(at), Some(b'e' | b'E')) {
        at = exponent(digits, at + 1, &mut number)?;
    }
    if at != digits.len() {
        return None;
    }
    // Minus zero is a number with a sign that an integer would lose.
    number.whole &= !(negative && number.mantissa == 0);
    Some(number)
}

fn push(number: &mut Number, digit: u8) -> Option<()> {
    number.mantissa = number.mantissa.checked_mul(10)?.checked_add(u128::from(digit - b'0'))?;
    (number.mantissa < 10_u128.pow(MAX_DIGITS as u32)).then_some(())
}

/// Digits before the decimal mark; groups must be of three digits, the first of one to three.
fn whole_part(digits: &[u8], notation: Notation, number: &mut Number) -> Option<usize> {
    let mut at = 0;
    let mut in_group = 0;
    let mut grouped = false;
    while at < digits.len() {
        let byte = digits[at];
        if byte.is_ascii_digit() {
            push(number, byte)?;
            in_group += 1;
            at += 1;
            continue;
        }
        let mark = notation.group_mark(&digits[at..]);
        if mark == 0 || at == 0 {
            break;
        }
        let fits = if grouped { in_group == 3 } else { (1..=3).contains(&in_group) && digits[0] != b'0' };
        if !fits {
            return None;
        }
        grouped = true;
        in_group = 0;
        at += mark;
    }
    if grouped && in_group != 3 {
        return None;
    }
    if at > 1 && digits[0] == b'0' {
        return None;
    }
    Some(at)
}

/// Digits after the decimal mark, at least one.
fn fraction(digits: &[u8], start: usize, number: &mut Number) -> Option<usize> {
    let len = digits[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    if len == 0 {
        return None;
    }
    let kept = digits[start..start + len].iter().rposition(|b| *b != b'0').map_or(0, |last| last + 1);
    for digit in &digits[start..start + kept] {
        push(number, *digit)?;
    }
    number.scale = i32::try_from(kept).ok()?;
    number.written = u32::try_from(len).ok()?;
    Some(start + len)
}

/// An exponent counts where the number has a fraction or the exponent a sign.
fn exponent(digits: &[u8], start: usize, number: &mut Number) -> Option<usize> {
    let (sign, from) = match digits.get(start)? {
        b'-' => (Some(-1), start + 1),
        b'+' => (Some(1), start + 1),
        _ => (None, start),
    };
    let len = digits[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    if !(1..=3).contains(&len) || (sign.is_none() && number.whole) {
        return None;
    }
    let value: i32 = digits[from..from + len].iter().fold(0, |v, b| v * 10 + i32::from(b - b'0'));
    number.scale -= sign.unwrap_or(1) * value;
    number.written = number.fraction_digits();
    number.whole = false;
    Some(from + len)
}

impl Number {
    /// Digits that count: without leading and trailing zeros.
    pub fn significant(&self) -> u32 {
        let mut mantissa = self.mantissa;
        while mantissa != 0 && mantissa.is_multiple_of(10) {
            mantissa /= 10;
        }
        count_digits(mantissa)
    }

    /// Digits before the decimal mark once written out.
    pub fn whole_digits(&self) -> u32 {
        let digits = i64::from(count_digits(self.mantissa)) - i64::from(self.scale);
        if self.mantissa == 0 { 0 } else { u32::try_from(digits.max(0)).unwrap_or(u32::MAX) }
    }

    /// Digits after the decimal mark once written out.
    pub fn fraction_digits(&self) -> u32 {
        u32::try_from(self.scale.max(0)).unwrap_or(0)
    }

    /// The nearest double; none when it is infinite or rounds to zero.
    pub fn to_f64(&self) -> Option<f64> {
        const POWERS: [f64; 23] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
            1e19, 1e20, 1e21, 1e22,
        ];
        let value = match usize::try_from(self.scale) {
            // Both are exact, so their quotient is the nearest double.
            Ok(scale) if self.mantissa < 1 << 53 && scale < POWERS.len() => self.mantissa as f64 / POWERS[scale],
            _ => format!("{}e{}", self.mantissa, -self.scale).parse().ok()?,
        };
        if !value.is_finite() || (value == 0.0 && self.mantissa != 0) {
            return None;
        }
        Some(if self.negative { -value } else { value })
    }

    /// Whether the shortest text that stands for the nearest double is this very number (decision 49).
    pub fn survives_double(&self) -> bool {
        if self.mantissa < 1_000_000_000_000_000 && (-280..300).contains(&self.scale) {
            return true;
        }
        let Some(value) = self.to_f64() else {
            return false;
        };
        let shortest = format!("{:e}", value.abs());
        let Some(printed) = parse_shortest(&shortest) else {
            return false;
        };
        same_value(printed, (self.mantissa, self.scale))
    }

    /// Whether both stand for the same number.
    pub fn equals(&self, other: &Self) -> bool {
        self.negative == other.negative && same_value((self.mantissa, self.scale), (other.mantissa, other.scale))
    }

    /// The digits at a fixed scale; none when they do not fit 38 digits, or for minus zero.
    pub fn at_scale(&self, scale: u8) -> Option<i128> {
        if self.negative && self.mantissa == 0 {
            return None;
        }
        let shift = u32::try_from(i32::from(scale) - self.scale).ok()?;
        let value = 10_u128.checked_pow(shift)?.checked_mul(self.mantissa)?;
        if value >= 10_u128.pow(MAX_DIGITS as u32) {
            return None;
        }
        let value = i128::try_from(value).ok()?;
        Some(if self.negative { -value } else { value })
    }
}

/// `d.ddde±x` as Rust prints doubles, as mantissa and scale.
fn parse_shortest(text: &str) -> Option<(u128, i32)> {
    let (digits, exponent) = text.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = format!("{whole}{fraction}").parse().ok()?;
    Some((mantissa, i32::try_from(fraction.len()).ok()? - exponent))
}

fn same_value(a: (u128, i32), b: (u128, i32)) -> bool {
    let strip = |(mut mantissa, mut scale): (u128, i32)| {
        while mantissa != 0 && mantissa.is_multiple_of(10) {
            mantissa /= 10;
            scale -= 1;
        }
        (mantissa, if mantissa == 0 { 0 } else { scale })
    };
    strip(a) == strip(b)
}

const fn count_digits(value: u128) -> u32 {
    if value == 0 { 0 } else { value.ilog10() + 1 }
}

/// A whole number without leading zeros or plus sign that fits 64 bits; the fast way.
#[inline]
pub fn parse_i64(cell: &[u8]) -> Option<i64> {
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    if digits.is_empty() || digits.len() > 19 || (digits[0] == b'0' && (digits.len() > 1 || negative)) {
        return None;
    }
    let mut value: u64 = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // 19 digits always fit 64 bits without a sign.
        value = value * 10 + u64::from(digit);
    }
    if negative { 0_i64.checked_sub_unsigned(value) } else { i64::try_from(value).ok() }
}

/// A plain number of at most 15 digits as a double, with the digits before and after the point; the fast way.
/// None says only that the slow way must look.
#[inline]
pub fn parse_short_f64(cell: &[u8]) -> Option<(f64, (u32, u32))> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, digits) = match cell {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, cell),
    };
    if digits.is_empty() || digits.len() > 16 || !digits[0].is_ascii_digit() {
        return None;
    }
    if digits[0] == b'0' && digits.len() > 1 && digits[1] != b'.' {
        return None;
    }
    let mut value: u64 = 0;
    let mut point = digits.len();
    for (i, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            value = value * 10 + u64::from(digit);
        } else if *byte == b'.' && point == digits.len() {
            point = i;
        } else {
            return None;
        }
    }
    let scale = digits.len().saturating_sub(point + 1);
    if point < digits.len() && scale == 0 || (point == digits.len() && digits.len() == 16) {
        return None;
    }
    // The sign of minus zero is a fact that only the slow way notes.
    if negative && value == 0 {
        return None;
    }
    let value = value as f64 / POWERS[scale];
    Some((if negative { -value } else { value }, (point as u32, scale as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Option<Number> {
        parse(text.as_bytes(), Notation::Plain)
    }

    #[test]
    fn codes_are_no_numbers() {
        for text in [
            "", "-", "007", "+1", "1.", "12E12", "1e5", "0x1F", "1_000", "--1", "1 000", ".", "-.", "00.5", "1e1000",
            "1.5e", "1.5.2",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
        assert_eq!(plain(&"9".repeat(39)), None);
        assert!(plain(&"9".repeat(38)).is_some());
    }

    #[test]
    fn notations_group_by_threes() {
        let value = |text: &str, notation| parse(text.as_bytes(), notation).and_then(|n| n.to_f64());
        assert_eq!(value("1,234,567.5", Notation::CommaGroups), Some(1_234_567.5));
        assert_eq!(value("1,23", Notation::CommaGroups), None);
        assert_eq!(value("1,2345", Notation::CommaGroups), None);
        assert_eq!(value("0,123", Notation::CommaGroups), None);
        assert_eq!(value("1.234,5", Notation::DecimalComma), Some(1234.5));
        assert_eq!(value("-0,75", Notation::DecimalComma), Some(-0.75));
        assert_eq!(value("12.5", Notation::DecimalComma), None);
        assert_eq!(value("1\u{a0}234,5", Notation::BlankGroupsComma), Some(1234.5));
        assert_eq!(value("1'234'567", Notation::ApostropheGroups), Some(1_234_567.0));
        assert_eq!(value("1234,5", Notation::BlankGroupsComma), Some(1234.5));
    }

    #[test]
    fn the_double_is_the_nearest_and_its_loss_is_known() {
        assert_eq!(plain("0.1").and_then(|n| n.to_f64()), Some(0.1));
        assert_eq!(plain("1.5e-7").and_then(|n| n.to_f64()), Some(1.5e-7));
        assert_eq!(plain("1.7976931348623157e+308").and_then(|n| n.to_f64()), Some(f64::MAX));
        for (text, survives) in [
            ("0.30000000000000004", true),
            ("0.1000000000000000055511151231257827", false),
            ("9007199254740993", false),
            ("9007199254740992", true),
            ("123456789012345678.25", false),
            ("100000000000000000000.5", false),
            ("1.50000000000000000000000", true),
            ("1e+999", false),
            ("5e-324", true),
        ] {
            assert_eq!(plain(text).is_some_and(|n| n.survives_double()), survives, "{text}");
        }
    }

    #[test]
    fn fast_ways_agree_with_the_slow_way() {
        for text in [
            "0",
            "-0",
            "7",
            "-7",
            "12.50",
            "0.001",
            "00.1",
            "1.",
            ".5",
            "999999999999999",
            "9999999999999999",
            "-123456.789",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "1.2.3",
            "1-2",
            "0.0",
            "-0.0",
        ] {
            let slow = plain(text);
            if let Some((fast, _)) = parse_short_f64(text.as_bytes()) {
                assert_eq!(slow.and_then(|n| n.to_f64()).map(f64::to_bits), Some(fast.to_bits()), "{text}");
            }
            let whole = text.parse::<i64>().ok().filter(|v| v.to_string() == text);
            assert_eq!(parse_i64(text.as_bytes()), whole, "{text}");
        }
    }
}
