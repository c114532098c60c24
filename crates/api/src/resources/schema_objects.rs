//! Schema objects of the caller's workspace.

pub mod get;
pub mod update;
