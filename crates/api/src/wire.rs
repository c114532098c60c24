//! The wire's shapes (contract section 2): what JSON bodies hold, with their names and nulls.

pub mod dataset;
pub mod job;
pub mod page;
pub mod relation;
pub mod schema_object;
pub mod search;
pub mod service;
pub mod sql;
pub mod table;
pub mod upload;
pub mod words;
pub mod workspace;
