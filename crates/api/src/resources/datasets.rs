//! Datasets of the caller's workspace.

pub mod archive;
pub mod create;
pub mod get;
pub mod list;
pub mod update;
