//! Numbers for people: thousands, sizes, spans of time, shares.

use std::time::Duration;

/// `1204` as `1,204`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `1 row`, `2 rows`.
pub fn count(n: u64, one: &str) -> String {
    format!("{} {one}{}", thousands(n), if n == 1 { "" } else { "s" })
}

/// A size in bytes.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if n < 1_000 {
        return format!("{n} B");
    }
    let mut value = n as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 999.5 {
            break;
        }
        value /= 1_000.0;
        unit = next;
    }
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// A span of time.
pub fn span(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 0.9995 {
        format!("{} ms", duration.as_millis())
    } else if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round() as u64;
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
        if hours > 0 { format!("{hours} h {minutes:02} min") } else { format!("{minutes} min {rest:02} s") }
    }
}

/// A share between 0 and 1: nothing, a hint of it, or percent.
pub fn share(fraction: f64) -> String {
    if fraction <= 0.0 {
        "-".to_owned()
    } else if fraction < 0.001 {
        "<0.1 %".to_owned()
    } else if fraction < 0.0995 {
        format!("{:.1} %", fraction * 100.0)
    } else {
        format!("{:.0} %", fraction * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [999, 1_500, 38_200, 999_600, 2_400_000_000].map(bytes),
            ["999 B", "1.5 KB", "38 KB", "1.0 MB", "2.4 GB"]
        );
        assert_eq!(
            [12, 2_340, 125_000, 3_700_000].map(|ms| span(Duration::from_millis(ms))),
            ["12 ms", "2.3 s", "2 min 05 s", "1 h 01 min"]
        );
        assert_eq!([0.0, 0.0001, 0.021, 0.5, 1.0].map(share), ["-", "<0.1 %", "2.1 %", "50 %", "100 %"]);
        assert_eq!((count(1, "row"), count(2_000, "row")), ("1 row".to_owned(), "2,000 rows".to_owned()));
    }
}
