//! Which removed column an added one seems to be: same type, near place, same values (pure).

use crate::schema::{Column, Schema};

/// Share of values from which a rename is certain enough to be confirmed without a person.
const SURE_OVERLAP: f64 = 0.5;
/// Score from which a pair is worth a person's look.
const CANDIDATE: f64 = 0.5;
/// By how much the best pair of a column must lead its next best one.
const MARGIN: f64 = 0.15;
/// Weight of the values; the rest is the place's.
const VALUES: f64 = 0.6;
/// What stands for an overlap that is not known.
const UNKNOWN: f64 = 0.4;

/// How far the values of a removed and an added column of one type agree.
#[derive(Clone, PartialEq, Debug)]
pub struct Overlap {
    /// The removed column.
    pub from: String,
    /// The added column.
    pub to: String,
    /// Share of the smaller one's distinct values that the other has too, 0 to 1; `None` when they say nothing.
    pub share: Option<f64>,
}

/// A pair that may be one column.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Pair<'a> {
    pub(super) old: &'a Column,
    pub(super) new: &'a Column,
    /// 0 to 1.
    pub(super) score: f64,
    pub(super) reason: String,
    /// Whether it may stand without a person's word.
    pub(super) sure: bool,
}

struct Scored<'a> {
    old: &'a Column,
    new: &'a Column,
    score: f64,
    share: Option<f64>,
    distance: usize,
}

/// The pairs worth telling: each column in one pair at most, each the clear best of both its columns.
pub(super) fn pairs<'a>(before: &'a Schema, after: &'a Schema, overlaps: &[Overlap]) -> Vec<Pair<'a>> {
    let scored = scores(before, after, overlaps);
    let rivals = |one: &Scored<'_>| {
        scored
            .iter()
            .filter(|it| (it.old.name == one.old.name) != (it.new.name == one.new.name))
            .map(|it| it.score)
            .fold(0.0, f64::max)
    };
    scored
        .iter()
        .filter(|one| one.score >= CANDIDATE && one.score >= rivals(one) + MARGIN)
        .map(|one| Pair {
            old: one.old,
            new: one.new,
            score: (one.score * 100.0).round() / 100.0,
            reason: reason(one),
            sure: one.share.is_some_and(|share| share >= SURE_OVERLAP),
        })
        .collect()
}

fn scores<'a>(before: &'a Schema, after: &'a Schema, overlaps: &[Overlap]) -> Vec<Scored<'a>> {
    let width = before.columns.len().max(after.columns.len()).max(1);
    let gone = before.columns.iter().enumerate().filter(|(_, c)| after.column(&c.name).is_none());
    let came = || after.columns.iter().enumerate().filter(|(_, c)| before.column(&c.name).is_none());
    gone.flat_map(|(i, old)| came().map(move |(j, new)| (i, old, j, new)))
        .filter(|(_, old, _, new)| old.sql_type == new.sql_type)
        .map(|(i, old, j, new)| {
            let known = overlaps.iter().find(|o| o.from == old.name && o.to == new.name);
            let share = known.and_then(|overlap| overlap.share);
            let distance = i.abs_diff(j);
            let place = 1.0 - distance as f64 / width as f64;
            let score = VALUES * share.unwrap_or(UNKNOWN) + (1.0 - VALUES) * place;
            Scored { old, new, score, share, distance }
        })
        .collect()
}

fn reason(pair: &Scored<'_>) -> String {
    let values = match pair.share {
        Some(share) => format!("{:.0} % of the values are the same", share * 100.0),
        None => "the values tell nothing".to_owned(),
    };
    let place = match pair.distance {
        0 => "the same place".to_owned(),
        1 => "one place apart".to_owned(),
        n => format!("{n} places apart"),
    };
    format!("both {}, {place}, {values}", pair.old.sql_type)
}
