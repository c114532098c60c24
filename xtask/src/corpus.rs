//! Hands a folder of real files to the judge, the crate `flyquery-corpus`.

use std::path::Path;
use std::process::{Command, ExitCode};

/// Builds and runs the judge; its exit code is ours.
pub fn run(root: &Path, arguments: &[&str]) -> ExitCode {
    let manifest = root.join("Cargo.toml");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--manifest-path"]).arg(manifest).args(["--package", "flyquery-corpus", "--"]);
    match cargo.args(arguments).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo could not be started: {error}");
            ExitCode::from(2)
        }
    }
}
