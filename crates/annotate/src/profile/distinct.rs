//! How many different values: counted one by one while they are few, as exact hashes while they fit, then by HyperLogLog.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use datasketches::hll::{Coupon, HllSketch, HllType, HllUnion};

use super::lowest::Lowest;
use super::{COUNTED_DISTINCT, EXACT_DISTINCT};

/// 2^14 registers: 16 KiB a column and a standard error of 0.8 %.
const LG_REGISTERS: u8 = 14;
/// Slots of the little table over the counted values; a power of two above twice [`COUNTED_DISTINCT`].
const SLOTS: usize = 256;

/// Hashes are mixed already: hashing them again would only cost.
#[derive(Default, Debug, Clone, Copy)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("only u64 hashes are kept")
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

type Hashes = HashSet<u64, BuildHasherDefault<Mixed>>;

/// A value that was counted.
#[derive(Debug, Clone)]
pub(super) struct Entry<V> {
    hash: u64,
    pub(super) value: V,
    pub(super) count: u64,
}

/// Up to [`COUNTED_DISTINCT`] values with their counts.
#[derive(Debug, Clone)]
struct Counted<V> {
    /// Index into `entries` plus one, by hash with linear probing; 0 is free.
    slots: [u8; SLOTS],
    entries: Vec<Entry<V>>,
    /// The entry that was hit last: runs of one value skip the table.
    last: usize,
}

#[derive(Debug, Clone)]
enum State<V> {
    Counted(Box<Counted<V>>),
    Hashes(Hashes),
    Sketch(Box<HllSketch>),
}

/// The distinct values of a column; `V` is what is kept of a value while each is counted.
#[derive(Debug, Clone)]
pub(super) struct Distinct<V> {
    state: State<V>,
    lowest: Lowest,
}

impl<V> Default for Distinct<V> {
    fn default() -> Self {
        let counted = Counted { slots: [0; SLOTS], entries: Vec::new(), last: 0 };
        Self { state: State::Counted(Box::new(counted)), lowest: Lowest::default() }
    }
}

impl<V> Counted<V> {
    /// Counts `n` more of a value. False when it is new and there is no room left.
    #[inline]
    fn add(&mut self, hash: u64, n: u64, fresh: &mut bool, value: impl FnOnce() -> V) -> bool {
        if let Some(entry) = self.entries.get_mut(self.last)
            && entry.hash == hash
        {
            entry.count += n;
            return true;
        }
        let mut slot = hash as usize % SLOTS;
        loop {
            let index = usize::from(self.slots[slot]);
            if index == 0 {
                break;
            }
            let entry = &mut self.entries[index - 1];
            if entry.hash == hash {
                entry.count += n;
                self.last = index - 1;
                return true;
            }
            slot = (slot + 1) % SLOTS;
        }
        if self.entries.len() == COUNTED_DISTINCT {
            return false;
        }
        *fresh = true;
        self.last = self.entries.len();
        self.entries.push(Entry { hash, value: value(), count: n });
        self.slots[slot] = self.entries.len() as u8;
        true
    }
}

impl<V> Distinct<V> {
    /// Takes in one value. Answers whether the value may be one that was not seen before.
    #[inline]
    pub(super) fn add(&mut self, hash: u64, value: impl FnOnce() -> V) -> bool {
        let fresh = self.count_in(hash, value);
        if fresh {
            self.lowest.offer(hash);
        }
        fresh
    }

    #[inline]
    fn count_in(&mut self, hash: u64, value: impl FnOnce() -> V) -> bool {
        match &mut self.state {
            State::Counted(counted) => {
                let mut fresh = false;
                if counted.add(hash, 1, &mut fresh, value) {
                    return fresh;
                }
                self.add_hash(hash)
            }
            State::Sketch(sketch) => {
                sketch.update_with_coupon(Coupon::from_value(hash));
                true
            }
            State::Hashes(_) => self.add_hash(hash),
        }
    }

    /// Takes in a value by its hash alone, past the states that cannot hold it.
    fn add_hash(&mut self, hash: u64) -> bool {
        loop {
            match &mut self.state {
                State::Counted(counted) => {
                    self.state = State::Hashes(counted.entries.iter().map(|entry| entry.hash).collect());
                }
                State::Hashes(hashes) if hashes.len() < EXACT_DISTINCT || hashes.contains(&hash) => {
                    return hashes.insert(hash);
                }
                State::Hashes(hashes) => {
                    let mut sketch = HllSketch::new(LG_REGISTERS, HllType::Hll8).expect("a lawful register count");
                    for hash in hashes.iter() {
                        sketch.update_with_coupon(Coupon::from_value(*hash));
                    }
                    self.state = State::Sketch(Box::new(sketch));
                }
                State::Sketch(sketch) => {
                    sketch.update_with_coupon(Coupon::from_value(hash));
                    return true;
                }
            }
        }
    }

    /// Takes in what another column part saw.
    pub(super) fn merge(&mut self, other: Self) {
        self.lowest.merge(&other.lowest);
        match other.state {
            State::Counted(theirs) => {
                for entry in theirs.entries {
                    let mut value = Some(entry.value);
                    let fits = match &mut self.state {
                        State::Counted(ours) => ours.add(entry.hash, entry.count, &mut false, || {
                            value.take().expect("a value is moved in at most once")
                        }),
                        State::Hashes(_) | State::Sketch(_) => false,
                    };
                    if !fits {
                        self.add_hash(entry.hash);
                    }
                }
            }
            State::Hashes(hashes) => {
                // More values than can be counted, so ours cannot stay counted even if each of theirs is one of ours.
                for hash in hashes {
                    self.add_hash(hash);
                }
            }
            State::Sketch(theirs) => {
                let mut union = HllUnion::new(LG_REGISTERS).expect("a lawful register count");
                union.update(&theirs);
                let mut merged = union.to_sketch(HllType::Hll8);
                match &self.state {
                    State::Sketch(ours) => {
                        union.update(ours);
                        merged = union.to_sketch(HllType::Hll8);
                    }
                    State::Counted(ours) => {
                        for entry in &ours.entries {
                            merged.update_with_coupon(Coupon::from_value(entry.hash));
                        }
                    }
                    State::Hashes(ours) => {
                        for hash in ours {
                            merged.update_with_coupon(Coupon::from_value(*hash));
                        }
                    }
                }
                self.state = State::Sketch(Box::new(merged));
            }
        }
    }

    /// The number of distinct values and whether it is exact.
    pub(super) fn count(&self) -> (u64, bool) {
        match &self.state {
            State::Counted(counted) => (counted.entries.len() as u64, true),
            State::Hashes(hashes) => (hashes.len() as u64, true),
            // The estimate by registers alone: the same whatever the order and however the column was split.
            State::Sketch(sketch) => (sketch.composite_estimate().round() as u64, false),
        }
    }

    /// The smallest hashes of the values.
    pub(super) fn lowest(&self) -> Vec<u32> {
        self.lowest.finish()
    }

    /// The values with their counts, while they are few enough to be counted.
    pub(super) fn counted(self) -> Vec<Entry<V>> {
        match self.state {
            State::Counted(counted) => counted.entries,
            State::Hashes(_) | State::Sketch(_) => Vec::new(),
        }
    }
}
