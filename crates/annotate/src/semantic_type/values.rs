//! Forms of values that prove a meaning whatever the column is called.

use std::sync::LazyLock;

use domain::ports::pii_scanner::PiiScanner;
use domain::semantic::{PiiTag, SemanticType};
use regex::Regex;

use super::{Name, PROOF};
use crate::pii::{RegexScanner, iban_len, is_ip, is_phone, mod97};

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("the pattern is a constant"));
    };
}

pattern!(URL, r"^(?i:https?|ftp|s3|wss?)://\S+$|^www\.[^\s.]+\.\S+$");
pattern!(IMAGE, r"(?i)\.(?:png|jpe?g|gif|webp|svg|bmp|tiff?)(?:[?#]\S*)?$");
pattern!(UUID, r"^\{?[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\}?$");
pattern!(PATH, r"^(?:[A-Za-z]:\\|\\\\|/|\./|\.\./|~/)[^\s].*$");
pattern!(DATE, r"^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))$");
pattern!(DATETIME, r"^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})[T ]\d{1,2}:\d{2}.*$");
pattern!(TIME, r"^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?: ?[AaPp][Mm])?$");
pattern!(SPAN, r"^P(?:\d+(?:[.,]\d+)?[YMWD])*(?:T(?:\d+(?:[.,]\d+)?[HMS])+)?$");
pattern!(VERSION, r"^[vV]?\d+\.\d+\.\d+(?:\.\d+)?(?:[-+][0-9A-Za-z.-]+)?$");
pattern!(GEO, r"^[-+]?\d{1,2}\.\d+\s*[,;]\s*[-+]?\d{1,3}\.\d+$|^POINT ?\(");
pattern!(PERCENT, r"^[-+]?[\d.,]+ ?%$");
pattern!(MONEY, r"^[-+]?(?:[$€£¥₹] ?[-\d.,' ]*\d|\d[\d.,' ]* ?[$€£¥₹])$");
pattern!(
    ZONE,
    r"^(?:(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)/[A-Za-z_/+0-9-]+|UTC(?:[+-]\d.*)?|GMT[+-]\d.*)$"
);
pattern!(QUARTER, r"^(?:Q[1-4](?:[ /-]?\d{2,4})?|\d{4}[ /-]?Q[1-4])$");
pattern!(WEEK, r"^\d{4}-?W\d{2}$");
pattern!(
    MONTH,
    r"^(?:\d{4}-(?:0[1-9]|1[0-2])|(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*(?:[ -]\d{2,4})?)$"
);

/// The meaning that nearly all values prove; `None` of no values.
pub(super) fn proven(name: &Name, values: &[&str]) -> Option<SemanticType> {
    let scanner = RegexScanner::new();
    let all = |test: &dyn Fn(&str) -> bool| share(values, test) >= PROOF;
    let like = |pattern: &Regex| all(&|value| pattern.is_match(value));
    let one_word = |value: &str| !value.contains(char::is_whitespace);
    let forms: [(SemanticType, &dyn Fn() -> bool); 18] = [
        (SemanticType::Email, &|| {
            all(&|v| one_word(v) && scanner.value(v) == Some(PiiTag::Email) && !v.contains("://"))
        }),
        (SemanticType::ImageUrl, &|| like(&URL) && like(&IMAGE)),
        (SemanticType::Url, &|| like(&URL)),
        (SemanticType::Identifier, &|| like(&UUID)),
        (SemanticType::Iban, &|| all(&is_iban)),
        (SemanticType::IpAddress, &|| !name.any(&["version", "release"]) && all(&is_ip)),
        (SemanticType::Json, &|| all(&is_json)),
        (SemanticType::Datetime, &|| like(&DATETIME)),
        (SemanticType::Date, &|| like(&DATE)),
        (SemanticType::Time, &|| like(&TIME)),
        (SemanticType::Duration, &|| all(&|v| v.len() > 2 && SPAN.is_match(v))),
        (SemanticType::GeoCoordinate, &|| like(&GEO)),
        (SemanticType::Percentage, &|| like(&PERCENT)),
        (SemanticType::Amount, &|| like(&MONEY)),
        (SemanticType::Timezone, &|| like(&ZONE)),
        (SemanticType::Version, &|| like(&VERSION)),
        (SemanticType::FilePath, &|| like(&PATH)),
        (SemanticType::Phone, &|| all(&is_phone)),
    ];
    if values.is_empty() {
        return None;
    }
    let found = forms.iter().find(|(_, holds)| holds()).map(|(meaning, _)| *meaning);
    found.or_else(|| period(name, values))
}

/// Parts of a calendar that only a fitting name or an unmistakable form makes one.
fn period(name: &Name, values: &[&str]) -> Option<SemanticType> {
    let like = |pattern: &Regex| share(values, &|value| pattern.is_match(value)) >= PROOF;
    if like(&WEEK) {
        Some(SemanticType::Week)
    } else if like(&QUARTER) && (name.any(&["quarter", "qtr", "period"]) || values.iter().any(|v| v.len() > 2)) {
        Some(SemanticType::Quarter)
    } else if like(&MONTH) && (name.any(&["month", "period"]) || values.iter().any(|v| v.starts_with(char::is_numeric)))
    {
        Some(SemanticType::Month)
    } else {
        None
    }
}

/// Share of the values that pass a test.
pub(super) fn share(values: &[&str], test: &dyn Fn(&str) -> bool) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().filter(|value| test(value)).count() as f64 / values.len() as f64
}

fn is_iban(value: &str) -> bool {
    let iban: String = value.chars().filter(|c| *c != ' ').collect();
    iban.get(..2).and_then(iban_len) == Some(iban.len()) && mod97(&iban)
}

/// An object or array; a number or a quoted word alone is JSON too, but nobody would call it that.
fn is_json(value: &str) -> bool {
    value.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok()
}
