//! Time, randomness and ids: the only door through which they enter.

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// A clock that tests can move.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock, for what people see. Leases are never judged by it: SQL uses the database's own.
    fn now(&self) -> DateTime<Utc>;
    /// Time since an arbitrary point that never goes back: trust windows and durations.
    fn monotonic(&self) -> Duration;
}

/// Randomness and ids.
pub trait Entropy: Send + Sync + 'static {
    /// A new id, ordered by time (UUIDv7).
    fn id(&self) -> Uuid;
    /// A number in 0.0..1.0, for jitter.
    fn fraction(&self) -> f64;
}
