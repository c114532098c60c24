//! Ports: what the inside needs from the outside, as traits. Adapters and wiring implement them.

pub mod bus;
pub mod clock;
pub mod describer;
pub mod embedder;
pub mod ingest;
pub mod pii_scanner;
pub mod relation_proposer;
pub mod search;
pub mod sql;
