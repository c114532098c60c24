//! The API over real HTTP on a real database; only the ports `Ingest`, `Sql` and `Search` are doubles.

mod bodies;
mod catalogue;
mod decisions;
mod doubles;
mod headers;
mod ingest_jobs;
mod lingering;
mod openapi;
mod problems;
mod search;
mod seed;
mod server;
mod sql;
mod streams;
mod tenancy;
mod uploads;
mod verbs;
