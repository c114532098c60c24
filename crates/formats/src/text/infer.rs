//! From evidence to a type: the closed list of decision 49, and only where no value loses anything.

use domain::{SqlType, Warning, WarningCode};

use crate::text::evidence::{Evidence, Numbers};
use crate::text::locale::Preference;
use crate::text::moment::Orders;
use crate::text::number::{MAX_DIGITS, Notation};

/// How the cells of a column become values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As they stand.
    Text,
    /// `true` and `false`.
    Boolean,
    /// Signed integers.
    BigInt(Notation),
    /// Unsigned integers.
    UBigInt(Notation),
    /// Doubles.
    Double(Notation),
    /// Exact decimals.
    Decimal {
        /// 18 or 38.
        precision: u8,
        /// Digits after the decimal mark.
        scale: u8,
        /// How they are written.
        notation: Notation,
    },
    /// Dates in an order.
    Date(Orders),
    /// Times of day.
    Time,
    /// Timestamps.
    Stamp {
        /// Order of their dates.
        order: Orders,
        /// Whether they have an offset from UTC.
        zoned: bool,
    },
}

impl Reading {
    /// The type of the column.
    pub const fn sql_type(self) -> SqlType {
        match self {
            Self::Text => SqlType::Varchar,
            Self::Boolean => SqlType::Boolean,
            Self::BigInt(_) => SqlType::BigInt,
            Self::UBigInt(_) => SqlType::UBigInt,
            Self::Double(_) => SqlType::Double,
            Self::Decimal { precision, scale, .. } => SqlType::Decimal(precision, scale),
            Self::Date(_) => SqlType::Date,
            Self::Time => SqlType::Time,
            Self::Stamp { zoned: false, .. } => SqlType::Timestamp,
            Self::Stamp { zoned: true, .. } => SqlType::TimestampTz,
        }
    }
}

/// Whole numbers up to here are doubles that print as themselves.
const EXACT_IN_DOUBLE: u64 = 1 << 53;

/// The reading that fits every value; where several do, the file's evidence, then the locale decides.
pub fn decide(evidence: &Evidence, preference: Preference) -> Reading {
    let all = evidence.values;
    if all == 0 {
        return Reading::Text;
    }
    if evidence.bools == all {
        return Reading::Boolean;
    }
    if let Some(notation) = notation(evidence, preference) {
        return number(evidence, notation);
    }
    let order = |orders: Orders| orders.choose(preference.day_first);
    if evidence.dates.count == all {
        return order(evidence.dates.orders).map_or(Reading::Text, Reading::Date);
    }
    for (moments, zoned) in [(evidence.stamps, false), (evidence.zoned, true)] {
        if moments.count == all {
            return order(moments.orders).map_or(Reading::Text, |order| Reading::Stamp { order, zoned });
        }
    }
    if evidence.times == all { Reading::Time } else { Reading::Text }
}

/// The notation that fits every value.
fn notation(evidence: &Evidence, preference: Preference) -> Option<Notation> {
    let fits = |notation: &Notation| evidence.fitting(*notation) == evidence.values;
    let first = Notation::ALL.into_iter().find(|n| fits(n))?;
    let comma = Notation::DecimalComma;
    let open = evidence.contested.count() > 0 && first.has_point() && fits(&comma);
    Some(if open && preference.decimal_comma { comma } else { first })
}

/// The numeric type that keeps every value.
fn number(evidence: &Evidence, notation: Notation) -> Reading {
    let wholes = evidence.wholes;
    let mut others = evidence.numbers[notation as usize];
    if notation.has_point() && notation != Notation::Plain {
        others = merge(others, evidence.numbers[0]);
    }
    if others.count == 0 {
        return Reading::BigInt(notation);
    }
    if !others.fractional {
        if others.fit_signed {
            return Reading::BigInt(notation);
        }
        if others.fit_unsigned && wholes.min >= 0 {
            return Reading::UBigInt(notation);
        }
        return decimal(evidence, &others, notation);
    }
    let exact = wholes.max.unsigned_abs().max(wholes.min.unsigned_abs()) <= EXACT_IN_DOUBLE;
    if exact && others.survive { Reading::Double(notation) } else { decimal(evidence, &others, notation) }
}

fn decimal(evidence: &Evidence, others: &Numbers, notation: Notation) -> Reading {
    if others.minus_zero {
        return Reading::Text;
    }
    let widest = evidence.wholes.max.unsigned_abs().max(evidence.wholes.min.unsigned_abs());
    let whole = others.whole_digits.max(if widest == 0 { 1 } else { widest.ilog10() + 1 });
    for scale in [others.written_digits, others.fraction_digits] {
        let digits = whole.saturating_add(scale);
        if let Ok(scale) = u8::try_from(scale)
            && digits as usize <= MAX_DIGITS
        {
            return Reading::Decimal { precision: if digits <= 18 { 18 } else { 38 }, scale, notation };
        }
    }
    Reading::Text
}

fn merge(a: Numbers, b: Numbers) -> Numbers {
    Numbers {
        count: a.count + b.count,
        whole_digits: a.whole_digits.max(b.whole_digits),
        fraction_digits: a.fraction_digits.max(b.fraction_digits),
        written_digits: a.written_digits.max(b.written_digits),
        fractional: a.fractional || b.fractional,
        negative: a.negative || b.negative,
        minus_zero: a.minus_zero || b.minus_zero,
        survive: a.survive && b.survive,
        fit_signed: a.fit_signed && b.fit_signed,
        fit_unsigned: a.fit_unsigned && b.fit_unsigned,
    }
}

/// What a user could dispute about a column that was read so, from the evidence of the whole file.
pub fn warnings(evidence: &Evidence, reading: Reading, name: &str) -> Vec<Warning> {
    let mut found = Vec::new();
    if reading == Reading::Text {
        found.extend(kept_as_text(evidence));
    } else {
        if evidence.marks.count() > 0 {
            let message = format!(
                "{} cells hold a missing-value mark and were read as null ({}).",
                evidence.marks.count(),
                evidence.marks.describe()
            );
            found.push(Warning::new(WarningCode::MissingMarks, message).rows(evidence.marks.count()));
        }
        found.extend(ambiguous(evidence, reading));
    }
    found.into_iter().map(|warning| warning.column(name)).collect()
}

fn ambiguous(evidence: &Evidence, reading: Reading) -> Option<Warning> {
    match reading {
        Reading::Date(order) | Reading::Stamp { order, .. } => {
            let orders = evidence.dates.orders.and(evidence.stamps.orders).and(evidence.zoned.orders);
            if !orders.is_ambiguous() {
                return None;
            }
            let chosen = if order == Orders::DMY { "day first" } else { "month first" };
            let message = format!(
                "No date shows whether the day or the month stands first; all were read {chosen}, as the locale says."
            );
            Some(Warning::new(WarningCode::AmbiguousDates, message).rows(evidence.values))
        }
        Reading::BigInt(notation)
        | Reading::UBigInt(notation)
        | Reading::Double(notation)
        | Reading::Decimal { notation, .. } => ambiguous_marks(evidence, notation),
        Reading::Text | Reading::Boolean | Reading::Time => None,
    }
}

/// Numbers whose mark could be decimal or between thousands, where nothing or hardly anything in the column tells.
fn ambiguous_marks(evidence: &Evidence, notation: Notation) -> Option<Warning> {
    let contested = evidence.contested.count();
    let decisive = if notation.has_point() {
        evidence.fitting(notation).saturating_sub(evidence.wholes.count + contested)
    } else {
        evidence.only_commas.count()
    };
    let hardly = decisive * 10 <= contested && (decisive <= 3 || decisive * 100 <= contested);
    if contested == 0 || !hardly {
        return None;
    }
    let chosen = match notation {
        Notation::CommaGroups => "commas were read as marks between thousands",
        Notation::DecimalComma => "commas were read as decimal marks and points as marks between thousands",
        Notation::Plain | Notation::BlankGroupsComma | Notation::BlankGroupsPoint | Notation::ApostropheGroups => {
            "points were read as decimal marks"
        }
    };
    let why = if evidence.fitting(Notation::DecimalComma) == evidence.values
        && (evidence.fitting(Notation::CommaGroups) == evidence.values)
    {
        "No number in the column shows whether its mark is decimal or between thousands".to_owned()
    } else {
        let places = if notation.has_point() { &evidence.only_points } else { &evidence.only_commas };
        format!("Hardly any number shows whether its mark is decimal or between thousands ({})", places.describe())
    };
    let message = format!("{why}; {chosen}. Name the locale of the file if that is wrong.");
    Some(Warning::new(WarningCode::AmbiguousNumbers, message).rows(contested))
}

/// A text column nearly all of whose values look typed, or all of them but with something to lose.
fn kept_as_text(evidence: &Evidence) -> Option<Warning> {
    let all = evidence.values;
    let (lossy, unreal) = (evidence.lossy.count(), evidence.unreal.count());
    let text = evidence.text.count();
    if all == 0 || text * 20 > all || text == all {
        return None;
    }
    let numbers = Notation::ALL.iter().map(|n| evidence.fitting(*n)).max().unwrap_or(0);
    let best = [
        (numbers, "numbers"),
        (evidence.dates.count, "dates"),
        (evidence.stamps.count.max(evidence.zoned.count), "timestamps"),
        (evidence.times, "times"),
        (evidence.bools, "true or false"),
    ];
    let (fitting, what) = best
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .max_by_key(|(count, _)| *count)
        .unwrap_or((0, if unreal > 0 { "dates" } else { "numbers or times" }));
    let why = if text > 0 {
        format!("{text} are text ({})", evidence.text.describe())
    } else if unreal > 0 {
        format!("{unreal} name a day that does not exist ({})", evidence.unreal.describe())
    } else if lossy > 0 {
        format!("{lossy} would lose a leading zero, a plus sign, an exponent or digits ({})", evidence.lossy.describe())
    } else if fitting == all && what == "dates" {
        "some have the day first and others the month or the year".to_owned()
    } else if fitting == all {
        "no numeric type keeps every digit of all of them".to_owned()
    } else {
        "others have another type".to_owned()
    };
    // a code like 007 looks like a number too: what it would lose is the reason, not its look
    let looking = fitting + lossy + unreal;
    let message = format!("Kept as text: of {all} values {looking} look like {what}, but {why}.");
    Some(Warning::new(WarningCode::KeptAsText, message).rows(all - fitting))
}
