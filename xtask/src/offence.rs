//! What a gate reports: a place and what is wrong there.

use std::fmt;

/// One thing that a gate refuses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Offence {
    /// Path from the workspace root, with forward slashes.
    pub path: String,
    /// Line, counted from 1, when the offence has one.
    pub line: Option<usize>,
    /// What is wrong and what would be right.
    pub message: String,
}

impl Offence {
    /// An offence of a whole file.
    pub fn file(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, message: message.into() }
    }

    /// An offence of one line; `index` counts from 0, as iterators do.
    pub fn line(path: impl Into<String>, index: usize, message: impl Into<String>) -> Self {
        Self { path: path.into(), line: Some(index + 1), message: message.into() }
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}
