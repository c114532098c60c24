//! Names of the metrics this crate records; `docs/operations.md` lists them.

/// Histogram: seconds a stage took, label `stage`.
pub const STAGE_SECONDS: &str = "flyquery_stage_seconds";
