//! The worker: it takes uploads into the store, runs jobs of every kind on the engine, and keeps house.
//!
//! [`Worker::start`] puts the parts together. [`ingest_port`] is the upload's door (stage 1 and the enqueue
//! transaction), [`kinds`] maps each kind of job to its handler, [`fence`] lets the pipeline commit under the engine's
//! claim, [`terminal`] adds what must happen in the very transaction that ends a job, [`follow_up`] makes the jobs that
//! jobs leave, [`relay`] sends outbox events to the bus and [`sweep`] removes what crashes and cancels left in the store.

#![warn(clippy::wildcard_enum_match_arm)]

mod fence;
mod follow_up;
mod ingest_port;
mod kinds;
mod metric;
mod relay;
mod start;
mod sweep;
mod terminal;
mod upload;

pub use ingest_port::IngestLimits;
pub use start::{Worker, WorkerParts, WorkerSettings};
pub use sweep::{SweepReport, Sweeper};
pub use terminal::Terminal;
