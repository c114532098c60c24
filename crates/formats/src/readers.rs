//! One module per format.

pub mod csv;
pub mod json;
pub mod parquet;
