//! One place of the records (a key, the items of a list, the record itself): what was seen there, how it is to be kept,
//! and the values that wait.

use std::collections::HashMap;

use domain::limits;

use crate::places::Places;
use crate::readers::json::out::{Made, Out};
use crate::readers::json::seen::{Fixed, Seen, Shape, names};
use crate::readers::json::string::unescape;
use crate::readers::json::tape::{Kind, Token};
use crate::text::locale::Preference;

/// Fields of a nested object from which on it is a map, not a record.
const MOST_FIELDS: usize = 1_000;
/// Fields of a nested object from which on its fields must be filled in a tenth of the objects.
const SPARSE_FIELDS: usize = 100;
/// Levels of lists and objects that become types.
const MOST_LEVELS: usize = 16;

/// What is shared while a record is read.
pub struct Record<'a> {
    /// The record's text.
    pub text: &'a [u8],
    /// Its tokens.
    pub tokens: &'a [Token],
    /// Its 1-based number in the table.
    pub row: u64,
    /// What reading changes.
    pub notes: &'a mut Notes,
}

/// What reading records leaves behind beside values.
#[derive(Debug, Default)]
pub struct Notes {
    /// Whether values are counted as evidence.
    pub learn: bool,
    /// Whether some value did not fit the place it stands at.
    pub contradicted: bool,
    /// Lone surrogates that were replaced.
    pub replaced: Places,
    /// Keys that stand more than once in an object.
    pub duplicates: Places,
    /// Places of the table beyond its columns.
    pub places: usize,
    /// Whether a record has more keys than a table may have columns.
    pub too_wide: bool,
    pub(super) scratch: Vec<u8>,
}

/// The fields of the objects at a place, in the order in which they first came.
#[derive(Debug, Default)]
pub struct Fields {
    /// Their keys.
    pub keys: Vec<Vec<u8>>,
    /// What stands under them.
    pub places: Vec<Place>,
    index: HashMap<Vec<u8>, usize>,
    /// Objects read, and for each field the last one that had it and the token of its value.
    objects: u64,
    last: Vec<(u64, u32)>,
}

/// See the module.
#[derive(Debug)]
pub struct Place {
    /// What was seen.
    pub seen: Seen,
    /// How values are kept.
    pub shape: Shape,
    /// Values that wait.
    pub out: Out,
    /// What stands in lists.
    pub item: Option<Box<Self>>,
    /// What stands in objects.
    pub fields: Fields,
    /// Whether any value was null or missing.
    pub has_null: bool,
    level: usize,
}

impl Fields {
    /// The field of a key; `guess` is where it is looked for first.
    fn find(&self, key: &[u8], guess: usize) -> Option<usize> {
        for index in guess..self.keys.len().min(guess + 3) {
            if self.keys[index] == key {
                return Some(index);
            }
        }
        self.index.get(key).copied()
    }

    fn add(&mut self, key: &[u8], level: usize) -> usize {
        let index = self.keys.len();
        self.keys.push(key.to_vec());
        self.index.insert(key.to_vec(), index);
        self.places.push(Place::new(level));
        self.last.push((0, 0));
        index
    }
}

impl Place {
    /// Nothing was seen yet.
    pub fn new(level: usize) -> Self {
        Self {
            seen: Seen::default(),
            shape: Shape::Unknown,
            out: Out::Off,
            item: None,
            fields: Fields::default(),
            has_null: false,
            level,
        }
    }

    /// The shape that keeps every value that was seen.
    pub fn decide(&self, preference: Preference) -> Shape {
        let seen = &self.seen;
        if seen.is_json() {
            return Shape::Json;
        }
        if seen.lists > 0 {
            let item = self.item.as_ref().map_or(Shape::Unknown, |item| item.decide(preference));
            return if self.level >= MOST_LEVELS { Shape::Json } else { Shape::List(Box::new(item)) };
        }
        if seen.objects > 0 {
            let n = self.fields.keys.len();
            let sparse = self.level > 0
                && n > SPARSE_FIELDS
                && u128::from(seen.filled) * 10 < u128::from(seen.objects) * n as u128;
            if n == 0 || sparse || self.level >= MOST_LEVELS {
                return Shape::Json;
            }
            let (names, _) = names(&self.fields.keys);
            let shapes = self.fields.places.iter().map(|field| field.decide(preference));
            return Shape::Struct(names.into_iter().zip(shapes).collect());
        }
        if seen.kinds() == 0 { Shape::Unknown } else { Shape::Scalar(seen.reading(preference)) }
    }

    /// Takes a shape on and begins to keep values; counts begin anew.
    pub fn prepare(&mut self, shape: &Shape) {
        use crate::text::infer::Reading::Text;
        match shape {
            Shape::Json => self.seen.fixed = Fixed::Json,
            Shape::Scalar(Text) => self.seen.fixed = Fixed::Text,
            Shape::Unknown | Shape::Scalar(_) | Shape::List(_) | Shape::Struct(_) => {}
        }
        self.seen.reset();
        self.has_null = false;
        self.out = Out::of(shape);
        self.shape = shape.clone();
        match shape {
            Shape::List(item) => {
                let level = self.level + 1;
                self.item.get_or_insert_with(|| Box::new(Self::new(level))).prepare(item);
            }
            Shape::Struct(fields) => {
                for (place, (_, shape)) in self.fields.places.iter_mut().zip(fields) {
                    place.prepare(shape);
                }
            }
            Shape::Unknown | Shape::Scalar(_) | Shape::Json => {
                self.item = None;
                self.fields = Fields::default();
            }
        }
    }

    /// Gives up the values that wait; from now on values are only counted.
    pub fn stop(&mut self) {
        self.out = Out::Off;
        if let Some(item) = &mut self.item {
            item.stop();
        }
        self.fields.places.iter_mut().for_each(Self::stop);
    }

    /// The values that waited.
    pub fn finish(&mut self) -> Made {
        match &mut self.out {
            Out::Off => Err(arrow::error::ArrowError::ComputeError("no values are kept here".to_owned())),
            Out::Unknown(values) | Out::Json(values) => values.finish(&domain::SqlType::Varchar),
            Out::Scalar(reading, values) => values.finish(&reading.sql_type()),
            Out::List(ends, nulls) => {
                let (Some(item), Shape::List(shape)) = (&mut self.item, &self.shape) else {
                    return Err(arrow::error::ArrowError::ComputeError("a list has no items".to_owned()));
                };
                Out::finish_list(ends, nulls, item.finish()?, shape)
            }
            Out::Struct(nulls) => {
                let arrays: Result<_, _> = self.fields.places.iter_mut().map(Self::finish).collect();
                Out::finish_struct(nulls, arrays?, &self.shape)
            }
        }
    }

    /// A null, or nothing at all.
    pub fn push_null(&mut self) {
        self.has_null = true;
        self.out.push_null();
        if matches!(self.out, Out::Struct(_)) {
            self.fields.places.iter_mut().for_each(Self::push_null);
        }
    }

    /// Reads the value of a token.
    pub fn read(&mut self, record: &mut Record<'_>, index: usize) {
        let token = record.tokens[index];
        if token.kind == Kind::Null {
            return self.push_null();
        }
        if self.seen.fixed == Fixed::Json {
            return self.read_json(record, token);
        }
        match token.kind {
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Plain | Kind::Escaped => {
                self.read_scalar(record, token);
            }
            Kind::List => self.read_list(record, index),
            Kind::Object => self.read_object(record, index),
        }
        if self.seen.kinds() > 1 {
            self.become_json();
        }
    }

    /// Other values than those seen so far can't change that it is JSON.
    fn become_json(&mut self) {
        self.seen.fixed = Fixed::Json;
        self.item = None;
        self.fields = Fields::default();
    }

    fn read_list(&mut self, record: &mut Record<'_>, index: usize) {
        self.seen.lists += 1;
        let token = record.tokens[index];
        let level = self.level + 1;
        if level > MOST_LEVELS {
            record.notes.contradicted |= !matches!(self.out, Out::Json(_));
            return self.become_json();
        }
        if !matches!(self.out, Out::List(..)) {
            record.notes.contradicted = true;
        }
        let item = self.item.get_or_insert_with(|| Box::new(Self::new(level)));
        let mut at = index + 1;
        let mut n = 0;
        while at < token.next as usize {
            item.read(record, at);
            at = record.tokens[at].next as usize;
            n += 1;
        }
        if let Out::List(ends, nulls) = &mut self.out {
            let end = ends.last().copied().unwrap_or(0);
            ends.push(end.saturating_add(n));
            nulls.append_non_null();
        }
    }

    fn read_object(&mut self, record: &mut Record<'_>, index: usize) {
        self.seen.objects += 1;
        if !matches!(self.out, Out::Struct(_)) {
            record.notes.contradicted = true;
        }
        if !self.assign(record, index) {
            record.notes.contradicted = true;
            return self.become_json();
        }
        let serial = self.fields.objects;
        for field in 0..self.fields.places.len() {
            let (last, token) = self.fields.last[field];
            let place = &mut self.fields.places[field];
            if last == serial {
                self.seen.filled += 1;
                place.read(record, token as usize);
            } else {
                place.push_null();
            }
        }
        if let Out::Struct(nulls) = &mut self.out {
            nulls.append_non_null();
        }
    }

    /// Finds the value of each field in an object. False when the object has too many keys to be a record.
    fn assign(&mut self, record: &mut Record<'_>, index: usize) -> bool {
        let token = record.tokens[index];
        let fields = &mut self.fields;
        fields.objects += 1;
        let (mut at, mut guess) = (index + 1, 0);
        while at < token.next as usize {
            let key = record.tokens[at];
            let value = at + 1;
            at = record.tokens[value].next as usize;
            let mut scratch = std::mem::take(&mut record.notes.scratch);
            let name = if key.kind == Kind::Escaped {
                scratch.clear();
                unescape(key.inside(record.text), &mut scratch);
                scratch.as_slice()
            } else {
                key.inside(record.text)
            };
            let found = fields.find(name, guess).or_else(|| {
                record.notes.contradicted = true;
                record.notes.places += 1;
                let room = if self.level == 0 {
                    fields.keys.len() < limits::COLUMNS
                } else {
                    self.level < MOST_LEVELS && fields.keys.len() < MOST_FIELDS && record.notes.places < limits::COLUMNS
                };
                record.notes.too_wide |= self.level == 0 && !room;
                room.then(|| fields.add(name, self.level + 1))
            });
            record.notes.scratch = scratch;
            let Some(field) = found else {
                return false;
            };
            guess = field + 1;
            if fields.last[field].0 == fields.objects {
                record.notes.duplicates.add(record.row);
            }
            fields.last[field] = (fields.objects, value as u32);
        }
        true
    }
}
