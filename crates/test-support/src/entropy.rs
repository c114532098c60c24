//! Ids and randomness that are the same in every run.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::ports::clock::Entropy;
use uuid::Uuid;

/// Counts: the ids it gives grow, look like version 7, and repeat in the next run.
#[derive(Debug, Default)]
pub struct TestEntropy {
    next: AtomicU64,
}

impl Entropy for TestEntropy {
    fn id(&self) -> Uuid {
        let n = self.next.fetch_add(1, Ordering::SeqCst) + 1;
        Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | u128::from(n))
    }

    fn fraction(&self) -> f64 {
        let n = self.next.fetch_add(1, Ordering::SeqCst) + 1;
        // the golden ratio spreads consecutive numbers evenly
        (n as f64 * 0.618_033_988_749_895).fract()
    }
}
