//! The gates: rules of the project that neither the compiler nor clippy knows. One file each, one line each in `CHECKS`.

mod crate_edges;
mod dependencies;
mod file_heads;
mod file_length;
mod file_size;
mod ignored_tests;
mod lints;
mod machine_paths;
mod module_names;
mod problem_pages;
mod registry_hosts;
mod sleeping_tests;
mod unfinished;
mod wildcard_arms;
mod workplace_words;

use std::path::Path;
use std::process::ExitCode;

use crate::offence::Offence;
use crate::tree::Tree;

/// One gate.
struct Check {
    name: &'static str,
    holds: &'static str,
    run: fn(&Tree) -> Vec<Offence>,
}

const CHECKS: &[Check] = &[
    Check {
        name: "crate-edges",
        holds: "a crate depends only on those below it and on no outside crate that its layer must not know",
        run: crate_edges::check,
    },
    Check {
        name: "lints",
        holds: "every crate takes the workspace's lints, domain documents all of itself",
        run: lints::check,
    },
    Check { name: "file-length", holds: "the body of a Rust file has at most 400 lines", run: file_length::check },
    Check { name: "file-heads", holds: "every Rust file says at its top what it is for", run: file_heads::check },
    Check { name: "module-names", holds: "no module is called after nothing in particular", run: module_names::check },
    Check {
        name: "wildcard-arms",
        holds: "a match over an enum of ours names every variant",
        run: wildcard_arms::check,
    },
    Check { name: "unfinished", holds: "nothing is left to do in what is shipped", run: unfinished::check },
    Check { name: "ignored-tests", holds: "every test runs", run: ignored_tests::check },
    Check { name: "sleeping-tests", holds: "no test waits by the clock", run: sleeping_tests::check },
    Check { name: "machine-paths", holds: "no path of one machine stands in a file", run: machine_paths::check },
    Check { name: "workplace-words", holds: "no file talks about who typed it", run: workplace_words::check },
    Check { name: "registry-hosts", holds: "no file names the host of a package registry", run: registry_hosts::check },
    Check { name: "file-size", holds: "no file is larger than 512 KiB", run: file_size::check },
    Check {
        name: "problem-pages",
        holds: "every error code has its page, every page its code",
        run: problem_pages::check,
    },
    Check {
        name: "dependencies",
        holds: "licences, bans, single versions and sources are as deny.toml says",
        run: dependencies::check,
    },
];

/// Prints the gates.
pub fn list() {
    for check in CHECKS {
        println!("{:<16} {}", check.name, check.holds);
    }
}

/// Runs all gates, or those named, over the workspace, and prints what they refuse.
pub fn run(root: &Path, names: &[&str]) -> ExitCode {
    if let Some(unknown) = names.iter().find(|name| CHECKS.iter().all(|check| check.name != **name)) {
        eprintln!("there is no check '{unknown}'; `cargo xtask tidy --list` names them");
        return ExitCode::from(2);
    }
    let tree = match Tree::of(root) {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("{} cannot be read: {error}", root.display());
            return ExitCode::from(2);
        }
    };
    let mut refused = 0;
    for check in CHECKS.iter().filter(|check| names.is_empty() || names.contains(&check.name)) {
        let mut offences = (check.run)(&tree);
        offences.sort();
        for offence in &offences {
            println!("{}: {offence}", check.name);
        }
        refused += offences.len();
    }
    if refused == 0 {
        println!("tidy: {} files, nothing to refuse", tree.files().count());
        return ExitCode::SUCCESS;
    }
    println!("tidy: {refused} offences");
    ExitCode::FAILURE
}
