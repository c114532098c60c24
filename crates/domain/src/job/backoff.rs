//! How long a job waits after a transient failure.

use std::time::Duration;

/// Exponential backoff with jitter that only ever lengthens the wait.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Backoff {
    /// Wait after the first failure.
    pub base: Duration,
    /// Upper bound of the wait before jitter.
    pub cap: Duration,
    /// Largest share of the wait that jitter may add, 0.0 to 1.0.
    pub jitter: f64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { base: Duration::from_secs(2), cap: Duration::from_mins(5), jitter: 0.25 }
    }
}

impl Backoff {
    /// The wait after failure number `attempt` (1 for the first); `random` in 0.0..1.0 picks the jitter.
    pub fn delay(&self, attempt: u32, random: f64) -> Duration {
        let doublings = attempt.saturating_sub(1).min(30);
        let wait = self.base.saturating_mul(1 << doublings).min(self.cap);
        wait + wait.mul_f64(self.jitter.clamp(0.0, 1.0) * random.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_up_to_the_cap_and_is_never_early() {
        let backoff = Backoff { base: Duration::from_secs(2), cap: Duration::from_secs(10), jitter: 0.5 };
        assert_eq!(backoff.delay(1, 0.0), Duration::from_secs(2));
        assert_eq!(backoff.delay(2, 0.0), Duration::from_secs(4));
        assert_eq!(backoff.delay(9, 0.0), Duration::from_secs(10));
        assert_eq!(backoff.delay(9, 1.0), Duration::from_secs(15));
        assert_eq!(backoff.delay(u32::MAX, 0.0), Duration::from_secs(10));
    }
}
