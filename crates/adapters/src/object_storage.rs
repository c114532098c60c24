//! Object stores: one file per product, each an `object_store::ObjectStore`.

mod durable;
pub mod local;
mod staging;

pub use local::local;
pub use staging::{StagingReport, clean_staging};
