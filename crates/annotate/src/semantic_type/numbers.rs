//! The meaning of numbers: by the words of the name, held against the range of the values.

use domain::semantic::SemanticType;

use super::{Evidence, Name};

/// Words that end the name of a span of time.
const SPANS: &[&str] = &[
    "seconds",
    "secs",
    "sec",
    "ms",
    "millis",
    "milliseconds",
    "minutes",
    "mins",
    "hours",
    "hrs",
    "days",
    "weeks",
    "months",
    "years",
    "duration",
    "elapsed",
    "latency",
    "uptime",
    "runtime",
    "tenure",
];
const COUNTS: &[&str] = &[
    "count",
    "counts",
    "cnt",
    "qty",
    "quantity",
    "num",
    "nb",
    "nbr",
    "units",
    "stock",
    "inventory",
    "population",
    "visits",
    "clicks",
    "views",
    "impressions",
    "attempts",
    "downloads",
    "votes",
    "likes",
    "followers",
    "points",
    "pop",
    "occurrences",
    "menge",
    "anzahl",
];
const SCORES: &[&str] = &["score", "scores", "rating", "ratings", "rank", "ranking", "grade", "stars", "nps"];

/// A whole number.
pub(super) fn integer(name: &Name, evidence: &Evidence<'_>) -> SemanticType {
    let range = range(evidence);
    let within = |low: f64, high: f64| range.is_none_or(|(min, max)| min >= low && max <= high);
    if name.is_postal_code() {
        SemanticType::PostalCode
    } else if name.is_tax_id() {
        SemanticType::TaxId
    } else if name.is_phone() && within(1e5, 1e15) {
        SemanticType::Phone
    } else if name.has(&["number", "of"]) || name.first_in(&["num", "n", "nb"]) && name.words.len() > 1 {
        SemanticType::Count
    } else if name.is_code() {
        SemanticType::Code
    } else if name.is_identifier() {
        SemanticType::Identifier
    } else if name.last_in(&["year", "yr", "jahr", "annee"]) && within(1_000.0, 2_999.0) {
        SemanticType::Year
    } else if name.last_in(&["quarter", "qtr", "quartal"]) && within(1.0, 4.0) {
        SemanticType::Quarter
    } else if name.is_month() && within(1.0, 12.0) {
        SemanticType::Month
    } else if name.last_in(&["week", "wk", "kw"]) && within(0.0, 53.0) {
        SemanticType::Week
    } else if name.last_in(&["timestamp", "epoch", "at"]) && range.is_some_and(|(min, _)| min >= 1e8) {
        SemanticType::Datetime
    } else if name.asks() && within(0.0, 1.0) {
        SemanticType::Flag
    } else if name.last_in(&["version"]) {
        SemanticType::Version
    } else {
        // `total_seats` counts, `order_total` is money.
        let total = name.any(&["total"]) && !name.is_amount();
        measure(name).unwrap_or(if total { SemanticType::Count } else { SemanticType::Integer })
    }
}

/// A number with a fraction.
pub(super) fn fraction(name: &Name, evidence: &Evidence<'_>) -> SemanticType {
    // Codes and years with gaps are often written as 2024.0.
    let found = if is_whole(evidence) { integer(name, evidence) } else { SemanticType::Integer };
    if found != SemanticType::Integer {
        return found;
    }
    measure(name).unwrap_or(SemanticType::Decimal)
}

/// What both kinds of numbers can measure.
fn measure(name: &Name) -> Option<SemanticType> {
    Some(if name.is_latitude_or_longitude() {
        SemanticType::GeoCoordinate
    } else if name.any(&["percent", "percentage", "pct", "perc", "prozent"]) {
        SemanticType::Percentage
    } else if name.any(&["ratio", "fraction", "proportion"]) || name.last_in(&["share"]) {
        SemanticType::Ratio
    } else if name.any(&["rate", "rates", "per"]) {
        SemanticType::Rate
    } else if name.any(COUNTS) {
        SemanticType::Count
    } else if name.last_in(SPANS) {
        SemanticType::Duration
    } else if name.any(SCORES) {
        SemanticType::Score
    } else if name.is_amount() {
        SemanticType::Amount
    } else {
        return None;
    })
}

/// Whether no value at hand has a fraction.
fn is_whole(evidence: &Evidence<'_>) -> bool {
    let whole = |text: &String| text.parse::<f64>().is_ok_and(|value| value.fract() == 0.0);
    let ends = evidence.profile.and_then(|profile| Some([profile.min.as_ref()?, profile.max.as_ref()?]));
    let mut seen = ends.into_iter().flatten().chain(evidence.samples).peekable();
    seen.peek().is_some() && seen.all(whole)
}

/// Smallest and largest, from the profile or else from the samples.
fn range(evidence: &Evidence<'_>) -> Option<(f64, f64)> {
    if let Some(profile) = evidence.profile
        && let (Some(min), Some(max)) = (&profile.min, &profile.max)
    {
        return Some((min.parse().ok()?, max.parse().ok()?));
    }
    let mut numbers = evidence.samples.iter().filter_map(|text| text.parse::<f64>().ok());
    let first = numbers.next()?;
    Some(numbers.fold((first, first), |(min, max), x| (min.min(x), max.max(x))))
}
