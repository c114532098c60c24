//! The machine's clock and randomness: the one place that reads them.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use domain::ports::clock::{Clock, Entropy};
use uuid::Uuid;

/// The machine's clock; its monotonic time counts from when it was made.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// A clock whose monotonic time starts at zero now.
    #[must_use]
    pub fn new() -> Self {
        Self { started: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this adapter is the door through which wall time enters")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The operating system's randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(clippy::disallowed_methods, reason = "this adapter is the door through which new ids enter")]
    fn id(&self) -> Uuid {
        Uuid::now_v7()
    }

    #[expect(clippy::disallowed_methods, reason = "this adapter is the door through which randomness enters")]
    fn fraction(&self) -> f64 {
        // The low 62 bits of a version 4 UUID are all random; 53 of them fill the significand of an f64 exactly.
        let bits = Uuid::new_v4().as_u64_pair().1 & ((1 << 53) - 1);
        bits as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_stay_in_range_and_spread() {
        let fractions: Vec<f64> = (0..2_000).map(|_| SystemEntropy.fraction()).collect();
        assert!(fractions.iter().all(|f| (0.0..1.0).contains(f)));
        let mean = fractions.iter().sum::<f64>() / 2_000.0;
        assert!((0.45..0.55).contains(&mean), "mean {mean}");
    }

    #[test]
    fn ids_are_ordered_by_time() {
        let ids: Vec<Uuid> = (0..1_000).map(|_| SystemEntropy.id()).collect();
        assert!(ids.is_sorted());
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn monotonic_time_never_goes_back() {
        let clock = SystemClock::new();
        let first = clock.monotonic();
        assert!(clock.monotonic() >= first);
    }
}
