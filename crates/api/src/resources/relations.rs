//! Relations between the tables of a dataset: proposed by stage 6, decided by people.

pub mod create;
pub mod decide;
pub mod delete;
pub mod list;
