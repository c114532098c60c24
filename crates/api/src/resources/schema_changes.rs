//! Differences between snapshots, as people decide on them.

pub mod confirm;
