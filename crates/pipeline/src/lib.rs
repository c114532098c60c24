//! The ten stages that turn an uploaded file into published tables.
//!
//! [`run::ingest`] is the flow: ten calls in a row. [`step`] does what surrounds each of them: cancel check, timer,
//! fail points, checkpoint and ledger events, committed in one transaction under the job's fence. What a stage hands to
//! the next is typed ([`checkpoint::After`]), so a wrong order does not compile, and serialisable, so a job that is
//! claimed again resumes after its last committed stage.
//!
//! The crate knows neither bus nor HTTP nor how jobs are claimed: the fence comes in as [`fence::Fence`].

#![warn(clippy::wildcard_enum_match_arm)]

pub mod blobs;
pub mod checkpoint;
pub mod column_scan;
pub mod context;
pub mod failure;
pub mod fence;
pub mod first_look;
mod metric;
mod objects;

pub mod publish_plan;
pub mod run;
mod search;
pub mod single;
pub mod stages;
pub mod step;
mod stored_parquet;

pub use context::{Context, PipelineSettings, Ports};
pub use failure::Stop;
pub use fence::{Fence, GuardedTx, Halt};
pub use publish_plan::PublishPlan;
pub use search::ObjectSearch;
