//! Workspaces: made, listed, read and changed with the tenant header alone (decisions 6 and 69).

pub mod create;
pub mod get;
pub mod list;
pub mod update;
