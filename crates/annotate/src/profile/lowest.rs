//! The smallest hashes of a column's distinct values: a fair draw from them, by which two columns can be compared
//! without their values (a bottom-k sketch: Beyer et al., SIGMOD 2007).

/// How many are kept; all there are, while they are fewer.
pub const LOWEST_HASHES: usize = 128;

/// The smallest of the hashes that were offered.
#[derive(Debug, Clone)]
pub(super) struct Lowest {
    /// Ascending, without repetition.
    kept: Vec<u64>,
    /// Only smaller ones can get in.
    limit: u64,
}

impl Default for Lowest {
    fn default() -> Self {
        Self { kept: Vec::new(), limit: u64::MAX }
    }
}

impl Lowest {
    /// Takes in one hash.
    #[inline]
    pub(super) fn offer(&mut self, hash: u64) {
        if hash < self.limit {
            self.keep(hash);
        }
    }

    fn keep(&mut self, hash: u64) {
        let Err(at) = self.kept.binary_search(&hash) else { return };
        self.kept.insert(at, hash);
        self.kept.truncate(LOWEST_HASHES);
        if self.kept.len() == LOWEST_HASHES {
            self.limit = self.kept[LOWEST_HASHES - 1];
        }
    }

    /// Takes in what another part of the column has.
    pub(super) fn merge(&mut self, other: &Self) {
        for hash in &other.kept {
            self.offer(*hash);
        }
    }

    /// Their upper halves, which part values nearly as well and take half the room.
    pub(super) fn finish(&self) -> Vec<u32> {
        self.kept.iter().map(|hash| (hash >> 32) as u32).collect()
    }
}

/// The share of the distinct values of one column that another one has too, by their lowest hashes; `None` when fewer
/// than `least` of them can be told.
pub fn share_within(ours: &[u32], theirs: &[u32], least: usize) -> Option<f64> {
    let complete_to = |hashes: &[u32]| {
        if hashes.len() < LOWEST_HASHES { u32::MAX } else { hashes.last().copied().unwrap_or(u32::MAX) }
    };
    let end = complete_to(ours).min(complete_to(theirs));
    let told: Vec<&u32> = ours.iter().take_while(|hash| **hash <= end).collect();
    let shared = told.iter().filter(|hash| theirs.binary_search(hash).is_ok()).count();
    (told.len() >= least.max(1)).then(|| shared as f64 / told.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;

    fn of(values: std::ops::Range<u64>) -> Vec<u32> {
        let mut lowest = Lowest::default();
        values.for_each(|value| lowest.offer(hash::number(value)));
        lowest.finish()
    }

    #[test]
    fn the_share_of_one_column_within_another_is_found() {
        let near = |share: Option<f64>, expected: f64| (share.expect("told") - expected).abs() < 0.15;
        assert!(near(share_within(&of(0..50), &of(0..100), 8), 1.0));
        assert!(near(share_within(&of(0..50_000), &of(0..100_000), 8), 1.0));
        assert!(near(share_within(&of(0..100_000), &of(0..50_000), 8), 0.5));
        assert!(near(share_within(&of(0..100_000), &of(1_000_000..1_100_000), 8), 0.0));
        assert_eq!(share_within(&of(0..5), &of(0..5), 8), None, "too few to tell");
        assert_eq!(share_within(&of(0..100), &of(0..1_000_000), 8), None, "too few of them can be told");
    }

    #[test]
    fn parts_merge_to_the_whole() {
        let mut whole = Lowest::default();
        let mut parts = [Lowest::default(), Lowest::default()];
        for value in 0..10_000 {
            whole.offer(hash::number(value));
            parts[usize::from(value % 3 == 0)].offer(hash::number(value));
        }
        let [mut one, other] = parts;
        one.merge(&other);
        assert_eq!(one.finish(), whole.finish());
    }
}
