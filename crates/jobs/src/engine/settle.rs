//! From a handler's end to the row's: which write it becomes, and how it is repeated when the database does not answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use db::DbError;
use domain::{ErrorCode, Failure, FailureClass, JobState};

use super::slot::Seat;
use super::{Inner, Settled};
use crate::checkpoint::Stop;
use crate::claim::Which;
use crate::drain::hand_back;
use crate::finish::{End, Outcome, finish};
use crate::handler::{Commit, HandlerEnd, Signal, timed_out};
use crate::metrics;
use crate::row::JobRow;

/// How often one outcome is tried before a simpler one takes its place.
const TRIES: u32 = 8;
/// Longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// What becomes of the claim.
enum Verdict {
    Finish(Outcome, Option<Box<dyn Commit>>),
    HandBack,
    Nothing,
}

/// Ends the claim in the database; the next job when the end brought one.
pub(super) async fn settle(
    inner: &Arc<Inner>,
    seat: Seat,
    job: &JobRow,
    end: HandlerEnd,
) -> (Settled, Option<(Seat, JobRow)>) {
    let (outcome, commit) = match judge(inner, seat.signal(), job, end) {
        Verdict::Finish(outcome, commit) => (outcome, commit),
        Verdict::HandBack => return (give_back(inner, &seat).await, None),
        Verdict::Nothing => return (lost(&seat), None),
    };
    let mut ending = Finishing { inner, seat: &seat, job, outcome, commit, in_doubt: false, tries: 0 };
    let failure = |outcome: &Outcome| match outcome {
        Outcome::Failed(failure) | Outcome::Retry { failure, .. } => Some(failure.clone()),
        Outcome::Succeeded { .. } | Outcome::Cancelled => None,
    };
    match ending.run().await {
        Some((job, next)) => {
            let failure = failure(&ending.outcome);
            (settled(job, failure), next)
        }
        None => (lost(&seat), None),
    }
}

fn settled(job: JobRow, failure: Option<Failure>) -> Settled {
    match job.status {
        JobState::Pending | JobState::Running => Settled::Requeued(job.id, failure),
        JobState::Failed => Settled::Ended(Box::new(job), failure),
        JobState::Succeeded | JobState::Cancelled => Settled::Ended(Box::new(job), None),
    }
}

fn lost(seat: &Seat) -> Settled {
    metrics::lost();
    Settled::Lost(seat.claim().job_id)
}

/// What the handler said, seen together with what it had been told.
fn judge(inner: &Inner, signal: Signal, job: &JobRow, end: HandlerEnd) -> Verdict {
    if signal == Signal::Lost {
        return Verdict::Nothing;
    }
    let stopped = match end {
        HandlerEnd::Lost => return Verdict::Nothing,
        HandlerEnd::Succeeded(success) => {
            let outcome = Outcome::Succeeded {
                result: success.result,
                table: success.table,
                snapshot: success.snapshot,
                cost_cents: success.cost_cents,
            };
            return Verdict::Finish(outcome, success.commit);
        }
        HandlerEnd::Failed(failure) if failure.class() != FailureClass::Cancelled => {
            return Verdict::Finish(of_failure(inner, job, failure), None);
        }
        HandlerEnd::Failed(_) | HandlerEnd::Cancelled => HandlerEnd::Cancelled,
        HandlerEnd::HandedBack => HandlerEnd::HandedBack,
    };
    // it stopped: for which reason is the signal's to say, since a handler may only know that it should
    match (signal, stopped) {
        (Signal::TimedOut, _) => {
            let limit = inner.config().handler_timeout.as_secs_f64();
            Verdict::Finish(of_failure(inner, job, timed_out(limit)), None)
        }
        (Signal::HandBack, _) | (Signal::None, HandlerEnd::HandedBack) => Verdict::HandBack,
        _ => Verdict::Finish(Outcome::Cancelled, None),
    }
}

fn of_failure(inner: &Inner, job: &JobRow, failure: Failure) -> Outcome {
    match failure.class() {
        FailureClass::Transient => {
            let delay = inner.config().backoff.delay(job.attempts, inner.parts.entropy.fraction());
            Outcome::Retry { failure, delay }
        }
        FailureClass::Cancelled => Outcome::Cancelled,
        FailureClass::Rejected | FailureClass::Bug => Outcome::Failed(failure),
    }
}

/// Hands back until it came through or the claim can't be trusted any more.
async fn give_back(inner: &Inner, seat: &Seat) -> Settled {
    let parts = &inner.parts;
    for attempt in 1..=TRIES {
        match hand_back(&parts.db, &*parts.entropy, seat.claim(), &*parts.terminal).await {
            Ok(job) => {
                if job.status == JobState::Pending {
                    inner.handed_back.fetch_add(1, Ordering::SeqCst);
                }
                return settled(job, None);
            }
            Err(Stop::Db(error)) => {
                tracing::warn!(%error, job = %seat.claim().job_id, "a job could not be handed back yet");
                pause(inner, attempt).await;
            }
            // after a lost COMMIT this is the hand-back itself
            Err(Stop::Fenced | Stop::Cancelled | Stop::Commit(_)) => break,
        }
        if seat.signal() == Signal::Lost {
            break;
        }
    }
    lost(seat)
}

async fn pause(inner: &Inner, attempt: u32) {
    let wait = Duration::from_millis(50) * 2_u32.saturating_pow(attempt.min(10));
    tokio::time::sleep(wait.min(LONGEST_WAIT).mul_f64(0.5 + 0.5 * inner.parts.entropy.fraction())).await;
}

/// A finish that is repeated until it is through.
struct Finishing<'a> {
    inner: &'a Arc<Inner>,
    seat: &'a Seat,
    job: &'a JobRow,
    outcome: Outcome,
    commit: Option<Box<dyn Commit>>,
    /// A try may have come through without our hearing of it.
    in_doubt: bool,
    tries: u32,
}

type Through = (JobRow, Option<(Seat, JobRow)>);

impl Finishing<'_> {
    async fn run(&mut self) -> Option<Through> {
        loop {
            if self.seat.signal() == Signal::Lost {
                return None;
            }
            match self.try_once().await {
                Ok(through) => return Some(through),
                Err(Stop::Fenced) if self.in_doubt => return self.look().await.map(|job| (job, None)),
                Err(Stop::Fenced | Stop::Cancelled) => return None,
                Err(Stop::Commit(failure)) => {
                    self.outcome = of_failure(self.inner, self.job, failure);
                    self.commit = None;
                }
                Err(Stop::Db(error)) => self.after(error).await?,
            }
        }
    }

    async fn try_once(&self) -> Result<Through, Stop> {
        let inner = self.inner;
        let guard = inner.claiming.read().await;
        let request = self.seat.may_chain().then(|| inner.config().claim(1, Which::Healthy));
        let since = inner.now();
        let end = End {
            claim: self.seat.claim(),
            outcome: self.outcome.clone(),
            commit: self.commit.as_deref(),
            terminal: &*inner.parts.terminal,
            max_attempts: inner.config().max_attempts,
            next: request.as_ref(),
        };
        let finished = finish(&inner.parts.db, end).await;
        if request.is_some() && matches!(finished, Err(Stop::Db(_))) {
            inner.strays.store(true, Ordering::SeqCst);
        }
        let finished = finished?;
        let next = finished.next.into_iter().next().map(|job| {
            self.seat.chain();
            (Seat::slot(inner, &job, inner.trusted(since, inner.config().lease)), job)
        });
        drop(guard);
        Ok((finished.job, next))
    }

    /// After a database error: wait and try again, or give up the outcome for a simpler one, or give up. `None` is the
    /// latter: the lease lapses and the reaper decides.
    async fn after(&mut self, error: DbError) -> Option<()> {
        self.in_doubt = true;
        self.tries += 1;
        let again = error.is_transient() || matches!(error, DbError::Conflict { .. });
        tracing::warn!(%error, job = %self.job.id, tries = self.tries, "the end of a job could not be written");
        if again && self.tries < TRIES {
            pause(self.inner, self.tries).await;
            return Some(());
        }
        self.tries = 0;
        self.commit = None;
        self.outcome = match &self.outcome {
            Outcome::Succeeded { .. } if again => {
                let detail = format!("The result could not be committed: {error}.");
                of_failure(self.inner, self.job, Failure::new(ErrorCode::InfrastructureUnavailable, detail))
            }
            Outcome::Succeeded { .. } => Outcome::Failed(error.into()),
            Outcome::Failed(_) | Outcome::Retry { .. } | Outcome::Cancelled => return None,
        };
        Some(())
    }

    /// How a job whose COMMIT was in doubt really ended.
    async fn look(&self) -> Option<JobRow> {
        let tx = self.inner.parts.db.scope_read(&self.job.scope).await.ok()?;
        let job = crate::inspect::get(&tx, self.job.id).await.ok()??;
        // a greater token means that somebody else runs it by now
        (job.token == self.seat.claim().token && job.status != JobState::Running).then_some(job)
    }
}
