//! One job in one task: the handler under its time limit, a caught panic, then the end, then the next job.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::job::Claim;
use domain::{ErrorCode, Failure};
use futures::FutureExt as _;

use super::settle;
use super::{Inner, Settled};
use crate::handler::{CancelSignal, HandlerEnd, JobContext, ProgressSlot, Raiser, Signal};
use crate::metrics;
use crate::row::JobRow;

/// A claim in `held`, and a slot if it has one. Leaving it frees both and wakes the fetcher.
pub(super) struct Seat {
    inner: Arc<Inner>,
    claim: Claim,
    signal: CancelSignal,
    raiser: Raiser,
    progress: ProgressSlot,
    place: Place,
    /// The next job sits down in its place.
    chained: AtomicBool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Beside the slots: an adopted job.
    Beside,
    /// In a slot.
    Slot,
    /// In a slot, with the process for itself.
    Alone,
}

impl Seat {
    pub(super) fn beside(inner: &Arc<Inner>, job: &JobRow, trusted_until: Duration) -> Self {
        Self::take(inner, job, trusted_until, Place::Beside)
    }

    pub(super) fn slot(inner: &Arc<Inner>, job: &JobRow, trusted_until: Duration) -> Self {
        let place = if job.crash_count > 0 { Place::Alone } else { Place::Slot };
        Self::take(inner, job, trusted_until, place)
    }

    fn take(inner: &Arc<Inner>, job: &JobRow, trusted_until: Duration, place: Place) -> Self {
        let (signal, raiser, progress) = inner.held.add(job.claim(), trusted_until);
        match place {
            Place::Beside => {}
            Place::Slot => {
                inner.seated.fetch_add(1, Ordering::SeqCst);
            }
            Place::Alone => {
                inner.exclusive.store(true, Ordering::SeqCst);
                inner.seated.fetch_add(1, Ordering::SeqCst);
            }
        }
        let chained = AtomicBool::new(false);
        Self { inner: Arc::clone(inner), claim: job.claim(), signal, raiser, progress, place, chained }
    }

    pub(super) fn claim(&self) -> Claim {
        self.claim
    }

    pub(super) fn signal(&self) -> Signal {
        self.signal.get()
    }

    /// The next job takes over the slot: nothing becomes free when this one leaves.
    pub(super) fn chain(&self) {
        self.chained.store(true, Ordering::SeqCst);
    }

    /// Whether the end of this job may bring the next one: only a plain slot of a process that goes on.
    pub(super) fn may_chain(&self) -> bool {
        self.place == Place::Slot && !self.inner.stopping() && !self.inner.exclusive.load(Ordering::SeqCst)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.inner.held.remove(self.claim);
        match self.place {
            Place::Beside => {}
            Place::Slot => {
                self.inner.seated.fetch_sub(1, Ordering::SeqCst);
            }
            Place::Alone => {
                self.inner.exclusive.store(false, Ordering::SeqCst);
                self.inner.seated.fetch_sub(1, Ordering::SeqCst);
            }
        }
        if !self.chained.load(Ordering::SeqCst) {
            self.inner.wake.notify_one();
        }
    }
}

/// Runs a job, and those that its end brings, in a task of their own.
pub(super) fn seat(inner: &Arc<Inner>, seat: Seat, job: JobRow) {
    let engine = Arc::clone(inner);
    inner.jobs.spawn(async move {
        let mut turn = Some((seat, job));
        while let Some((seat, job)) = turn.take() {
            let (_, next) = run_one(&engine, seat, job).await;
            turn = next;
        }
    });
}

/// Runs one job to its end in this process; the next one when its end brought one.
pub(super) async fn run_one(inner: &Arc<Inner>, seat: Seat, job: JobRow) -> (Settled, Option<(Seat, JobRow)>) {
    let context = JobContext {
        claim: seat.claim,
        db: inner.parts.db.clone(),
        signal: seat.signal.clone(),
        progress: seat.progress.clone(),
        job: job.clone(),
    };
    let end = drive(inner, &seat, context).await;
    settle::settle(inner, seat, &job, end).await
}

/// Runs the handler: until it ends, panics, or has been told to stop and did not.
async fn drive(inner: &Inner, seat: &Seat, context: JobContext) -> HandlerEnd {
    let config = inner.config();
    let job = context.job.id;
    let run = AssertUnwindSafe(async { inner.parts.handler.run(context).await }).catch_unwind();
    tokio::pin!(run);
    let ended = tokio::select! {
        ended = &mut run => Some(ended),
        () = tokio::time::sleep(config.handler_timeout) => {
            seat.raiser.raise(Signal::TimedOut);
            None
        }
        _ = seat.signal.at_least(Signal::HandBack) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => tokio::time::timeout(config.stop_patience, &mut run).await.unwrap_or_else(|_| {
            tracing::warn!(%job, signal = ?seat.signal(), "the handler ignored the signal and is dropped");
            Ok(HandlerEnd::HandedBack)
        }),
    };
    ended.unwrap_or_else(|_panic| {
        // what a panic says may quote a cell: the process's panic hook decides what of it is shown
        let correlation = inner.parts.entropy.id();
        tracing::error!(%job, %correlation, "the handler panicked");
        metrics::panicked();
        HandlerEnd::Failed(Failure::new(
            ErrorCode::InternalError,
            format!("The job met a defect of flyquery; correlation id {correlation}."),
        ))
    })
}
