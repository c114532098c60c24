//! The files of the workspace as a commit would hold them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder and the files in it that belong to the project.
pub struct Tree {
    root: PathBuf,
    files: Vec<String>,
}

impl Tree {
    /// Lists the files: what git tracks or would add, or, where there is no git, everything but build output.
    pub fn of(root: &Path) -> io::Result<Self> {
        let mut files = match git_files(root) {
            Some(files) => files,
            None => walk(root)?,
        };
        files.retain(|path| root.join(path).is_file());
        files.sort();
        files.dedup();
        Ok(Self { root: root.to_owned(), files })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every file, as a path from the root with forward slashes, in order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Every Rust file.
    pub fn rust_files(&self) -> impl Iterator<Item = &str> {
        self.files().filter(|path| has_extension(path, "rs"))
    }

    /// The file's text; `None` when it can't be read or is not text.
    pub fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    /// Every file that is text, with its text.
    pub fn texts(&self) -> impl Iterator<Item = (&str, String)> {
        self.files().filter_map(|path| Some((path, self.text(path)?)))
    }

    /// The file's size in bytes.
    pub fn size(&self, path: &str) -> u64 {
        fs::metadata(self.root.join(path)).map_or(0, |meta| meta.len())
    }
}

/// Whether a path ends in the given extension (given in lower case).
pub fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// Whether a Rust file holds nothing but tests: a file under `tests/`, or the out-of-line body of a test module.
pub fn is_test_file(path: &str) -> bool {
    path.split('/').any(|part| part == "tests") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs")
}

fn git_files(root: &Path) -> Option<Vec<String>> {
    if !root.join(".git").exists() {
        return None;
    }
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Some(text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

fn walk(root: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            let kind = entry.file_type()?;
            if kind.is_dir() && !is_output(&entry.file_name().to_string_lossy()) {
                folders.push(path);
            } else if kind.is_file()
                && let Ok(relative) = path.strip_prefix(root)
            {
                let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
                files.push(parts.join("/"));
            }
        }
    }
    Ok(files)
}

fn is_output(folder: &str) -> bool {
    matches!(folder, ".git" | "target" | ".flyquery")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::Planted;

    #[test]
    fn build_output_is_no_part_of_the_tree() {
        let planted = Planted::new().file("src/lib.rs", "").file("target/debug/x.rs", "").file(".git/config", "");
        let tree = planted.tree();
        assert_eq!(tree.files().collect::<Vec<_>>(), ["src/lib.rs"]);
    }

    #[test]
    fn test_files_are_known_by_their_place() {
        assert!(is_test_file("crates/db/tests/it/main.rs"));
        assert!(is_test_file("crates/db/src/dialect/tests.rs"));
        assert!(!is_test_file("crates/db/src/contests.rs"));
    }
}
