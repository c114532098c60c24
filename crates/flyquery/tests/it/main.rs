//! flyquery as a whole: real processes, real files, real databases.

mod cancel;
mod cli;
mod cli_home;
mod cli_ingest;
mod cli_settings;
mod crash;
mod knowledge;
mod personal;
mod policies;
mod postgres;
mod refusal;
mod search;
mod server;
mod stream;
mod versions;
