//! What the values at one place of the records are, and the type that keeps all of them.

use domain::name::column_names;
use domain::{Column, SqlType};

use crate::text::evidence::Evidence;
use crate::text::infer::{self, Reading};
use crate::text::locale::Preference;
use crate::text::moment;
use crate::text::number::{self, Notation, Number};

/// How values are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing but nulls: text without a value.
    Unknown,
    /// Scalars of one kind.
    Scalar(Reading),
    /// Values of several kinds, or objects that have little in common: JSON texts.
    Json,
    /// Lists of one shape.
    List(Box<Self>),
    /// Objects: names and shapes of their fields.
    Struct(Vec<(String, Self)>),
}

impl Shape {
    /// The type of the values.
    pub fn sql_type(&self) -> SqlType {
        match self {
            Self::Unknown => SqlType::Varchar,
            Self::Scalar(reading) => reading.sql_type(),
            Self::Json => SqlType::Json,
            Self::List(item) => SqlType::List(Box::new(item.sql_type())),
            Self::Struct(fields) => SqlType::Struct(
                fields
                    .iter()
                    .map(|(name, shape)| Column { name: name.clone(), sql_type: shape.sql_type(), nullable: true })
                    .collect(),
            ),
        }
    }
}

/// What more values can't change any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fixed {
    /// Nothing yet.
    #[default]
    Open,
    /// Scalars of this kind are kept as text.
    Text,
    /// The place is JSON.
    Json,
}

/// Counts of the values at one place.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// `true` and `false`.
    pub bools: u64,
    /// Numbers.
    pub numbers: u64,
    /// Strings.
    pub strings: u64,
    /// Lists.
    pub lists: u64,
    /// Objects.
    pub objects: u64,
    /// Values of all fields of all objects.
    pub filled: u64,
    /// What the scalars say about their type; only asked while they are of one kind.
    pub evidence: Evidence,
    /// What is settled.
    pub fixed: Fixed,
}

impl Seen {
    /// Kinds of values that occur.
    pub fn kinds(&self) -> usize {
        [self.bools, self.numbers, self.strings, self.lists, self.objects].iter().filter(|n| **n > 0).count()
    }

    /// Whether the place is JSON whatever else it holds.
    pub fn is_json(&self) -> bool {
        self.fixed == Fixed::Json || self.kinds() > 1
    }

    /// The reading of scalars of one kind.
    pub fn reading(&self, preference: Preference) -> Reading {
        if self.bools > 0 {
            Reading::Boolean
        } else if self.fixed == Fixed::Text {
            Reading::Text
        } else {
            infer::decide(&self.evidence, preference)
        }
    }

    /// Forgets the counts, not what is settled.
    pub fn reset(&mut self) {
        *self = Self { fixed: self.fixed, ..Self::default() };
    }

    /// A number as written.
    pub fn observe_number(&mut self, raw: &[u8], row: u64) {
        self.evidence.values += 1;
        if let Some(value) = number::parse_i64(raw) {
            self.evidence.add_wholes(1, value, value);
        } else if let Some(number) = exact(raw) {
            self.evidence.numbers[Notation::Plain as usize].add(&number);
        } else {
            self.evidence.lossy.add(row);
        }
    }

    /// A string's value.
    pub fn observe_string(&mut self, value: &[u8], row: u64) {
        let evidence = &mut self.evidence;
        evidence.values += 1;
        if value.len() > 64 || !value.first().is_some_and(u8::is_ascii_digit) {
            evidence.text.add(row);
        } else if let Some(date) = moment::only_date(value) {
            evidence.dates.add(1, date.orders);
        } else if let Some(stamp) = moment::stamp(value) {
            if stamp.clock.too_fine {
                evidence.lossy.add(row);
            } else if stamp.offset.is_some() {
                evidence.zoned.add(1, stamp.date.orders);
            } else {
                evidence.stamps.add(1, stamp.date.orders);
            }
        } else if let Some(clock) = moment::only_clock(value) {
            if clock.too_fine { evidence.lossy.add(row) } else { evidence.times += 1 }
        } else {
            evidence.text.add(row);
        }
    }
}

/// A JSON number, whose exponent never makes it a code as it may in a text file.
pub fn exact(raw: &[u8]) -> Option<Number> {
    if let Some(at) = raw.iter().position(|b| matches!(b, b'e' | b'E'))
        && raw.get(at + 1).is_some_and(u8::is_ascii_digit)
    {
        let signed = [&raw[..=at], b"+", &raw[at + 1..]].concat();
        return number::parse(&signed, Notation::Plain);
    }
    number::parse(raw, Notation::Plain)
}

/// Usable, unique names for keys, and how many differ from their key.
pub fn names(keys: &[Vec<u8>]) -> (Vec<String>, usize) {
    let keys: Vec<_> = keys.iter().map(|key| String::from_utf8_lossy(key)).collect();
    let named = column_names(&keys);
    (named.names, named.changed.len())
}
