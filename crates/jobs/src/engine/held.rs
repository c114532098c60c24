//! The claims this process believes to hold, and until when it may believe it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::job::Claim;
use tokio::sync::Notify;

use crate::handler::{CancelSignal, ProgressSlot, Raiser, Signal};
use crate::heartbeat::{Beat, BeatReply};
use crate::metrics;

/// One claim.
struct Entry {
    raiser: Raiser,
    progress: ProgressSlot,
    /// Monotonic time after which the claim may have lapsed.
    trusted_until: Duration,
}

#[derive(Default)]
struct State {
    entries: HashMap<Claim, Entry>,
    /// What late-comers must heed at once.
    floor: Option<Signal>,
}

/// All of them.
#[derive(Default)]
pub(super) struct Held {
    state: Mutex<State>,
    /// The beater waits here while there is nothing to renew.
    pub(super) added: Notify,
}

impl Held {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, claim: Claim, trusted_until: Duration) -> (CancelSignal, Raiser, ProgressSlot) {
        let raiser = Raiser::new();
        let progress = ProgressSlot::default();
        let mut state = self.state();
        if let Some(floor) = state.floor {
            raiser.raise(floor);
        }
        let entry = Entry { raiser: raiser.clone(), progress: progress.clone(), trusted_until };
        state.entries.insert(claim, entry);
        metrics::running(state.entries.len());
        drop(state);
        self.added.notify_one();
        (raiser.listen(), raiser, progress)
    }

    /// Lets go of a claim. Whatever still listens (threads that outlived their handler) hears that it is lost.
    pub(super) fn remove(&self, claim: Claim) {
        let mut state = self.state();
        if let Some(entry) = state.entries.remove(&claim) {
            entry.raiser.raise(Signal::Lost);
        }
        metrics::running(state.entries.len());
    }

    pub(super) fn holds(&self, claim: Claim) -> bool {
        self.state().entries.contains_key(&claim)
    }

    pub(super) fn len(&self) -> usize {
        self.state().entries.len()
    }

    pub(super) fn beats(&self) -> Vec<Beat> {
        let state = self.state();
        state.entries.iter().map(|(claim, entry)| Beat { claim: *claim, progress: entry.progress.get() }).collect()
    }

    /// Takes the replies of a beat that was sent at a time from which `trusted_until` was counted.
    pub(super) fn answer(&self, replies: &[(Claim, BeatReply)], trusted_until: Duration) {
        let mut state = self.state();
        for (claim, reply) in replies {
            let Some(entry) = state.entries.get_mut(claim) else { continue };
            match reply {
                BeatReply::Kept => entry.trusted_until = trusted_until,
                BeatReply::CancelRequested => {
                    entry.trusted_until = trusted_until;
                    entry.raiser.raise(Signal::CancelRequested);
                }
                BeatReply::Busy => {}
                BeatReply::Lost => {
                    if entry.raiser.raise(Signal::Lost) {
                        tracing::info!(job = %claim.job_id, token = %claim.token, "the claim is lost: the job stops");
                    }
                }
            }
        }
    }

    /// Stops every job whose claim can't be trusted any more at `now`.
    pub(super) fn fence(&self, now: Duration) {
        for (claim, entry) in &self.state().entries {
            if now >= entry.trusted_until && entry.raiser.raise(Signal::Lost) {
                tracing::warn!(
                    job = %claim.job_id,
                    token = %claim.token,
                    "the claim could not be renewed in time: the job stops before its lease can end"
                );
            }
        }
    }

    /// Tells every job, and those that are still to come.
    pub(super) fn raise_all(&self, signal: Signal) {
        let mut state = self.state();
        state.floor = Some(signal);
        for entry in state.entries.values() {
            entry.raiser.raise(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{ClaimToken, JobId};

    use super::*;

    fn claim(n: u8) -> Claim {
        Claim { job_id: JobId(uuid::Uuid::from_bytes([n; 16])), token: ClaimToken(i64::from(n)) }
    }

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_claim_is_trusted_only_as_long_as_it_is_renewed() {
        let held = Held::default();
        let (kept, _, _) = held.add(claim(1), s(10));
        let (busy, _, _) = held.add(claim(2), s(10));
        held.answer(&[(claim(1), BeatReply::Kept), (claim(2), BeatReply::Busy)], s(20));
        held.fence(s(9));
        assert_eq!((kept.get(), busy.get()), (Signal::None, Signal::None));
        held.fence(s(10));
        assert_eq!((kept.get(), busy.get()), (Signal::None, Signal::Lost));
        held.fence(s(20));
        assert_eq!(kept.get(), Signal::Lost);
    }

    #[test]
    fn a_removed_claim_reads_as_lost_and_a_late_one_heeds_the_floor() {
        let held = Held::default();
        let (signal, _, _) = held.add(claim(1), s(10));
        held.raise_all(Signal::HandBack);
        assert_eq!(signal.get(), Signal::HandBack);
        held.remove(claim(1));
        assert_eq!(signal.get(), Signal::Lost);
        let (late, _, _) = held.add(claim(2), s(10));
        assert_eq!(late.get(), Signal::HandBack);
    }
}
