//! What types and profiles say for or against a proposed relation.

use std::cmp::Ordering;

use domain::SqlType;
use domain::ports::relation_proposer::RelationColumn;

use super::index::Link;
use crate::profile::share_within;

/// How far an estimated number of distinct values may be off.
const ESTIMATE: f64 = 0.03;

/// Distinct values that must be comparable for their share to say anything.
const TELLING: usize = 8;
/// Share of values found in the key below which two columns only look alike.
const STRAY: f64 = 0.1;
/// Share of values found in the key from which nearly all are.
const FOUND: f64 = 0.95;

/// How likely, and why.
pub(super) struct Weight {
    pub(super) confidence: f64,
    /// Facts for the reason; `{key}` stands for the name of the target.
    pub(super) facts: Vec<&'static str>,
}

/// Kinds of types whose values can be equal.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Class {
    Whole,
    Fraction,
    Text,
    Other,
}

fn class(sql_type: &SqlType) -> Class {
    match sql_type {
        SqlType::BigInt | SqlType::UBigInt | SqlType::Decimal(_, 0) => Class::Whole,
        SqlType::Double | SqlType::Decimal(..) => Class::Fraction,
        SqlType::Varchar => Class::Text,
        SqlType::Boolean
        | SqlType::Date
        | SqlType::Time
        | SqlType::Timestamp
        | SqlType::TimestampTz
        | SqlType::Blob
        | SqlType::Json
        | SqlType::Struct(_)
        | SqlType::List(_) => Class::Other,
    }
}

/// Weighs a relation; `None` when something rules it out.
pub(super) fn weigh(from: &RelationColumn, key: &RelationColumn, how: Link) -> Option<Weight> {
    let kind = class(&from.sql_type);
    if kind != class(&key.sql_type) || matches!(kind, Class::Other | Class::Fraction) || from.non_null == Some(0) {
        return None;
    }
    let unique = is_unique(key);
    if unique == Some(false) {
        return None;
    }
    let inside = range_inside(from, key, kind)?;
    let share = share_within(&from.lowest_hashes, &key.lowest_hashes, TELLING);
    if share.is_some_and(|share| share < STRAY) {
        return None;
    }
    let by_name_alone = how == Link::SameName;
    // Two keys of the same name say nothing about who refers to whom; one key and many uses of it do.
    if by_name_alone && (unique != Some(true) || is_unique(from) != Some(false)) {
        return None;
    }
    // A column that points into its own table must at least be able to.
    if how == Link::Itself && inside != Range::Inside {
        return None;
    }
    let mut weight = Weight {
        confidence: match how {
            Link::NamesTable => 0.6,
            Link::EndsWithTable | Link::Itself => 0.5,
            Link::SameName => 0.4,
        },
        facts: Vec::new(),
    };
    if unique == Some(true) {
        weight.confidence += 0.2;
        weight.facts.push("every value of {key} is distinct");
    }
    match (share, inside) {
        (Some(share), _) if share >= FOUND => {
            weight.confidence += 0.15;
            weight.facts.push("its values are found in {key}");
        }
        (Some(share), _) => {
            weight.confidence -= 0.3 * (1.0 - share);
            weight.facts.push("only some of its values are found in {key}");
        }
        (None, Range::Inside) => {
            weight.confidence += 0.15;
            weight.facts.push("its values lie within the range of {key}");
        }
        (None, Range::Overlaps) => {
            weight.confidence -= 0.1;
            weight.facts.push("its values lie partly outside the range of {key}");
        }
        (None, Range::Unknown) => {}
    }
    if let (Some(ours), Some(theirs)) = (from.distinct, key.distinct) {
        if ours as f64 > theirs as f64 * (1.0 + ESTIMATE) {
            weight.confidence -= 0.2;
            weight.facts.push("it has more distinct values than {key}, so not all can be found there");
        } else {
            weight.confidence += 0.05;
        }
    }
    Some(weight)
}

/// Whether every value stands once, as far as is known.
pub(super) fn is_unique(column: &RelationColumn) -> Option<bool> {
    let (distinct, values) = (column.distinct?, column.non_null?);
    Some(values > 0 && distinct as f64 >= values as f64 * (1.0 - ESTIMATE))
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Range {
    Inside,
    Overlaps,
    Unknown,
}

/// Where the values of `from` lie; `None` when they lie wholly outside.
fn range_inside(from: &RelationColumn, key: &RelationColumn, kind: Class) -> Option<Range> {
    let (Some(low), Some(high), Some(min), Some(max)) = (&from.min, &from.max, &key.min, &key.max) else {
        return Some(Range::Unknown);
    };
    let (Some(above_min), Some(below_max), Some(starts_before_end), Some(ends_after_start)) =
        (compare(low, min, kind), compare(high, max, kind), compare(low, max, kind), compare(high, min, kind))
    else {
        return Some(Range::Unknown);
    };
    if starts_before_end == Ordering::Greater || ends_after_start == Ordering::Less {
        return None;
    }
    let inside = above_min != Ordering::Less && below_max != Ordering::Greater;
    Some(if inside { Range::Inside } else { Range::Overlaps })
}

fn compare(a: &str, b: &str, kind: Class) -> Option<Ordering> {
    if kind == Class::Whole { Some(a.parse::<i128>().ok()?.cmp(&b.parse::<i128>().ok()?)) } else { Some(a.cmp(b)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_as_numbers_and_texts_as_texts() {
        assert_eq!(compare("9", "10", Class::Whole), Some(Ordering::Less));
        assert_eq!(compare("9", "10", Class::Text), Some(Ordering::Greater));
        assert_eq!(compare("x", "10", Class::Whole), None);
    }
}
