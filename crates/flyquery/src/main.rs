//! flyquery: files in, tables out. The binary reads settings, wires the parts together and runs commands.
//!
//! Every command but `serve` and `migrate` is an HTTP client: of the server that was named, of the one that holds the data
//! directory, or of one that the command starts in its own process. [`wiring`] is the only place that names concrete
//! adapters, [`settings`] the only one that reads the environment.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cli;
mod client;
mod commands;
mod error;
mod failpoints;
mod home;
mod pii_patterns;
mod render;
mod running;
mod settings;
mod shutdown;
mod telemetry;
mod wiring;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let environment = settings::Environment::of_process();
    failpoints::arm(&environment);
    match commands::run(cli.command, &environment) {
        Ok(code) => code,
        Err(error) => {
            if let Some(message) = error.message() {
                // With standard error closed there is nobody left to tell.
                drop(writeln!(std::io::stderr(), "{message}"));
            }
            error.exit_code()
        }
    }
}
