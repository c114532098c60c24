//! Which removed column an added one seems to be: same type, near place, same values (pure).

use crate::limits;
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

/// A pair of places in the two schemas.
struct Scored {
    old: usize,
    new: usize,
    score: f64,
    share: Option<f64>,
}

/// Places of the removed and the added columns that may be one: pairs of one type. None when more than
/// `limits::RENAME_COLUMNS` went or came: then the file is another table rather than a renamed one.
pub fn open_pairs(before: &Schema, after: &Schema) -> Vec<(usize, usize)> {
    let missing = |of: &Schema, other: &Schema| -> Vec<usize> {
        of.columns.iter().enumerate().filter(|(_, c)| other.column(&c.name).is_none()).map(|(i, _)| i).collect()
    };
    let (gone, came) = (missing(before, after), missing(after, before));
    if gone.len().max(came.len()) > limits::RENAME_COLUMNS {
        return Vec::new();
    }
    let same_type = |i: usize, j: usize| before.columns[i].sql_type == after.columns[j].sql_type;
    gone.iter().flat_map(|&i| came.iter().map(move |&j| (i, j))).filter(|&(i, j)| same_type(i, j)).collect()
}

/// The pairs worth telling: each column in one pair at most, each the clear best of both its columns.
pub(super) fn pairs<'a>(before: &'a Schema, after: &'a Schema, overlaps: &[Overlap]) -> Vec<Pair<'a>> {
    let scored = scores(before, after, overlaps);
    let rivals = |one: &Scored| {
        let others = scored.iter().filter(|it| (it.old == one.old) != (it.new == one.new));
        others.map(|it| it.score).fold(0.0, f64::max)
    };
    scored
        .iter()
        .filter(|one| one.score >= CANDIDATE && one.score >= rivals(one) + MARGIN)
        .map(|one| Pair {
            old: &before.columns[one.old],
            new: &after.columns[one.new],
            score: (one.score * 100.0).round() / 100.0,
            reason: reason(one, &before.columns[one.old]),
            sure: one.share.is_some_and(|share| share >= SURE_OVERLAP),
        })
        .collect()
}

fn scores(before: &Schema, after: &Schema, overlaps: &[Overlap]) -> Vec<Scored> {
    let width = before.columns.len().max(after.columns.len()).max(1);
    let score = |(old, new): (usize, usize)| {
        let (from, to) = (&before.columns[old].name, &after.columns[new].name);
        let known = overlaps.iter().find(|overlap| overlap.from == *from && overlap.to == *to);
        let share = known.and_then(|overlap| overlap.share);
        let place = 1.0 - old.abs_diff(new) as f64 / width as f64;
        Scored { old, new, score: VALUES * share.unwrap_or(UNKNOWN) + (1.0 - VALUES) * place, share }
    };
    open_pairs(before, after).into_iter().map(score).collect()
}

fn reason(pair: &Scored, old: &Column) -> String {
    let values = match pair.share {
        Some(share) => format!("{:.0} % of the values are the same", share * 100.0),
        None => "the values tell nothing".to_owned(),
    };
    let place = match pair.old.abs_diff(pair.new) {
        0 => "the same place".to_owned(),
        1 => "one place apart".to_owned(),
        n => format!("{n} places apart"),
    };
    format!("both {}, {place}, {values}", old.sql_type)
}
