//! The contract of the catalogue, run on SQLite and on Postgres.

#![allow(clippy::unwrap_used, clippy::too_many_lines)]

// the crate is called by its short name everywhere
extern crate flyquery_db as db;

mod build;
mod datasets;
mod files;
mod migrations;
mod objects;
mod ops;
mod outbox;
mod pending;
mod relations;
mod search;
mod snapshots;
mod tables;
mod transactions;
mod wall;
mod workspaces;
