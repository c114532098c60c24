//! Finding personal data by patterns and by names, offline.
//!
//! A *value* is personal data when it holds, anywhere in it, something with the form and the check digits of one:
//! an e-mail address, US social security number, IBAN (mod 97), payment card (issuer's length and Luhn), phone number or
//! IP address (v4, v6).
//!
//! A *column* is tagged when at least [`VALUE_SHARE`] of its sampled values are one kind of it, or when its name says so
//! (by whole words: `ip` is one, `zip` and `ship` are not), its type can hold it and at least [`HINT_SHARE`] of the sampled
//! values have its looser form. A name alone decides only where no value was sampled. Dates of birth and names of persons
//! have no form that could tell them from other dates and texts: they need the name.
//!
//! An operator's own patterns ([`CustomPatterns`]) go before all of these: whoever writes one knows the data.

mod checks;
mod custom;
mod hints;
mod patterns;

use std::sync::Arc;

use domain::SqlType;
use domain::ports::pii_scanner::PiiScanner;
use domain::semantic::PiiTag;

pub(crate) use checks::{iban_len, luhn, mod97};
pub use custom::{CustomPatterns, PatternError};
pub(crate) use patterns::{is_ip, is_phone};

/// Share of the values that makes a column personal data whatever its name.
pub const VALUE_SHARE: f64 = 0.5;
/// Share of the values, in their looser form, that confirms what the name of the column says.
pub const HINT_SHARE: f64 = 0.2;

/// Scans for personal data by patterns.
#[derive(Debug, Default, Clone)]
pub struct RegexScanner {
    custom: Arc<CustomPatterns>,
}

impl RegexScanner {
    /// The scanner without patterns of an operator's own.
    pub fn new() -> Self {
        Self::default()
    }

    /// The scanner that looks for `custom` first.
    pub fn with_patterns(custom: CustomPatterns) -> Self {
        Self { custom: Arc::new(custom) }
    }
}

impl PiiScanner for RegexScanner {
    fn value(&self, text: &str) -> Option<PiiTag> {
        self.custom.find(text).or_else(|| patterns::find(text))
    }

    fn column(&self, name: &str, sql_type: &SqlType, values: &[String]) -> PiiTag {
        if let Some(tag) = self.custom.of_column(values) {
            return tag;
        }
        by_values(name, sql_type, values).or_else(|| by_name(name, sql_type, values)).unwrap_or(PiiTag::None)
    }
}

/// What most values are, where the type can hold text or card numbers.
fn by_values(name: &str, sql_type: &SqlType, values: &[String]) -> Option<PiiTag> {
    let readable: &[PiiTag] = match sql_type {
        SqlType::Varchar | SqlType::Json | SqlType::Struct(_) | SqlType::List(_) => {
            &[PiiTag::Email, PiiTag::Ssn, PiiTag::Iban, PiiTag::CreditCard, PiiTag::Phone, PiiTag::IpAddress]
        }
        SqlType::BigInt | SqlType::UBigInt | SqlType::Decimal(_, 0) => &[PiiTag::CreditCard],
        SqlType::Boolean
        | SqlType::Double
        | SqlType::Decimal(..)
        | SqlType::Date
        | SqlType::Time
        | SqlType::Timestamp
        | SqlType::TimestampTz
        | SqlType::Blob => return None,
    };
    let found: Vec<PiiTag> = values.iter().filter_map(|value| patterns::find(value)).collect();
    readable
        .iter()
        .find(|tag| {
            // A version of four numbers is spelt like an address.
            !(**tag == PiiTag::IpAddress && hints::is_version(name))
                && enough(found.iter().filter(|f| f == tag).count(), values.len(), VALUE_SHARE)
        })
        .cloned()
}

/// What the name says, when type and values bear it out.
fn by_name(name: &str, sql_type: &SqlType, values: &[String]) -> Option<PiiTag> {
    let tag = hints::of_name(name)?;
    let text = matches!(sql_type, SqlType::Varchar);
    let integer = matches!(sql_type, SqlType::BigInt | SqlType::UBigInt | SqlType::Decimal(_, 0));
    let day = matches!(sql_type, SqlType::Date | SqlType::Timestamp | SqlType::TimestampTz);
    let fits = match tag {
        PiiTag::Dob => day || text,
        PiiTag::Phone | PiiTag::Ssn | PiiTag::CreditCard => text || integer,
        PiiTag::Email
        | PiiTag::Iban
        | PiiTag::IpAddress
        | PiiTag::Name
        | PiiTag::Location
        | PiiTag::None
        | PiiTag::Custom(_) => text,
    };
    let borne_out =
        || values.iter().filter(|value| patterns::find(value).as_ref() == Some(&tag) || loosely(&tag, value)).count();
    (fits && (values.is_empty() || enough(borne_out(), values.len(), HINT_SHARE))).then_some(tag)
}

fn enough(hits: usize, of: usize, share: f64) -> bool {
    hits > 0 && hits as f64 >= share * of as f64
}

/// Whether a value could be what the name of its column says: without the marks that a value alone would need.
fn loosely(tag: &PiiTag, value: &str) -> bool {
    let value = value.trim();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let only = |marks: &str| value.chars().all(|c| c.is_ascii_digit() || marks.contains(c));
    match tag {
        PiiTag::Phone => (6..=15).contains(&digits) && only("+ ()-./x"),
        PiiTag::Ssn => digits == 9 && only("- "),
        PiiTag::CreditCard => (13..=19).contains(&digits) && only("- ") && luhn(value),
        PiiTag::Iban => checks::is_iban(&value.to_uppercase()),
        PiiTag::Dob => patterns::is_day(value),
        PiiTag::Name => {
            digits == 0
                && value.chars().any(char::is_alphabetic)
                && value.chars().all(|c| c.is_alphabetic() || " .,'’-".contains(c))
                && value.split_whitespace().count() <= 6
        }
        PiiTag::Email | PiiTag::IpAddress | PiiTag::Location | PiiTag::None | PiiTag::Custom(_) => false,
    }
}
