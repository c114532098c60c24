//! What the profile of a column is worth telling: distinctness, range, choices, gaps.

use domain::SqlType;
use domain::ports::describer::ColumnBrief;
use domain::ports::pii_scanner::PiiScanner;
use domain::semantic::{PiiTag, SemanticType};

use super::phrase::enumerate;
use crate::pii::RegexScanner;
use crate::profile::ColumnProfile;
use crate::semantic_type::names_choices;

/// Choices longer than this many characters are not spelt out.
const CHOICE_CHARS: usize = 32;

/// The facts, as clauses.
pub(super) fn of(
    scanner: &RegexScanner,
    brief: &ColumnBrief,
    meaning: SemanticType,
    profile: &ColumnProfile,
) -> Vec<String> {
    if profile.n_rows == 0 {
        return vec!["there are no rows yet".to_owned()];
    }
    if profile.non_null() == 0 {
        return vec!["no row has a value".to_owned()];
    }
    let mut facts = Vec::new();
    if names_things(meaning) {
        facts.push(distinctness(profile));
    } else if tells_values(scanner, brief, meaning, profile) {
        facts.extend(Some(range(&brief.sql_type, profile).unwrap_or_else(|| choices(brief, meaning, profile))));
    } else if meaning == SemanticType::Enum {
        facts.push(distinctness(profile));
    }
    if profile.nulls > 0 {
        facts.push(format!("{} of the rows have no value", share(profile.null_fraction)));
    }
    facts
}

/// Meanings whose values stand for things: there the question is whether each stands for one.
fn names_things(meaning: SemanticType) -> bool {
    use SemanticType as S;
    matches!(
        meaning,
        S::Identifier
            | S::Code
            | S::TaxId
            | S::Iban
            | S::Name
            | S::Email
            | S::Phone
            | S::Url
            | S::ImageUrl
            | S::FilePath
            | S::IpAddress
            | S::Address
            | S::City
            | S::PostalCode
            | S::State
            | S::Country
            | S::CountryCode
            | S::Region
    )
}

/// Whether values of the column may stand in the sentence.
fn tells_values(scanner: &RegexScanner, brief: &ColumnBrief, meaning: SemanticType, profile: &ColumnProfile) -> bool {
    let mut values = brief.samples.clone();
    values.extend(profile.top_values.iter().map(|top| top.value.clone()));
    !matches!(meaning, SemanticType::Text | SemanticType::Description | SemanticType::Unknown | SemanticType::Json)
        && scanner.column(&brief.column, &brief.sql_type, &values) == PiiTag::None
        && profile.min.iter().chain(&profile.max).chain(&values).all(|value| scanner.value(value).is_none())
}

fn distinctness(profile: &ColumnProfile) -> String {
    match (profile.distinct_estimate, profile.distinct_exact) {
        (_, true) if profile.is_unique() => "every value is distinct".to_owned(),
        (1, true) => "always the same value".to_owned(),
        (n, true) => format!("{n} different values"),
        (n, false) => format!("about {n} different values"),
    }
}

/// Smallest to largest, where that means something.
fn range(sql_type: &SqlType, profile: &ColumnProfile) -> Option<String> {
    let (Some(min), Some(max)) = (&profile.min, &profile.max) else { return None };
    if !sql_type.is_numeric() && !sql_type.is_temporal() {
        return None;
    }
    let (min, max) = (short(min), short(max));
    Some(if min == max { format!("always {min}") } else { format!("from {min} to {max}") })
}

/// Each of a few choices, or how many there are.
fn choices(brief: &ColumnBrief, meaning: SemanticType, profile: &ColumnProfile) -> String {
    if let Some(booleans) = profile.booleans {
        let of = profile.non_null() as f64;
        return format!("true in {} of the rows with a value", share(booleans.true_count as f64 / of));
    }
    let all = profile.distinct_estimate == profile.top_values.len() as u64;
    let spelt = profile.top_values.iter().all(|top| {
        // A short list of people is a list of choices to a rule: nothing that could be a name is spelt out unless the column
        // says that it holds choices.
        top.value.chars().count() <= CHOICE_CHARS && (names_choices(&brief.column) || !has_proper_noun(&top.value))
    });
    if all && spelt && meaning != SemanticType::Tag {
        let mut values: Vec<&str> = profile.top_values.iter().map(|top| top.value.as_str()).collect();
        values.sort_unstable();
        return match values.as_slice() {
            [one] => format!("always {one}"),
            many => format!("one of {}", enumerate(many)),
        };
    }
    distinctness(profile)
}

/// A whole number without the `.0` that tells its type: a sentence is for people.
fn short(number: &str) -> &str {
    number.strip_suffix(".0").unwrap_or(number)
}

fn has_proper_noun(value: &str) -> bool {
    value.split_whitespace().any(|word| {
        let mut chars = word.chars();
        chars.next().is_some_and(char::is_uppercase) && chars.any(char::is_lowercase)
    })
}

/// A share in words: whole percent, and never 0 % of something that is there or 100 % of something that is not all.
fn share(of: f64) -> String {
    match (of * 100.0).round() {
        _ if of >= 1.0 => "all".to_owned(),
        percent if percent < 1.0 && of > 0.0 => "fewer than 1 %".to_owned(),
        percent if percent > 99.0 => "more than 99 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_round_to_nothing_or_to_everything() {
        assert_eq!(share(0.0001), "fewer than 1 %");
        assert_eq!(share(0.9999), "more than 99 %");
        assert_eq!(share(0.25), "25 %");
        assert_eq!(share(0.0), "0 %");
        assert_eq!(share(1.0), "all");
    }
}
