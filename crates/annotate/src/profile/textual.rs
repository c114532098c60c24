//! Texts (lengths, smallest, largest, distinct) and the values without an order: bytes and nested ones.

use arrow::array::{Array, AsArray, BooleanArray};
use arrow::datatypes::DataType;

use super::distinct::Distinct;
use super::report::{Booleans, ColumnProfile, Lengths, TopValue, top_values};
use crate::hash;
use crate::text::{cell_text, cut};

/// Shortest, longest and sum.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    count: u64,
    min: u64,
    max: u64,
    total: u64,
}

impl Sizes {
    #[inline]
    fn add(&mut self, size: u64) {
        self.min = if self.count == 0 { size } else { self.min.min(size) };
        self.max = self.max.max(size);
        self.total += size;
        self.count += 1;
    }

    fn merge(&mut self, other: Self) {
        if other.count > 0 {
            self.min = if self.count == 0 { other.min } else { self.min.min(other.min) };
            self.max = self.max.max(other.max);
            self.total += other.total;
            self.count += other.count;
        }
    }

    fn finish(self) -> Option<Lengths> {
        (self.count > 0).then(|| Lengths { min: self.min, max: self.max, avg: self.total as f64 / self.count as f64 })
    }
}

/// Everything kept of a text column.
#[derive(Clone, Debug)]
pub(super) struct Texts {
    /// Whether smallest and largest mean anything; of JSON they don't.
    ordered: bool,
    range: Option<(Box<str>, Box<str>)>,
    sizes: Sizes,
    distinct: Distinct<Box<str>>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { ordered: true, range: None, sizes: Sizes::default(), distinct: Distinct::default() }
    }
}

impl Texts {
    pub(super) fn unordered() -> Self {
        Self { ordered: false, ..Self::default() }
    }

    pub(super) fn update(&mut self, array: &dyn Array) {
        match array.data_type() {
            DataType::Utf8 => array.as_string::<i32>().iter().flatten().for_each(|text| self.add(text)),
            DataType::LargeUtf8 => array.as_string::<i64>().iter().flatten().for_each(|text| self.add(text)),
            _ => array.as_string_view().iter().flatten().for_each(|text| self.add(text)),
        }
    }

    #[inline]
    fn add(&mut self, text: &str) {
        // Most texts are ASCII, and asking that is cheaper than counting characters.
        let chars = if text.is_ascii() { text.len() } else { text.chars().count() };
        self.sizes.add(chars as u64);
        let fresh = self.distinct.add(hash::bytes(text.as_bytes()), || cut(text).into());
        if fresh && self.ordered {
            self.widen(text);
        }
    }

    /// Compares and keeps only what [`cut`] leaves, so that two huge cells cannot hold the memory of the whole file.
    fn widen(&mut self, text: &str) {
        let text = cut(text);
        match &mut self.range {
            Some((min, max)) => {
                if text < &**min {
                    *min = text.into();
                } else if text > &**max {
                    *max = text.into();
                }
            }
            None => self.range = Some((text.into(), text.into())),
        }
    }

    pub(super) fn merge(&mut self, later: Self) {
        if let Some((min, max)) = later.range {
            self.widen(&min);
            self.widen(&max);
        }
        self.sizes.merge(later.sizes);
        self.distinct.merge(later.distinct);
    }

    pub(super) fn finish(self, profile: &mut ColumnProfile) {
        let (distinct, exact) = self.distinct.count();
        profile.set_distinct(distinct, exact);
        if let Some((min, max)) = self.range {
            profile.min = Some(min.into());
            profile.max = Some(max.into());
        }
        profile.lengths = self.sizes.finish();
        profile.lowest_hashes = self.distinct.lowest();
        let counted = self.distinct.counted().into_iter().map(|entry| (entry.value, entry.count)).collect();
        profile.top_values = top_values(counted, Ord::cmp, String::from);
    }
}

/// Everything kept of a column of bytes or nested values: how many distinct, and the lengths of bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Opaque {
    sizes: Sizes,
    distinct: Distinct<()>,
}

impl Opaque {
    pub(super) fn update(&mut self, array: &dyn Array) {
        match array.data_type() {
            DataType::Binary => array.as_binary::<i32>().iter().flatten().for_each(|bytes| self.add_bytes(bytes)),
            DataType::LargeBinary => array.as_binary::<i64>().iter().flatten().for_each(|bytes| self.add_bytes(bytes)),
            DataType::BinaryView => array.as_binary_view().iter().flatten().for_each(|bytes| self.add_bytes(bytes)),
            _ => {
                for text in (0..array.len()).filter_map(|row| cell_text(array, row)) {
                    self.distinct.add(hash::bytes(text.as_bytes()), || ());
                }
            }
        }
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        self.sizes.add(bytes.len() as u64);
        self.distinct.add(hash::bytes(bytes), || ());
    }

    pub(super) fn merge(&mut self, later: Self) {
        self.sizes.merge(later.sizes);
        self.distinct.merge(later.distinct);
    }

    pub(super) fn finish(self, profile: &mut ColumnProfile) {
        let (distinct, exact) = self.distinct.count();
        profile.set_distinct(distinct, exact);
        profile.lengths = self.sizes.finish();
    }
}

impl Booleans {
    pub(super) fn update(&mut self, array: &BooleanArray) {
        self.true_count += array.true_count() as u64;
        self.false_count += array.false_count() as u64;
    }

    pub(super) fn merge(&mut self, later: Self) {
        self.true_count += later.true_count;
        self.false_count += later.false_count;
    }

    pub(super) fn finish(self, profile: &mut ColumnProfile) {
        let mut seen: Vec<TopValue> = [("false", self.false_count), ("true", self.true_count)]
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(value, count)| TopValue { value: value.to_owned(), count })
            .collect();
        profile.set_distinct(seen.len() as u64, true);
        profile.min = seen.first().map(|top| top.value.clone());
        profile.max = seen.last().map(|top| top.value.clone());
        // Stable: with equal counts `false` stays first.
        seen.sort_by_key(|top| std::cmp::Reverse(top.count));
        profile.top_values = seen;
        profile.booleans = Some(self);
    }
}
