//! The five states of a job and the transitions between them; everything else is refused here, not by chance in SQL.

use crate::closed::closed_list;

closed_list! {
    /// Where a job stands.
    pub enum JobState {
        /// Waiting for a worker, perhaps until `run_after`.
        Pending = "PENDING",
        /// Claimed by exactly one worker.
        Running = "RUNNING",
        /// Done; its effects are visible.
        Succeeded = "SUCCEEDED",
        /// Ended without effect; `result_json` says why.
        Failed = "FAILED",
        /// Ended without effect on request.
        Cancelled = "CANCELLED",
    }
}

impl JobState {
    /// Whether the state is final: a terminal job never changes again.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Pending | Self::Running => false,
            Self::Succeeded | Self::Failed | Self::Cancelled => true,
        }
    }

    /// The state after `transition`, or why it may not happen.
    pub fn apply(self, transition: Transition) -> Result<Self, IllegalTransition> {
        match (self, transition) {
            (Self::Pending, Transition::Claim) => Ok(Self::Running),
            (Self::Running, Transition::Succeed) => Ok(Self::Succeeded),
            (Self::Running, Transition::Fail) => Ok(Self::Failed),
            (Self::Pending | Self::Running, Transition::Cancel) => Ok(Self::Cancelled),
            (Self::Running, Transition::Requeue) => Ok(Self::Pending),
            (from, transition) => Err(IllegalTransition { from, transition }),
        }
    }
}

/// What can happen to a job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transition {
    /// A worker takes it.
    Claim,
    /// Its worker finished it.
    Succeed,
    /// Its worker, or the reaper at the cap, gave it up.
    Fail,
    /// A cancel request took effect.
    Cancel,
    /// Handed back, retried after a transient failure, or reaped.
    Requeue,
}

/// A transition that the state machine does not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a {from} job cannot {transition:?}")]
pub struct IllegalTransition {
    /// The state the job is in.
    pub from: JobState,
    /// What was attempted.
    pub transition: Transition,
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRANSITIONS: [Transition; 5] =
        [Transition::Claim, Transition::Succeed, Transition::Fail, Transition::Cancel, Transition::Requeue];

    #[test]
    fn terminal_states_never_change() {
        for state in JobState::ALL.iter().filter(|s| s.is_terminal()) {
            for transition in TRANSITIONS {
                assert!(state.apply(transition).is_err());
            }
        }
    }

    #[test]
    fn only_a_running_job_ends_by_its_worker() {
        assert!(JobState::Pending.apply(Transition::Succeed).is_err());
        assert!(JobState::Pending.apply(Transition::Fail).is_err());
        assert_eq!(JobState::Pending.apply(Transition::Cancel), Ok(JobState::Cancelled));
        assert!(JobState::Running.apply(Transition::Claim).is_err());
    }
}
