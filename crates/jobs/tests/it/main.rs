//! The contract of the engine, run on SQLite and on Postgres.

#![allow(clippy::unwrap_used, clippy::too_many_lines)]

// crates are called by their short names everywhere
extern crate flyquery_jobs as jobs;

mod beating;
mod build;
mod cancelling;
mod claiming;
mod engine;
mod engine_faults;
mod fencing;
mod finishing;
mod model;
mod reading;
mod reaping;
mod stage;
