//! Schema objects of the caller's workspace.

pub mod get;
pub mod search;
pub mod update;
