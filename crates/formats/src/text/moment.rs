//! Dates, times and timestamps as people write them, with every order a date could be read in.

/// Orders of year, month and day; a set of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orders(u8);

impl Orders {
    /// No order.
    pub const NONE: Self = Self(0);
    /// Year, month, day.
    pub const YMD: Self = Self(1);
    /// Day, month, year.
    pub const DMY: Self = Self(2);
    /// Month, day, year.
    pub const MDY: Self = Self(4);
    /// Every order.
    pub const ALL: Self = Self(7);

    /// Orders in both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether an order is in the set.
    pub const fn has(self, order: Self) -> bool {
        self.0 & order.0 != 0
    }

    /// Whether no order is left.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether both day first and month first are left.
    pub const fn is_ambiguous(self) -> bool {
        self.0 & 6 == 6
    }

    /// The order to use: the only one, or the preferred of two.
    pub const fn choose(self, day_first: bool) -> Option<Self> {
        match self.0 {
            0 => None,
            6 | 7 => Some(if day_first { Self::DMY } else { Self::MDY }),
            _ if self.has(Self::YMD) => Some(Self::YMD),
            _ if self.has(Self::DMY) => Some(Self::DMY),
            _ => Some(Self::MDY),
        }
    }
}

/// A date in every order it can be read in, as days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateCell {
    /// Orders that give a real date.
    pub orders: Orders,
    /// The date when the year or the day comes first.
    first: i32,
    /// The date when the month comes first.
    month_first: i32,
}

impl DateCell {
    /// The date in an order.
    pub fn days(&self, order: Orders) -> Option<i32> {
        if !self.orders.has(order) {
            return None;
        }
        Some(if order == Orders::MDY { self.month_first } else { self.first })
    }
}

/// Days since 1970-01-01 of a real date of the years 1 to 9999.
#[inline]
pub fn days(year: u32, month: u32, day: u32) -> Option<i32> {
    const LENGTHS: [u32; 13] = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    if year == 0 || month == 0 || month > 12 || day == 0 {
        return None;
    }
    let leap = month == 2 && year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if day > LENGTHS[month as usize] + u32::from(leap) {
        return None;
    }
    // Howard Hinnant, "chrono-compatible low-level date algorithms", with years that start in March.
    let shifted = year - u32::from(month <= 2);
    let era = shifted / 400;
    let of_era = shifted - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_era_days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    Some((era * 146_097 + of_era_days) as i32 - 719_468)
}

#[inline]
fn two(bytes: &[u8], at: usize) -> Option<u32> {
    let (a, b) = (bytes[at].wrapping_sub(b'0'), bytes[at + 1].wrapping_sub(b'0'));
    (a <= 9 && b <= 9).then(|| u32::from(a) * 10 + u32::from(b))
}

/// `YYYY-MM-DD` and nothing else; the fast way.
#[inline]
pub fn iso_date(cell: &[u8]) -> Option<i32> {
    if cell.len() != 10 || cell[4] != b'-' || cell[7] != b'-' {
        return None;
    }
    days(two(cell, 0)? * 100 + two(cell, 2)?, two(cell, 5)?, two(cell, 8)?)
}

/// One or more digits at the start: value and length.
fn number(bytes: &[u8], most: usize) -> Option<(u32, usize)> {
    let len = bytes.iter().take(most + 1).take_while(|b| b.is_ascii_digit()).count();
    (1..=most).contains(&len).then(|| (bytes[..len].iter().fold(0, |v, b| v * 10 + u32::from(b - b'0')), len))
}

/// Three numbers, each with its length, between two equal separators.
struct Triple {
    numbers: [(u32, usize); 3],
    separator: u8,
    end: usize,
}

fn triple(cell: &[u8]) -> Option<Triple> {
    let a = number(cell, 4)?;
    let separator = *cell.get(a.1)?;
    if !matches!(separator, b'-' | b'/' | b'.') {
        return None;
    }
    let b_at = a.1 + 1;
    let b = number(cell.get(b_at..)?, 2)?;
    if cell.get(b_at + b.1) != Some(&separator) {
        return None;
    }
    let c_at = b_at + b.1 + 1;
    let c = number(cell.get(c_at..)?, 4)?;
    Some(Triple { numbers: [a, b, c], separator, end: c_at + c.1 })
}

/// A date at the start of a cell and where it ends: `2024-1-31`, `2024/01/31`, `31/1/2024`, `1-31-2024`, `31.01.2024`.
/// Years have four digits, so that no century is made up.
pub fn date(cell: &[u8]) -> Option<(DateCell, usize)> {
    let Triple { numbers: [(a, a_len), (b, _), (c, c_len)], separator, end } = triple(cell)?;
    let mut found = DateCell { orders: Orders::NONE, first: 0, month_first: 0 };
    if a_len == 4 && c_len <= 2 && separator != b'.' {
        if let Some(days) = days(a, b, c) {
            found.first = days;
            found.orders = Orders::YMD;
        }
    } else if a_len <= 2 && c_len == 4 {
        if let Some(days) = days(c, b, a) {
            found.first = days;
            found.orders = Orders::DMY;
        }
        // With points the day comes first everywhere.
        if separator != b'.'
            && let Some(days) = days(c, a, b)
        {
            found.month_first = days;
            found.orders = Orders(found.orders.0 | Orders::MDY.0);
        }
    }
    (!found.orders.is_none()).then_some((found, end))
}

/// Whether a cell is written as a date, perhaps with more after a blank or `T`, but no calendar has that day.
pub fn is_unreal_date(cell: &[u8]) -> bool {
    triple(cell).is_some_and(|Triple { numbers: [a, _, c], separator, end }| {
        let year_first = a.1 == 4 && c.1 <= 2 && separator != b'.';
        let year_last = a.1 <= 2 && c.1 == 4;
        (year_first || year_last) && matches!(cell.get(end), None | Some(b' ' | b'T' | b't')) && date(cell).is_none()
    })
}

/// A cell that is a date and nothing else.
pub fn only_date(cell: &[u8]) -> Option<DateCell> {
    date(cell).and_then(|(found, end)| (end == cell.len()).then_some(found))
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// A time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Microseconds since midnight.
    pub micros: i64,
    /// Whether digits beyond microseconds would be lost.
    pub too_fine: bool,
}

/// A time of day at the start and where it ends: `7:05`, `07:05:09`, `07:05:09.250`. `hour_digits` is the least number
/// of digits of the hour.
fn clock(cell: &[u8], hour_digits: usize) -> Option<(Clock, usize)> {
    let (hour, hour_len) = number(cell, 2)?;
    if hour > 23 || hour_len < hour_digits || cell.get(hour_len) != Some(&b':') {
        return None;
    }
    let mut at = hour_len + 1;
    let minute = two(cell.get(at..at + 2)?, 0).filter(|m| *m < 60)?;
    at += 2;
    let mut found = Clock { micros: (i64::from(hour) * 3600 + i64::from(minute) * 60) * SECOND, too_fine: false };
    if cell.get(at) != Some(&b':') {
        return Some((found, at));
    }
    let second = two(cell.get(at + 1..at + 3)?, 0).filter(|s| *s < 60)?;
    found.micros += i64::from(second) * SECOND;
    at += 3;
    if !matches!(cell.get(at), Some(b'.' | b',')) {
        return Some((found, at));
    }
    let digits = cell[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    let fraction = &cell[at + 1..=at + digits];
    let mut micros = 0;
    for i in 0..6 {
        micros = micros * 10 + i64::from(fraction.get(i).map_or(0, |b| b - b'0'));
    }
    found.micros += micros;
    found.too_fine = fraction.iter().skip(6).any(|b| *b != b'0');
    Some((found, at + 1 + digits))
}

/// A cell that is a time of day and nothing else; the hour has two digits.
pub fn only_clock(cell: &[u8]) -> Option<Clock> {
    clock(cell, 2).and_then(|(found, end)| (end == cell.len()).then_some(found))
}

/// A date with a time of day, perhaps with an offset from UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The date.
    pub date: DateCell,
    /// The time.
    pub clock: Clock,
    /// Offset from UTC in microseconds, when the cell has one.
    pub offset: Option<i64>,
}

impl Stamp {
    /// Microseconds since 1970-01-01 00:00:00, of UTC when the cell has an offset.
    pub fn micros(&self, order: Orders) -> Option<i64> {
        let days = i64::from(self.date.days(order)?);
        Some(days * DAY + self.clock.micros - self.offset.unwrap_or(0))
    }
}

/// A cell that is a timestamp: date, blank or `T`, time, then perhaps AM or PM, then perhaps `Z`, `UTC` or `±hh[[:]mm]`.
pub fn stamp(cell: &[u8]) -> Option<Stamp> {
    let (date, end) = date(cell)?;
    if !matches!(cell.get(end), Some(b' ' | b'T' | b't')) {
        return None;
    }
    let (mut clock, clock_len) = clock(&cell[end + 1..], 1)?;
    let mut rest = &cell[end + 1 + clock_len..];
    if let Some((half, len)) = half_day(rest) {
        let hour = clock.micros / (3600 * SECOND);
        if !(1..=12).contains(&hour) {
            return None;
        }
        clock.micros += match (half, hour) {
            (Half::Before, 12) => -12 * 3600 * SECOND,
            (Half::After, 1..=11) => 12 * 3600 * SECOND,
            _ => 0,
        };
        rest = &rest[len..];
    }
    if rest.is_empty() {
        return Some(Stamp { date, clock, offset: None });
    }
    Some(Stamp { date, clock, offset: Some(zone(rest.strip_prefix(b" ").unwrap_or(rest))?) })
}

#[derive(Clone, Copy)]
enum Half {
    Before,
    After,
}

fn half_day(rest: &[u8]) -> Option<(Half, usize)> {
    let blank = usize::from(rest.first() == Some(&b' '));
    let word = rest.get(blank..blank + 2)?;
    if word.eq_ignore_ascii_case(b"am") {
        Some((Half::Before, blank + 2))
    } else if word.eq_ignore_ascii_case(b"pm") {
        Some((Half::After, blank + 2))
    } else {
        None
    }
}

/// An offset from UTC in microseconds.
fn zone(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        b"Z" | b"z" | b"UTC" | b"GMT" => return Some(0),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match digits.len() {
        2 => (two(digits, 0)?, 0),
        4 => (two(digits, 0)?, two(digits, 2)?),
        5 if digits[2] == b':' => (two(digits, 0)?, two(digits, 3)?),
        _ => return None,
    };
    (hours <= 18 && minutes < 60).then(|| sign * i64::from(hours * 3600 + minutes * 60) * SECOND)
}

/// `YYYY-MM-DD[ T]HH:MM:SS` with nothing or `Z` behind it, in microseconds, and whether it has the `Z`; the fast way.
#[inline]
pub fn iso_stamp(cell: &[u8]) -> Option<(i64, bool)> {
    let zoned = match cell.len() {
        19 => false,
        20 if cell[19] == b'Z' => true,
        _ => return None,
    };
    if !matches!(cell[10], b' ' | b'T') || cell[13] != b':' || cell[16] != b':' {
        return None;
    }
    let days = i64::from(iso_date(&cell[..10])?);
    let (hour, minute, second) = (two(cell, 11)?, two(cell, 14)?, two(cell, 17)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some((days * DAY + i64::from(hour * 3600 + minute * 60 + second) * SECOND, zoned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_agree_with_the_calendar() {
        use chrono::Datelike;
        let epoch = chrono::NaiveDate::from_ymd_opt(1970, 1, 1).unwrap();
        let mut day = chrono::NaiveDate::from_ymd_opt(1, 1, 1).unwrap();
        let last = chrono::NaiveDate::from_ymd_opt(9999, 12, 31).unwrap();
        while day < last {
            let expected = day.signed_duration_since(epoch).num_days();
            assert_eq!(days(day.year() as u32, day.month(), day.day()).map(i64::from), Some(expected), "{day}");
            day += chrono::TimeDelta::days(17);
        }
        assert_eq!(days(2023, 2, 29), None);
        assert_eq!(days(1900, 2, 29), None);
        assert!(days(2000, 2, 29).is_some());
    }

    #[test]
    fn orders_follow_from_the_numbers() {
        let orders = |text: &str| only_date(text.as_bytes()).map(|d| d.orders);
        assert_eq!(orders("2024-02-01"), Some(Orders::YMD));
        assert_eq!(orders("13/02/2024"), Some(Orders::DMY));
        assert_eq!(orders("02/13/2024"), Some(Orders::MDY));
        assert!(orders("02/03/2024").is_some_and(Orders::is_ambiguous));
        assert_eq!(orders("02.03.2024"), Some(Orders::DMY));
        for text in [
            "02.13.2024",
            "0.1.4",
            "2024.01.02",
            "24-01-02",
            "01/02/24",
            "2024-01/02",
            "2024-13-01",
            "20240101",
            "2024-01-02 ",
        ] {
            assert_eq!(orders(text), None, "{text}");
        }
    }

    #[test]
    fn timestamps_are_instants_in_microseconds() {
        let micros = |text: &str| stamp(text.as_bytes()).and_then(|s| s.micros(s.date.orders.choose(true)?));
        assert_eq!(micros("1970-01-02 00:00:01"), Some(DAY + SECOND));
        assert_eq!(micros("1970-01-01T00:00:00.250"), Some(250_000));
        assert_eq!(micros("1970-01-01T02:00:00+02:00"), Some(0));
        assert_eq!(micros("1969-12-31 19:00:00 -0500"), Some(0));
        assert_eq!(micros("1970-01-01 00:00:00 UTC"), Some(0));
        assert_eq!(micros("01/02/1970 12:30 AM"), Some(31 * DAY + 1800 * SECOND));
        assert_eq!(micros("01/02/1970 1:30PM"), Some(31 * DAY + 13 * 3600 * SECOND + 1800 * SECOND));
        for text in [
            "1970-01-01",
            "1970-01-01 24:00:00",
            "1970-01-01 00:60",
            "1970-01-01 00:00:60",
            "1970-01-01 00:00:00 CET",
            "1970-01-01 13:00 PM",
        ] {
            assert_eq!(micros(text), None, "{text}");
        }
        assert!(stamp(b"1970-01-01 00:00:00.1234567").is_some_and(|s| s.clock.too_fine));
        assert!(!stamp(b"1970-01-01 00:00:00.1234560").is_some_and(|s| s.clock.too_fine));
        assert_eq!(iso_stamp(b"1970-01-01T00:00:01Z"), Some((SECOND, true)));
    }
}
