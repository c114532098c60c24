//! The packages that are really built, as `cargo tree` resolves them: the lock file also lists optional ones that are not.

use std::path::Path;
use std::process::Command;

/// A package of the dependency tree.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Package {
    /// Name.
    pub name: String,
    /// Version, without the `v`.
    pub version: String,
    /// Licence expression; empty when the package names none.
    pub licence: String,
    /// Whether it lies in this workspace.
    pub own: bool,
}

/// Asks cargo for every package that the workspace builds on this platform.
pub fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let arguments = ["tree", "--workspace", "--locked", "--prefix", "none", "--format", "{p}|{l}"];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo tree could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

/// Reads the lines `name v1.2.3 (path or mark)|licence`.
pub fn parse(text: &str) -> Vec<Package> {
    let mut packages: Vec<Package> = text.lines().filter_map(package).collect();
    packages.sort();
    packages.dedup();
    packages
}

fn package(line: &str) -> Option<Package> {
    let (head, licence) = line.rsplit_once('|')?;
    let mut words = head.split_whitespace();
    let name = words.next()?.to_owned();
    let version = words.next()?.trim_start_matches('v').to_owned();
    let own = words.any(|word| word.starts_with("(/"));
    let licence = licence.trim_end_matches("(*)").trim().to_owned();
    Some(Package { name, version, licence, own })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_packages_once_each() {
        let text = "flyquery v0.1.0 (/somewhere/crates/flyquery)|Apache-2.0\n\nserde v1.0.1|MIT OR Apache-2.0\n\
                    serde v1.0.1|MIT OR Apache-2.0 (*)\nserde_derive v1.0.1 (proc-macro)|MIT\n";
        let packages = parse(text);
        let names: Vec<(&str, bool)> = packages.iter().map(|p| (p.name.as_str(), p.own)).collect();
        assert_eq!(names, [("flyquery", true), ("serde", false), ("serde_derive", false)]);
        assert_eq!(packages[1].licence, "MIT OR Apache-2.0");
    }
}
