//! Values with an order and a fixed width: numbers, dates, times. Smallest, largest, quantiles, distinct.

use std::cmp::Ordering;

use arrow::array::{Array, ArrowPrimitiveType, PrimitiveArray};

use super::QUANTILE_SAMPLE;
use super::distinct::Distinct;
use super::report::{ColumnProfile, Quantiles, top_values};
use crate::hash;

/// How far the sample may grow before it is cut back: cutting seldom makes it cheap.
const SAMPLE_ROOM: usize = QUANTILE_SAMPLE + QUANTILE_SAMPLE / 2;

/// A float whose NaNs have no place in the order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Float(pub(super) f64);

/// What a value must offer to be profiled.
pub(super) trait Scalar: Copy + std::fmt::Debug {
    /// Hash by value.
    fn hash(self) -> u64;
    /// Whether it takes part in the order.
    fn ranks(self) -> bool;
    /// The order.
    fn order(&self, other: &Self) -> Ordering;
}

macro_rules! integer_scalar {
    ($native:ty, $hash:expr) => {
        impl Scalar for $native {
            #[inline]
            fn hash(self) -> u64 {
                $hash(self)
            }
            #[inline]
            fn ranks(self) -> bool {
                true
            }
            #[inline]
            fn order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }
        }
    };
}

integer_scalar!(i64, |v: i64| hash::number(v.cast_unsigned()));
integer_scalar!(u64, hash::number);
integer_scalar!(i128, hash::wide);

impl Scalar for Float {
    #[inline]
    fn hash(self) -> u64 {
        hash::float(self.0)
    }
    #[inline]
    fn ranks(self) -> bool {
        !self.0.is_nan()
    }
    #[inline]
    fn order(&self, other: &Self) -> Ordering {
        // Both zeros are one value to the hash; `total_cmp` would part them.
        self.0.partial_cmp(&other.0).unwrap_or_else(|| self.0.total_cmp(&other.0))
    }
}

/// A uniform sample: each value draws a number from its own hash and its place, the smallest numbers stay.
#[derive(Clone, Debug)]
struct Sample<T> {
    kept: Vec<(u64, T)>,
    limit: u64,
    seen: u64,
}

impl<T: Scalar> Sample<T> {
    #[inline]
    fn add(&mut self, hash: u64, value: T) {
        self.seen += 1;
        // One multiplication mixes enough: only the order of the tickets counts, and the hash is mixed already.
        let ticket = (hash ^ self.seen.wrapping_mul(0x9fb2_1c65_1e98_df25)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        if ticket <= self.limit {
            self.kept.push((ticket, value));
            if self.kept.len() == SAMPLE_ROOM {
                self.shrink();
            }
        }
    }

    fn shrink(&mut self) {
        if self.kept.len() > QUANTILE_SAMPLE {
            let (_, last, _) = self.kept.select_nth_unstable_by_key(QUANTILE_SAMPLE - 1, |(ticket, _)| *ticket);
            self.limit = last.0;
            self.kept.truncate(QUANTILE_SAMPLE);
        }
    }

    fn merge(&mut self, other: Self) {
        self.seen += other.seen;
        self.limit = self.limit.min(other.limit);
        self.kept.extend(other.kept);
        let limit = self.limit;
        self.kept.retain(|(ticket, _)| *ticket <= limit);
        self.shrink();
    }

    fn sorted(mut self) -> Vec<T> {
        self.shrink();
        let mut values: Vec<T> = self.kept.into_iter().map(|(_, value)| value).collect();
        values.sort_unstable_by(T::order);
        values
    }
}

/// Everything kept of a column whose values have an order.
#[derive(Clone, Debug)]
pub(super) struct Ordered<T> {
    range: Option<(T, T)>,
    /// First and last value, as long as each value was larger than the one before it: then all are distinct.
    rising: Option<(T, T)>,
    count: u64,
    distinct: Distinct<T>,
    sample: Sample<T>,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self {
            range: None,
            rising: None,
            count: 0,
            distinct: Distinct::default(),
            sample: Sample { kept: Vec::new(), limit: u64::MAX, seen: 0 },
        }
    }
}

impl<T: Scalar> Ordered<T> {
    pub(super) fn update<P: ArrowPrimitiveType>(&mut self, array: &PrimitiveArray<P>, read: impl Fn(P::Native) -> T) {
        match array.nulls() {
            None => array.values().iter().for_each(|v| self.add(read(*v))),
            Some(nulls) => nulls.valid_indices().for_each(|row| self.add(read(array.value(row)))),
        }
    }

    #[inline]
    fn add(&mut self, value: T) {
        let hash = value.hash();
        self.distinct.add(hash, || value);
        self.count += 1;
        if !value.ranks() {
            self.rising = None;
            return;
        }
        self.sample.add(hash, value);
        if let Some((min, max)) = &mut self.range {
            if value.order(min) == Ordering::Less {
                *min = value;
            } else if value.order(max) == Ordering::Greater {
                *max = value;
            }
            match &mut self.rising {
                Some((_, last)) if value.order(last) == Ordering::Greater => *last = value,
                rising => *rising = None,
            }
        } else {
            self.range = Some((value, value));
            // A column may rise only if nothing without a place in the order came before.
            self.rising = (self.count == 1).then_some((value, value));
        }
    }

    pub(super) fn merge(&mut self, later: Self) {
        self.rising = match (self.rising, later.rising) {
            (Some((first, end)), Some((start, last))) if end.order(&start) == Ordering::Less => Some((first, last)),
            (None, rising) if self.count == 0 => rising,
            (rising, None) if later.count == 0 => rising,
            _ => None,
        };
        self.range = match (self.range, later.range) {
            (Some(ours), Some(theirs)) => Some((
                if theirs.0.order(&ours.0) == Ordering::Less { theirs.0 } else { ours.0 },
                if theirs.1.order(&ours.1) == Ordering::Greater { theirs.1 } else { ours.1 },
            )),
            (ours, theirs) => ours.or(theirs),
        };
        self.count += later.count;
        self.distinct.merge(later.distinct);
        self.sample.merge(later.sample);
    }

    pub(super) fn finish(self, profile: &mut ColumnProfile, print: impl Fn(T) -> String) {
        let (distinct, exact) = if self.rising.is_some() { (self.count, true) } else { self.distinct.count() };
        profile.set_distinct(distinct, exact);
        if let Some((min, max)) = self.range {
            profile.min = Some(print(min));
            profile.max = Some(print(max));
        }
        profile.lowest_hashes = self.distinct.lowest();
        let counted = self.distinct.counted().into_iter().map(|entry| (entry.value, entry.count)).collect();
        profile.top_values = top_values(counted, T::order, &print);
        let values = self.sample.sorted();
        profile.quantiles = Quantiles::of(&values, print);
    }
}
