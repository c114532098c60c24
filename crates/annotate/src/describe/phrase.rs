//! Names as plain English: `customer_id` of `orders` becomes "Identifier of the customer that the order refers to".

use domain::semantic::SemanticType;

use crate::words::{any, singular, words};

/// Short forms that people write in column names.
const LONG_FORMS: &[(&str, &str)] = &[
    ("qty", "quantity"),
    ("amt", "amount"),
    ("nr", "number"),
    ("no", "number"),
    ("num", "number"),
    ("desc", "description"),
    ("addr", "address"),
    ("dob", "date of birth"),
    ("tel", "telephone"),
    ("cnt", "count"),
    ("pct", "percentage"),
    ("perc", "percentage"),
    ("avg", "average"),
    ("min", "minimum"),
    ("max", "maximum"),
    ("yr", "year"),
    ("qtr", "quarter"),
    ("lang", "language"),
    ("cat", "category"),
    ("dept", "department"),
    ("org", "organisation"),
    ("lat", "latitude"),
    ("lon", "longitude"),
    ("lng", "longitude"),
    ("img", "image"),
    ("src", "source"),
    ("dest", "destination"),
    ("ts", "timestamp"),
    ("dt", "date"),
    ("temp", "temperature"),
    ("msg", "message"),
    ("ref", "reference"),
    ("id", "identifier"),
    ("ids", "identifiers"),
    ("zip", "postal code"),
    ("email", "e-mail address"),
    ("url", "URL"),
    ("uri", "URI"),
    ("ip", "IP address"),
    ("iban", "IBAN"),
    ("sku", "SKU"),
    ("isbn", "ISBN"),
    ("ean", "EAN"),
    ("vat", "VAT"),
    ("ssn", "SSN"),
    ("uuid", "UUID"),
    ("kg", "in kilograms"),
    ("cm", "in centimetres"),
    ("km", "in kilometres"),
    ("ms", "in milliseconds"),
    ("usd", "in US dollars"),
    ("eur", "in euros"),
    ("gbp", "in pounds sterling"),
];
/// Table names that say nothing of their rows.
const MUTE_TABLES: &[&str] = &[
    "data", "table", "sheet", "export", "file", "record", "row", "result", "output", "input", "dataset", "csv", "list",
    "report", "test",
];
const TABLE_AFFIXES: &[&str] = &["dim", "fact", "fct", "tbl", "stg", "raw"];

/// How the sentence begins: what the column holds, and of what.
pub(super) fn opening(table: &str, column: &str, meaning: SemanticType) -> String {
    let owner = owner(table);
    let all = words(column);
    let own: Vec<String> = words(&owner);
    // `order_date` of orders is the date of the order.
    let starts_with_owner = all.len() > own.len() && all[..own.len()] == own[..];
    let rest: &[String] = if starts_with_owner { &all[own.len()..] } else { &all };
    match (meaning, rest) {
        (_, []) => format!("Values of the {owner}"),
        (SemanticType::Identifier, [stem @ .., last]) if is_key(last) => identifier(stem, &owner),
        (SemanticType::Flag | SemanticType::Boolean, _) => question(rest, &owner),
        (SemanticType::Datetime | SemanticType::Date, [what @ .., last]) if last == "at" || last == "on" => {
            let when = if meaning == SemanticType::Date { "Date" } else { "Date and time" };
            match what {
                [] => format!("{when} of the {owner}"),
                [.., participle] if is_participle(participle) => format!("{when} when the {owner} was {}", plain(what)),
                _ => format!("{when} of {} of the {owner}", plain(what)),
            }
        }
        (SemanticType::Email, [last]) if last == "mail" => format!("E-mail address of the {owner}"),
        (SemanticType::Email, [what @ .., last]) if last == "address" && any(what, &["email"]) => {
            format!("{} of the {owner}", capital(&plain(what)))
        }
        _ => format!("{} of the {owner}", capital(&plain(rest))),
    }
}

fn is_key(word: &str) -> bool {
    ["id", "uuid", "guid", "key", "identifier", "pk", "fk"].contains(&word)
}

fn identifier(stem: &[String], owner: &str) -> String {
    if stem.is_empty() {
        return format!("Identifier of the {owner}");
    }
    format!("Identifier of the {} that the {owner} refers to", plain(stem))
}

/// What a yes-or-no column asks.
fn question(rest: &[String], owner: &str) -> String {
    match rest {
        [first, what @ ..] if !what.is_empty() && ["is", "was"].contains(&first.as_str()) => {
            // `is_active` is a quality, `is_gift` a thing: only the first can follow "is" without an article.
            let marked = if what.iter().any(|word| is_quality(word)) { "" } else { "marked as " };
            format!("Whether the {owner} {first} {marked}{}", plain(what))
        }
        [first, what @ ..] if !what.is_empty() && first == "has" => format!("Whether the {owner} has {}", plain(what)),
        [what @ .., last] if !what.is_empty() && last == "flag" => {
            format!("Whether {} holds for the {owner}", plain(what))
        }
        [one] if is_quality(one) => format!("Whether the {owner} is {one}"),
        _ => format!("Whether {} is set for the {owner}", plain(rest)),
    }
}

fn is_quality(word: &str) -> bool {
    is_participle(word)
        || ["able", "ible", "ive", "ful", "al", "ic"].iter().any(|ending| word.ends_with(ending))
        || ["valid", "open", "new", "free", "full", "empty", "online", "offline", "ready", "late"].contains(&word)
}

fn is_participle(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed")
        || ["sent", "paid", "sold", "built", "born", "made", "seen", "shown", "hidden", "done"].contains(&word)
}

/// What kind of value it is, where the name does not say it already.
pub(super) fn kind(column: &str, meaning: SemanticType) -> Option<&'static str> {
    use SemanticType as S;
    let named = |some: &[&str]| any(&words(column), some);
    let text = match meaning {
        S::Amount if !named(&["amount", "price", "cost", "fee", "salary", "revenue"]) => "an amount of money",
        S::Percentage if !named(&["percent", "percentage", "pct", "perc"]) => "in percent",
        S::Ratio => "a share of one",
        S::Duration if !named(&["duration", "seconds", "minutes", "hours", "days", "weeks"]) => "a span of time",
        S::CountryCode if !named(&["code"]) => "as a country code",
        S::CurrencyCode if !named(&["code"]) => "as a currency code",
        S::LanguageCode if !named(&["code"]) => "as a language code",
        S::GeoCoordinate => "a geographic coordinate in degrees",
        S::Date if !named(&["date", "day", "on", "dob", "birthday", "birthdate"]) => "a calendar date",
        S::Datetime if !named(&["at", "timestamp", "time", "datetime"]) => "a date and time",
        S::Json => "structured data",
        S::ImageUrl if !named(&["image", "img", "photo", "picture"]) => "a link to an image",
        S::Tag => "free labels",
        _ => return None,
    };
    Some(text)
}

/// What one row of the table is.
fn owner(table: &str) -> String {
    let all: Vec<String> = words(table).into_iter().filter(|word| !TABLE_AFFIXES.contains(&word.as_str())).collect();
    let mut telling: Vec<&String> = all.iter().filter(|word| word.parse::<u64>().is_err()).collect();
    let Some(last) = telling.pop() else { return "row".to_owned() };
    let last = singular(last);
    if telling.is_empty() && (MUTE_TABLES.contains(&last.as_str()) || last.chars().count() == 1) {
        return "row".to_owned();
    }
    telling.into_iter().map(String::as_str).chain([last.as_str()]).collect::<Vec<_>>().join(" ")
}

/// The name of a table as plain words.
pub(super) fn table_words(table: &str) -> String {
    let all = words(table);
    if all.is_empty() { "rows".to_owned() } else { all.join(" ") }
}

/// The words with short forms written out.
fn plain(words: &[String]) -> String {
    let long = |word: &String| {
        LONG_FORMS.iter().find(|(short, _)| short == word).map_or(word.as_str(), |(_, long)| long).to_owned()
    };
    words.iter().map(long).collect::<Vec<_>>().join(" ")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn enumerate(items: &[&str]) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}
