//! What benchmarks share: deterministic data of the shape that files in the wild have.

pub mod mixed_csv;
pub mod mixed_json;
