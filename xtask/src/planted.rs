//! For tests: a small tree of files in a temporary folder, in which an offence can be planted.

use std::fs;

use crate::tree::Tree;

/// A temporary folder that is removed when it is dropped.
pub struct Planted {
    folder: tempfile::TempDir,
}

impl Planted {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder can be made") }
    }

    /// The same folder with one file more.
    pub fn file(self, path: &str, text: &str) -> Self {
        let full = self.folder.path().join(path);
        let parent = full.parent().expect("a file lies in a folder");
        fs::create_dir_all(parent).expect("folders can be made in a temporary folder");
        fs::write(full, text).expect("files can be written in a temporary folder");
        self
    }

    /// The folder's files.
    pub fn tree(&self) -> Tree {
        Tree::of(self.folder.path()).expect("a temporary folder can be read")
    }
}
