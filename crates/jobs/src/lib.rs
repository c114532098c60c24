//! The job engine: durable units of work, claimed by one worker at a time, fenced, renewed, ended once.
//!
//! Read [`protocol`] first: it tells how a job travels from PENDING to its end and why no two workers can both win.
//! The modules after it are one step each. [`engine`] drives them for a process; [`handler`] holds the traits by which
//! the rest of flyquery says what a job does and what must happen in the transaction that ends it.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod cancel;
pub mod checkpoint;
pub mod claim;
pub mod drain;
mod ending;
pub mod engine;
pub mod enqueue;
pub mod finish;
pub mod handler;
pub mod heartbeat;
pub mod inspect;
pub mod ledger;
pub mod metrics;
pub mod protocol;
pub mod reap;
pub mod row;
mod wake;

pub use cancel::{CancelAnswer, CancelEffect};
pub use checkpoint::{Guarded, Stop};
pub use claim::{ClaimRequest, Which};
pub use engine::{DrainReport, Engine, EngineConfig, EngineParts, Settled, Settling, Waker};
pub use enqueue::{Birth, NewJob, enqueue, pending_of_kind};
pub use finish::{End, Finished, Outcome};
pub use handler::{
    CancelSignal, Commit, CommitError, Effect, Handler, HandlerEnd, JobContext, NoHooks, OnTerminal, ProgressSlot,
    Signal, Success,
};
pub use heartbeat::{Beat, BeatReply};
pub use inspect::{EventFilter, Horizon, JobFilter, Listed, Standing};
pub use ledger::EventRow;
pub use reap::{ReapConfig, ReapReport};
pub use row::{JobCallback, JobRow};
