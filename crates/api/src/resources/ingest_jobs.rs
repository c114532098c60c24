//! Jobs of the caller's workspace, their ledger and its live stream.

pub mod cancel;
pub mod create;
pub mod events;
pub mod get;
pub mod list;
pub mod stream;

use db::Tx;
use domain::JobId;
use jobs::{JobRow, inspect};

use crate::problem::Problem;

/// The job of that id.
async fn job(tx: &Tx, id: JobId) -> Result<JobRow, Problem> {
    inspect::get(tx, id).await?.ok_or_else(|| Problem::not_found("job", id))
}
