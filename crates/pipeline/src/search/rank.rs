//! Two rankings, and how they become one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use domain::ObjectId;

/// Cosine below which two texts have nothing to do with each other: features that fell on one place by chance.
const LEAST_COSINE: f32 = 0.25;
/// Constant of reciprocal rank fusion: how little the first places count above the next.
const RRF_K: f64 = 60.0;
/// Rankings that are fused.
const RANKINGS: f64 = 2.0;

/// An object and how near it is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Near {
    cosine: f32,
    id: ObjectId,
}

impl Eq for Near {}

impl Ord for Near {
    /// Nearer is greater; of two equally near ones, the one made first.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.cosine.total_cmp(&other.cosine).then_with(|| other.id.cmp(&self.id))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Keeps the objects that are nearest to one of the wanted vectors; never more than its limit.
pub struct Nearest {
    wanted: Vec<Vec<f32>>,
    limit: usize,
    /// The farthest on top.
    kept: BinaryHeap<Reverse<Near>>,
}

impl Nearest {
    /// Near to any of these unit vectors.
    pub fn new(wanted: Vec<Vec<f32>>, limit: usize) -> Self {
        Self { wanted, limit, kept: BinaryHeap::with_capacity(limit + 1) }
    }

    /// Whether there is nothing to be near to.
    pub fn is_blind(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Judges a stored vector: 32-bit floats, little endian. One of another length is near to nothing.
    pub fn see(&mut self, id: ObjectId, bytes: &[u8]) {
        let cosine = self.wanted.iter().filter_map(|wanted| dot(wanted, bytes)).fold(f32::MIN, f32::max);
        if cosine < LEAST_COSINE {
            return;
        }
        self.kept.push(Reverse(Near { cosine, id }));
        if self.kept.len() > self.limit {
            self.kept.pop();
        }
    }

    /// What was kept, nearest first.
    pub fn best(self) -> Vec<ObjectId> {
        self.kept.into_sorted_vec().into_iter().map(|Reverse(near)| near.id).collect()
    }
}

fn dot(wanted: &[f32], bytes: &[u8]) -> Option<f32> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    if numbers.len() != wanted.len() || !rest.is_empty() {
        return None;
    }
    Some(wanted.iter().zip(numbers).map(|(x, bytes)| x * f32::from_le_bytes(*bytes)).sum())
}

/// Reciprocal rank fusion: an object counts the more, the higher it stands in each ranking. The best `top_k` with their
/// scores; 1 is first in both rankings.
pub fn fuse(by_words: &[ObjectId], by_vector: &[ObjectId], top_k: usize) -> Vec<(ObjectId, f64)> {
    let most = RANKINGS / (RRF_K + 1.0);
    let mut scores: HashMap<ObjectId, f64> = HashMap::new();
    for ranking in [by_words, by_vector] {
        for (place, id) in ranking.iter().enumerate() {
            *scores.entry(*id).or_default() += 1.0 / (RRF_K + 1.0 + place as f64) / most;
        }
    }
    let mut ranked: Vec<(ObjectId, f64)> = scores.into_iter().collect();
    ranked.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
    ranked.truncate(top_k);
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u128) -> ObjectId {
        ObjectId(uuid::Uuid::from_u128(n))
    }

    fn bytes(vector: &[f32]) -> Vec<u8> {
        vector.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    #[test]
    fn the_nearest_are_kept_and_never_more_than_wanted() {
        let mut nearest = Nearest::new(vec![vec![1.0, 0.0], vec![0.0, 1.0]], 3);
        for (n, vector) in [[0.6, 0.0], [0.0, 0.9], [0.5, 0.4], [0.1, 0.2], [0.7, 0.7], [0.7, 0.1]].iter().enumerate() {
            nearest.see(id(n as u128), &bytes(vector));
            assert!(nearest.kept.len() <= 3);
        }
        nearest.see(id(90), &bytes(&[1.0]));
        nearest.see(id(91), &[0, 0, 128]);
        nearest.see(id(92), &bytes(&[f32::NAN, f32::NAN]));
        assert_eq!(nearest.best(), [id(1), id(4), id(5)]);
    }

    #[test]
    fn what_stands_in_both_rankings_comes_first() {
        let fused = fuse(&[id(1), id(2), id(3)], &[id(3), id(4)], 10);
        assert_eq!(fused.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [id(3), id(1), id(2), id(4)]);
        assert!(fused.iter().all(|(_, score)| (0.0..=1.0).contains(score)));
        assert!((fuse(&[id(1)], &[id(1)], 1)[0].1 - 1.0).abs() < 1e-9);
        assert_eq!(fuse(&[id(1), id(2)], &[], 1).len(), 1);
        assert!(fuse(&[], &[], 5).is_empty());
    }
}
