//! Removes the half-written files that a crash left in a local store.

use std::io;
use std::path::Path;

/// What [`clean_staging`] removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StagingReport {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Removes every staging file (`<key>#<number>`, the local store's name for an upload that is not complete) below
/// `root`, and the folders that are empty without them. Only whoever holds the root's lock may call it, and before any
/// upload starts: it cannot tell a dead upload from a running one. Symbolic links are not followed. Blocking.
pub fn clean_staging(root: &Path) -> io::Result<StagingReport> {
    let mut report = StagingReport::default();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let mut removed = false;
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && entry.file_name().to_str().is_some_and(is_staging) {
                report.files += 1;
                report.bytes += entry.metadata()?.len();
                std::fs::remove_file(entry.path())?;
                removed = true;
            }
        }
        if removed {
            remove_empty(root, &folder);
        }
    }
    Ok(report)
}

/// The rule by which the local store itself tells staging files from objects.
fn is_staging(name: &str) -> bool {
    name.split_once('#').is_some_and(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Removes `folder` and the folders above it, up to the root, as long as they are empty.
fn remove_empty(root: &Path, folder: &Path) {
    for folder in folder.ancestors().take_while(|folder| *folder != root) {
        if std::fs::remove_dir(folder).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_stores_own_staging_names_count() {
        for (name, staging) in
            [("a.csv#1", true), ("a#12", true), ("a.csv", false), ("a#", false), ("a#b", false), ("a#1#b", false)]
        {
            assert_eq!(is_staging(name), staging, "{name}");
        }
    }
}
