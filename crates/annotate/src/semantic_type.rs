//! What a column means: one of the 49 semantic types, by rules over its type, the words of its name, its values and profile.
//!
//! Values outrank names where they can prove something (an e-mail address is one whatever its column is called), names outrank
//! the distribution of values, and the distribution decides last. A name whose values contradict it is not believed.

mod numbers;
mod texts;
mod values;

use domain::SqlType;
use domain::semantic::SemanticType;

use crate::profile::ColumnProfile;
use crate::words::{any, ends_with, holds, words};

/// Share of the values that must have a form before it proves something.
const PROOF: f64 = 0.8;

/// What is known of a column.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// Name of the table.
    pub table: &'a str,
    /// Name of the column.
    pub column: &'a str,
    /// Type.
    pub sql_type: &'a SqlType,
    /// Some values as text; may be empty.
    pub samples: &'a [String],
    /// Profile, when there is one.
    pub profile: Option<&'a ColumnProfile>,
}

/// The words of a name, with the questions the rules ask.
struct Name {
    words: Vec<String>,
}

impl Name {
    fn any(&self, some: &[&str]) -> bool {
        any(&self.words, some)
    }

    fn has(&self, phrase: &[&str]) -> bool {
        holds(&self.words, phrase)
    }

    fn ends(&self, phrase: &[&str]) -> bool {
        ends_with(&self.words, phrase)
    }

    fn last_in(&self, some: &[&str]) -> bool {
        self.words.last().is_some_and(|word| some.contains(&word.as_str()))
    }

    fn first_in(&self, some: &[&str]) -> bool {
        self.words.first().is_some_and(|word| some.contains(&word.as_str()))
    }

    /// A name that asks a question: `is_active`, `has_children`, `opt_out_flag`.
    fn asks(&self) -> bool {
        self.words.len() > 1 && self.first_in(&["is", "has", "was", "can", "did", "are", "should", "allow", "allows"])
            || self.last_in(&["flag", "yn"])
            || self.words.len() == 1
                && self.any(&["active", "enabled", "disabled", "deleted", "archived", "valid", "visible", "public"])
    }

    fn is_latitude_or_longitude(&self) -> bool {
        self.any(&["latitude", "longitude", "lat", "lon", "lng", "geo", "coordinate", "coordinates", "geolocation"])
    }

    fn is_postal_code(&self) -> bool {
        self.any(&["zip", "zipcode", "postcode", "plz", "postleitzahl"])
            || self.has(&["postal", "code"])
            || self.ends(&["postal"])
            || self.has(&["post", "code"])
    }

    fn is_phone(&self) -> bool {
        self.any(&["phone", "telephone", "cellphone", "fax", "msisdn", "telefon"])
            || self.last_in(&["mobile", "tel", "cell"])
            || self.has(&["mobile", "number"])
    }

    fn is_tax_id(&self) -> bool {
        self.any(&["ssn", "tin", "ein", "vatin", "nif", "steuernummer"])
            || [["tax", "id"], ["vat", "id"], ["tax", "number"], ["vat", "number"], ["social", "security"]]
                .iter()
                .any(|phrase| self.has(phrase))
    }

    fn is_code(&self) -> bool {
        self.last_in(&["code", "codes", "sku", "ean", "upc", "isbn", "issn", "gtin", "asin", "barcode", "iata", "icao"])
    }

    fn is_identifier(&self) -> bool {
        self.last_in(&["id", "ids", "uuid", "guid", "identifier", "key", "pk", "fk", "hash", "token"])
            || self.words.len() > 1 && self.last_in(&["number", "no", "nr", "num", "ref", "reference"])
    }

    fn is_amount(&self) -> bool {
        self.any(&[
            "amount", "amt", "price", "prices", "cost", "costs", "subtotal", "revenue", "sales", "salary", "fee",
            "fees", "balance", "payment", "budget", "income", "turnover", "profit", "wage", "expense", "expenses",
            "charge", "charges", "discount", "tax", "vat", "deposit", "fare", "tip", "tips", "freight", "premium",
            "debit", "credit", "spend", "msrp", "preis", "betrag", "usd", "eur", "gbp", "chf", "jpy",
        ]) || self.last_in(&["total"])
    }

    fn is_month(&self) -> bool {
        self.last_in(&["month", "mon", "mois", "monat"])
    }
}

/// Whether the name of a column says that it holds one of a few choices: a status, a category.
pub(crate) fn names_choices(column: &str) -> bool {
    Name { words: words(column) }.last_in(texts::CHOICES)
}

/// The meaning of a column.
pub fn semantic_type(evidence: &Evidence<'_>) -> SemanticType {
    let name = Name { words: words(evidence.column) };
    match evidence.sql_type {
        SqlType::Boolean if name.asks() => SemanticType::Flag,
        SqlType::Boolean => SemanticType::Boolean,
        SqlType::Date => SemanticType::Date,
        SqlType::Timestamp | SqlType::TimestampTz => SemanticType::Datetime,
        SqlType::Time => SemanticType::Time,
        SqlType::BigInt | SqlType::UBigInt | SqlType::Decimal(_, 0) => numbers::integer(&name, evidence),
        SqlType::Double | SqlType::Decimal(..) => numbers::fraction(&name, evidence),
        SqlType::Varchar => texts::text(&name, evidence),
        SqlType::List(item) if matches!(**item, SqlType::Varchar) && name.any(texts::TAGS) => SemanticType::Tag,
        SqlType::Json | SqlType::Struct(_) | SqlType::List(_) => SemanticType::Json,
        SqlType::Blob => SemanticType::Unknown,
    }
}
