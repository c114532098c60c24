//! A claim: the proof that a worker holds a job, carried in every later write.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::id::JobId;

/// The fencing token: grows by one at every claim of a job and never goes down.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClaimToken(pub i64);

impl fmt::Display for ClaimToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A worker process, named by a random id per boot; never by host name, which a restarted pod reuses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WorkerId(pub Uuid);

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Job and token together: what stands in the WHERE of every write a worker makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// The job.
    pub job_id: JobId,
    /// The token of this claim of it.
    pub token: ClaimToken,
}
