//! The meaning of texts: by the form of the values, then by the words of the name, then by how the values are spread.

use domain::semantic::SemanticType;

use super::values::{proven, share};
use super::{Evidence, Name, PROOF};

/// Words for sets of labels.
pub(super) const TAGS: &[&str] = &["tag", "tags", "label", "labels", "keyword", "keywords", "topics", "hashtags"];
/// Words for one of a few choices.
pub(super) const CHOICES: &[&str] = &[
    "status",
    "type",
    "category",
    "kind",
    "class",
    "group",
    "level",
    "stage",
    "phase",
    "gender",
    "sex",
    "method",
    "mode",
    "channel",
    "priority",
    "segment",
    "tier",
    "size",
    "color",
    "colour",
    "severity",
    "department",
    "plan",
    "role",
    "source",
    "weekday",
];
/// Words that `state` is full of when it means a status.
const STATES_OF_AFFAIRS: &[&str] = &[
    "active",
    "inactive",
    "open",
    "closed",
    "new",
    "done",
    "pending",
    "running",
    "failed",
    "success",
    "succeeded",
    "cancelled",
    "canceled",
    "complete",
    "completed",
    "draft",
    "published",
    "paused",
    "on",
    "off",
    "ok",
    "error",
    "queued",
    "approved",
    "rejected",
    "started",
    "stopped",
    "shipped",
    "delivered",
    "paid",
];
/// Words whose column is free text.
const PROSE: &[&str] = &[
    "note",
    "notes",
    "comment",
    "comments",
    "remark",
    "remarks",
    "message",
    "text",
    "body",
    "feedback",
    "review",
    "content",
    "bemerkung",
    "question",
    "answer",
    "quote",
];
/// Distinct values past which a column is no list of choices.
const FEW: u64 = 50;
/// Mean length in characters from which a text is prose.
const LONG: f64 = 60.0;

/// A text.
pub(super) fn text(name: &Name, evidence: &Evidence<'_>) -> SemanticType {
    let values: Vec<&str> = values(evidence);
    proven(name, &values)
        .or_else(|| contact(name, &values))
        .or_else(|| place(name, &values))
        .or_else(|| thing(name, &values))
        .or_else(|| number(name, &values))
        .unwrap_or_else(|| by_spread(name, evidence, &values))
}

/// The values at hand: samples, or else the most frequent ones.
fn values<'a>(evidence: &Evidence<'a>) -> Vec<&'a str> {
    let samples = evidence.samples.iter().map(|s| s.trim()).filter(|s| !s.is_empty());
    let mut all: Vec<&str> = samples.collect();
    if all.is_empty()
        && let Some(profile) = evidence.profile
    {
        all.extend(profile.top_values.iter().map(|top| top.value.trim()).filter(|s| !s.is_empty()));
    }
    all
}

/// Whether nearly all values pass, or there are none that could object.
fn agree(values: &[&str], test: impl Fn(&str) -> bool) -> bool {
    values.is_empty() || share(values, &test) >= PROOF
}

fn digits(text: &str) -> usize {
    text.chars().filter(char::is_ascii_digit).count()
}

/// Ways to reach somebody or something.
fn contact(name: &Name, values: &[&str]) -> Option<SemanticType> {
    let half = |test: &dyn Fn(&str) -> bool| values.is_empty() || share(values, test) >= 0.5;
    if (name.last_in(&["email", "emails", "mail"]) || name.has(&["email", "address"])) && half(&|v| v.contains('@')) {
        Some(SemanticType::Email)
    } else if name.is_phone() && half(&|v| (5..=16).contains(&digits(v))) {
        Some(SemanticType::Phone)
    } else if name.any(&["url", "uri", "link", "website", "homepage", "webpage", "href"])
        && half(&|v| v.contains(['.', '/']))
    {
        let image = name.any(&["image", "img", "photo", "picture", "avatar", "logo", "thumbnail", "icon"]);
        Some(if image { SemanticType::ImageUrl } else { SemanticType::Url })
    } else if name.any(&["path", "filename", "filepath", "directory", "folder"]) || name.last_in(&["file"]) {
        Some(SemanticType::FilePath)
    } else if name.last_in(&["ip", "ipaddress", "ipaddr"]) || name.has(&["ip", "address"]) {
        half(&|v| v.contains(['.', ':'])).then_some(SemanticType::IpAddress)
    } else if name.any(&["iban"]) {
        agree(values, |v| v.len() >= 15).then_some(SemanticType::Iban)
    } else {
        None
    }
}

/// Places, and the codes and languages that go with them.
fn place(name: &Name, values: &[&str]) -> Option<SemanticType> {
    let short = |n: usize| !values.is_empty() && agree(values, |v| v.len() <= n && v.chars().all(char::is_alphabetic));
    if name.any(&["country", "nation", "nationality", "land", "pays", "pais"]) {
        Some(if name.is_code() || name.any(&["iso", "iso2", "iso3"]) || short(3) {
            SemanticType::CountryCode
        } else {
            SemanticType::Country
        })
    } else if name.any(&["currency", "ccy", "waehrung", "währung"]) {
        Some(if name.is_code() || short(3) { SemanticType::CurrencyCode } else { SemanticType::Currency })
    } else if name.any(&["language", "lang", "locale"]) {
        let tag = |v: &str| v.len() <= 3 || v.len() <= 7 && v.contains(['-', '_']);
        Some(if name.is_code() || agree(values, tag) { SemanticType::LanguageCode } else { SemanticType::Enum })
    } else if name.any(&["timezone", "tz"]) || name.has(&["time", "zone"]) {
        Some(SemanticType::Timezone)
    } else if name.is_postal_code() {
        Some(SemanticType::PostalCode)
    } else if name.last_in(&["city", "town", "municipality", "ville", "ciudad", "stadt", "ort"])
        || name.has(&["city", "name"])
    {
        Some(SemanticType::City)
    } else if name.any(&["province", "bundesland"]) {
        Some(SemanticType::State)
    } else if name.last_in(&["state"]) {
        let affairs = share(values, &|v| STATES_OF_AFFAIRS.contains(&v.to_lowercase().as_str()));
        Some(if affairs >= 0.3 { SemanticType::Enum } else { SemanticType::State })
    } else if name.any(&[
        "region",
        "county",
        "district",
        "territory",
        "continent",
        "area",
        "neighborhood",
        "neighbourhood",
    ]) {
        Some(SemanticType::Region)
    } else if name.any(&["address", "addr", "street", "strasse", "straße", "adresse"]) {
        Some(SemanticType::Address)
    } else if name.is_latitude_or_longitude() {
        Some(SemanticType::GeoCoordinate)
    } else if name.last_in(&["location"]) && share(values, &|v| digits(v) > 0 && v.contains(' ')) >= PROOF {
        Some(SemanticType::Address)
    } else if name.any(&["industry", "sector", "naics"]) {
        Some(SemanticType::IndustrySector)
    } else {
        None
    }
}

/// Names, codes, labels, prose.
fn thing(name: &Name, values: &[&str]) -> Option<SemanticType> {
    const YES_NO: &[&str] = &["y", "n", "yes", "no", "true", "false", "t", "f"];
    if !values.is_empty() && values.iter().all(|v| YES_NO.contains(&v.to_lowercase().as_str())) {
        return Some(if name.asks() { SemanticType::Flag } else { SemanticType::Boolean });
    }
    if name.is_tax_id() {
        Some(SemanticType::TaxId)
    } else if name.last_in(&["version"]) {
        Some(SemanticType::Version)
    } else if name.any(TAGS) {
        Some(SemanticType::Tag)
    } else if name.any(&["description", "desc", "summary", "details", "about", "abstract", "bio", "beschreibung"]) {
        Some(SemanticType::Description)
    } else if name.last_in(PROSE) {
        Some(SemanticType::Text)
    } else if name.is_code() {
        Some(SemanticType::Code)
    } else if name.is_identifier() && agree(values, |v| v.len() <= 64 && v.split_whitespace().count() <= 3) {
        Some(SemanticType::Identifier)
    } else if name.last_in(&[
        "name",
        "names",
        "title",
        "surname",
        "firstname",
        "lastname",
        "fullname",
        "forename",
        "brand",
        "company",
        "manufacturer",
        "vendor",
        "supplier",
        "author",
        "artist",
        "director",
        "publisher",
        "nachname",
        "vorname",
    ]) {
        Some(SemanticType::Name)
    } else if name.last_in(CHOICES) {
        Some(SemanticType::Enum)
    } else {
        None
    }
}

/// Numbers and points in time that stayed text: because of their spelling, or because no value is there.
fn number(name: &Name, values: &[&str]) -> Option<SemanticType> {
    let numeric = |v: &str| digits(v) > 0;
    if !agree(values, numeric) {
        return None;
    }
    if name.last_in(&["date", "datum", "day"]) || name.any(&["dob", "birthdate", "birthday"]) {
        Some(SemanticType::Date)
    } else if name.words.len() > 1 && name.last_in(&["at"]) || name.last_in(&["timestamp", "datetime"]) {
        Some(SemanticType::Datetime)
    } else if name.any(&["percent", "percentage", "pct"]) {
        Some(SemanticType::Percentage)
    } else if name.last_in(&["duration", "elapsed"]) {
        Some(SemanticType::Duration)
    } else if name.last_in(&["year"]) {
        Some(SemanticType::Year)
    } else if name.is_amount() {
        Some(SemanticType::Amount)
    } else {
        None
    }
}

/// What the spread of the values says when nothing else does.
fn by_spread(name: &Name, evidence: &Evidence<'_>, values: &[&str]) -> SemanticType {
    let nothing_seen = match evidence.profile {
        Some(profile) => profile.non_null() == 0,
        None => values.is_empty(),
    };
    if nothing_seen {
        return if name.asks() { SemanticType::Flag } else { SemanticType::Unknown };
    }
    if agree(values, is_code_like) && !values.is_empty() {
        return SemanticType::Code;
    }
    let prose = evidence.profile.and_then(|p| p.lengths).is_some_and(|lengths| lengths.avg >= LONG);
    let repeats = evidence
        .profile
        .is_some_and(|p| p.distinct_estimate <= FEW && p.non_null() >= 10 && p.distinct_estimate * 4 <= p.non_null());
    if repeats && !prose { SemanticType::Enum } else { SemanticType::Text }
}

/// Capital letters and digits in groups, with at least one of each: `AB-1042`.
fn is_code_like(value: &str) -> bool {
    value.len() <= 32
        && value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "-_/.".contains(c))
        && digits(value) > 0
        && value.chars().any(|c| c.is_ascii_uppercase())
}
