//! The workspace's own commands, run as `cargo xtask <command>`: the gates that no compiler lint can express.

mod cargo_tree;
mod corpus;
mod deny;
mod licence;
mod manifest;
mod offence;
#[cfg(test)]
mod planted;
mod source;
mod text;
mod tidy;
mod tree;

use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <command>

  tidy [CHECK…]            run every gate, or only the ones named; exit code 1 when one of them finds an offence
  tidy --list              name the gates with what each one holds
  corpus DIR [--verbose]   read the files of DIR as its manifest.tsv lists them and compare with what it expects
  help                     this text
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["tidy", "--list"] => {
            tidy::list();
            ExitCode::SUCCESS
        }
        ["tidy", checks @ ..] => tidy::run(&workspace_root(), checks),
        ["corpus", rest @ ..] if !rest.is_empty() => corpus::run(&workspace_root(), rest),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("unknown command: {}\n\n{HELP}", words.join(" "));
            ExitCode::from(2)
        }
    }
}

/// The folder that holds the workspace's manifest: the parent of this crate's.
fn workspace_root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies one folder under the workspace root").to_owned()
}
