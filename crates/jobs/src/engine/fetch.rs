//! The fetcher: the one task of a process that polls. It reaps what lapsed, claims into free slots, gives a crashed job
//! the process for itself, and sleeps as long as it may.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use db::DbError;

use super::Inner;
use super::slot::{self, Seat};
use crate::claim::{self, Which};
use crate::inspect::{self, Horizon};
use crate::metrics;
use crate::reap;

/// Shortest sleep, so that a lease that is just about to end costs no spin.
const SHORTEST: Duration = Duration::from_millis(20);

/// What a poll found.
struct Found {
    work: bool,
    horizon: Horizon,
}

/// Runs until the engine stops.
pub(super) async fn run(inner: Arc<Inner>) {
    let mut pause = inner.config().poll_busy;
    // when the crashed job began to wait for the process
    let mut waiting_since: Option<Duration> = None;
    while !inner.stopping() {
        let found = poll(&inner, &mut waiting_since).await;
        let sleep = match found {
            Ok(found) => {
                metrics::polled(found.work);
                *inner.last_poll.lock().unwrap_or_else(PoisonError::into_inner) = Some(inner.now());
                pause = if found.work { inner.config().poll_busy } else { (pause * 2).min(inner.config().poll_idle) };
                wait(&inner, pause, &found.horizon)
            }
            Err(error) => {
                tracing::warn!(%error, "the queue could not be polled");
                pause = (pause * 2).min(inner.config().poll_idle);
                wait(&inner, pause, &Horizon::default())
            }
        };
        tokio::select! {
            () = inner.stop.cancelled() => return,
            () = inner.wake.notified() => {}
            () = tokio::time::sleep(sleep) => {}
        }
    }
}

/// Jitter only shortens the wait; it never lasts past the next lease or postponed job.
fn wait(inner: &Inner, pause: Duration, horizon: &Horizon) -> Duration {
    let pause = pause.mul_f64(1.0 - 0.25 * inner.parts.entropy.fraction());
    let hints = [horizon.next_lease, horizon.next_due].into_iter().flatten();
    // what is already over was dealt with just now, or is in another's hands
    hints.filter(|hint| !hint.is_zero()).fold(pause, Duration::min).max(SHORTEST)
}

async fn poll(inner: &Arc<Inner>, waiting_since: &mut Option<Duration>) -> Result<Found, DbError> {
    let config = inner.config();
    let mut work = false;
    if inner.strays.load(Ordering::SeqCst) {
        adopt_strays(inner).await?;
    }
    let mut horizon = look(inner).await?;
    if horizon.expired || horizon.exhausted {
        let terminal = &*inner.parts.terminal;
        let report = reap::reap(&inner.parts.db, &*inner.parts.entropy, &config.reap(), terminal).await?;
        if report.total() > 0 {
            tracing::info!(?report, "reaped jobs of lost workers");
            work = true;
            horizon = look(inner).await?;
        }
    }
    if horizon.crashed || inner.exclusive.load(Ordering::SeqCst) {
        work |= run_crashed(inner, &horizon, waiting_since).await?;
    } else if horizon.claimable && inner.free_slots() > 0 {
        work |= fill(inner, inner.free_slots(), Which::Healthy).await? > 0;
    }
    Ok(Found { work, horizon })
}

async fn look(inner: &Inner) -> Result<Horizon, DbError> {
    let tx = inner.parts.db.fleet_read().await?;
    let horizon = inspect::horizon(&tx, inner.config().max_attempts, inner.config().processing_lease).await?;
    tx.commit().await?;
    Ok(horizon)
}

/// A crashed job runs alone in its process (decision 63): claim nothing, wait until everything has left, run it, go on.
/// Sync uploads that keep coming can't hold it up longer than a handler may run.
async fn run_crashed(
    inner: &Arc<Inner>,
    horizon: &Horizon,
    waiting_since: &mut Option<Duration>,
) -> Result<bool, DbError> {
    let running_it = inner.exclusive.load(Ordering::SeqCst) && waiting_since.is_none();
    if running_it {
        return Ok(false);
    }
    if !horizon.crashed {
        // another process took it
        *waiting_since = None;
        inner.exclusive.store(false, Ordering::SeqCst);
        inner.wake.notify_one();
        return Ok(false);
    }
    inner.exclusive.store(true, Ordering::SeqCst);
    let since = *waiting_since.get_or_insert(inner.now());
    let waited = inner.now().saturating_sub(since);
    let empty = inner.held.len() == 0;
    let slots_empty = inner.seated.load(Ordering::SeqCst) == 0;
    let overdue = slots_empty && waited > inner.config().handler_timeout;
    if !(empty || overdue) {
        return Ok(false);
    }
    *waiting_since = None;
    let claimed = match fill(inner, 1, Which::Crashed).await {
        Ok(claimed) => claimed,
        Err(error) => {
            inner.exclusive.store(false, Ordering::SeqCst);
            return Err(error);
        }
    };
    if claimed == 0 {
        inner.exclusive.store(false, Ordering::SeqCst);
        inner.wake.notify_one();
    }
    Ok(claimed > 0)
}

/// Claims and seats jobs; how many.
async fn fill(inner: &Arc<Inner>, slots: usize, which: Which) -> Result<usize, DbError> {
    let guard = inner.claiming.read().await;
    if inner.stopping() {
        return Ok(0);
    }
    let since = inner.now();
    let claimed = claim::claim(&inner.parts.db, &inner.config().claim(slots, which)).await;
    let jobs = match claimed {
        Ok(jobs) => jobs,
        Err(error) => {
            inner.strays.store(true, Ordering::SeqCst);
            return Err(error);
        }
    };
    let count = jobs.len();
    for job in jobs {
        slot::seat(inner, Seat::slot(inner, &job, inner.trusted(since, inner.config().lease)), job);
    }
    drop(guard);
    Ok(count)
}

/// A claim whose answer was lost left jobs that are ours without our knowing. They are run for what is left of their
/// leases.
async fn adopt_strays(inner: &Arc<Inner>) -> Result<(), DbError> {
    // no claim is under way while this is held
    let guard = inner.claiming.write().await;
    if inner.stopping() {
        return Ok(());
    }
    let since = inner.now();
    let tx = inner.parts.db.fleet_read().await?;
    let ours = claim::held_by(&tx, inner.config().worker).await?;
    tx.commit().await?;
    inner.strays.store(false, Ordering::SeqCst);
    for (job, left) in ours.into_iter().filter(|(job, _)| !inner.held.holds(job.claim())) {
        tracing::warn!(job = %job.id, "found a claim of ours whose answer was lost");
        slot::seat(inner, Seat::slot(inner, &job, inner.trusted(since, left)), job);
    }
    drop(guard);
    Ok(())
}
