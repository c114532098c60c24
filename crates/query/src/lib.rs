//! SQL over published snapshots: DataFusion behind the port `domain::ports::sql::Sql`.
//!
//! A statement passes through [`parse`] (one read-only statement, bounded in depth and width, names folded by
//! [`names`]), [`catalog`] (exactly the tables handed over, each one Parquet object), [`execute`] (plan, stream, row
//! cap) and [`value`] (cells as JSON). [`engine`] runs all of it on threads of its own under limits of time, memory,
//! spill and concurrency, so that a statement never starves the server's own work.
//!
//! What does not exist here: the local file system, URLs, the environment, `information_schema`, session settings,
//! and anything that writes.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod catalog;
mod checked;
mod concat;
mod engine;
mod execute;
mod expansion;
mod functions;
mod growth;
mod names;
mod page;
mod parse;
mod problem;
mod runtime;
mod show;
mod sql_type;
mod stop;
mod sum;
mod survey;
pub mod value;

pub use engine::{QueryEngine, QuerySettings};
