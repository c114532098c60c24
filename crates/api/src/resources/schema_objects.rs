//! Schema objects of the caller's workspace.

pub mod get;
pub mod rename_merge;
pub mod search;
pub mod update;
