//! Jobs: the durable units of work, their kinds, states and legal transitions.

mod backoff;
mod claim;
mod kind;
mod state;

pub use backoff::Backoff;
pub use claim::{Claim, ClaimToken, WorkerId};
pub use kind::JobKind;
pub use state::{IllegalTransition, JobState, Transition};
