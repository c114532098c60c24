//! Every metric of the engine, by name.

use std::time::Duration;

use ::metrics::{counter, gauge, histogram};
use domain::{JobKind, JobState};

use crate::row::JobRow;

/// Jobs made, by kind. Counted when the row is written, before the caller's commit.
pub const ENQUEUED: &str = "flyquery_jobs_enqueued_total";
/// Claims, by kind.
pub const CLAIMED: &str = "flyquery_jobs_claimed_total";
/// Jobs that ended, by kind and state.
pub const ENDED: &str = "flyquery_jobs_ended_total";
/// Jobs that went back to the queue by their worker: handed back or after a transient failure.
pub const RETURNED: &str = "flyquery_jobs_returned_total";
/// Jobs whose lease lapsed, by what became of them.
pub const REAPED: &str = "flyquery_jobs_reaped_total";
/// Jobs that a worker stopped because its claim did not hold any more, or might not.
pub const LOST: &str = "flyquery_jobs_lost_total";
/// Handlers that panicked.
pub const PANICS: &str = "flyquery_jobs_handler_panics_total";
/// Seconds from claim to the end of a job, by kind and state.
pub const RUN_SECONDS: &str = "flyquery_jobs_run_seconds";
/// Jobs that run in this process.
pub const RUNNING: &str = "flyquery_jobs_running";
/// Polls of the queue, by whether they found work.
pub const POLLS: &str = "flyquery_jobs_polls_total";
/// Seconds a heartbeat took.
pub const BEAT_SECONDS: &str = "flyquery_jobs_beat_seconds";
/// Heartbeats that failed.
pub const BEAT_ERRORS: &str = "flyquery_jobs_beat_errors_total";

pub(crate) fn enqueued(kind: JobKind) {
    counter!(ENQUEUED, "kind" => kind.as_str()).increment(1);
}

pub(crate) fn claimed(jobs: &[JobRow]) {
    for job in jobs {
        counter!(CLAIMED, "kind" => job.kind.as_str()).increment(1);
    }
}

/// A claim was ended by its owner, or a waiting job was cancelled.
pub(crate) fn settled(job: &JobRow) {
    match job.status {
        JobState::Pending | JobState::Running => counter!(RETURNED, "kind" => job.kind.as_str()).increment(1),
        state @ (JobState::Succeeded | JobState::Failed | JobState::Cancelled) => {
            counter!(ENDED, "kind" => job.kind.as_str(), "state" => state.as_str()).increment(1);
            if let Some(elapsed) = job.elapsed_ms {
                histogram!(RUN_SECONDS, "kind" => job.kind.as_str(), "state" => state.as_str())
                    .record(elapsed as f64 / 1e3);
            }
        }
    }
}

pub(crate) fn reaped(outcome: &'static str, jobs: u64) {
    counter!(REAPED, "outcome" => outcome).increment(jobs);
}

pub(crate) fn lost() {
    counter!(LOST).increment(1);
}

pub(crate) fn panicked() {
    counter!(PANICS).increment(1);
}

pub(crate) fn running(jobs: usize) {
    gauge!(RUNNING).set(jobs as f64);
}

pub(crate) fn polled(found_work: bool) {
    counter!(POLLS, "found_work" => if found_work { "true" } else { "false" }).increment(1);
}

pub(crate) fn beat(took: Duration, ok: bool) {
    histogram!(BEAT_SECONDS).record(took.as_secs_f64());
    if !ok {
        counter!(BEAT_ERRORS).increment(1);
    }
}
