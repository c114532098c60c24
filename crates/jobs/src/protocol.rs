//! The protocol, explained once.
//!
//! # One row decides
//!
//! A job is a row of `flyquery_ingest_jobs`. Whoever wants to change it locks that row (Postgres: `FOR UPDATE`;
//! SQLite: the one writer) and says in the WHERE of the write what it believes the row to be. There is no other lock,
//! no leader, and no message whose loss matters: the bus only shortens the wait until the next poll.
//!
//! ```text
//!             enqueue                 claim (+1 claim_token, +1 attempts)
//!               │            ┌──────────────────────────────────────────┐
//!               ▼            │                                          ▼
//!            PENDING ────────┘                                       RUNNING ──── checkpoint (stage commits)
//!            │   ▲                                                   │  │  │
//!     cancel │   └── hand back · transient failure · reaped ─────────┘  │  └── finish ──► SUCCEEDED
//!            ▼                                                          │       finish, reap at the cap ──► FAILED
//!        CANCELLED ◄──────────── finish, reap or hand-back of a job whose cancel was requested
//! ```
//!
//! # The fence
//!
//! `claim_token` grows by one at every claim and never shrinks. Every write of a worker carries `id`, `claim_token`
//! and `status = 'RUNNING'`. A worker whose job was reaped, re-claimed or ended matches no row and stops, silently:
//! it can neither checkpoint, publish, end the job, nor write a ledger event ([`crate::checkpoint::Stop::Fenced`]).
//!
//! # The lease
//!
//! A claim is good until `lease_until`, by the database's clock. [`crate::heartbeat`] renews all leases of a process
//! in one statement per beat, carries progress, and learns of cancel requests and losses. On Postgres it passes over
//! rows that another transaction holds at that moment ([`crate::heartbeat::BeatReply::Busy`]), so that a long stage
//! commit of one job does not keep the others from being renewed. A process that can't renew (database away, process
//! stopped) counts from *before* it sent its last good beat on its own monotonic clock, and stops the job with a margin
//! before `lease_until` can pass ([`crate::handler::Signal::Lost`]). A worker that was frozen past that is caught by
//! the fence.
//!
//! [`crate::reap`] sends what lapsed back to the queue. Anyone may run it, any number at once.
//!
//! # Attempts
//!
//! `attempts` is charged at the claim, so that a worker that dies has paid. A graceful hand-back gives the charge
//! back. A job that fails transiently, or is reaped, at the cap ends FAILED: a dead letter. `crash_count` only
//! remembers reaps; a job that has crashed a worker runs alone in its process from then on ([`crate::claim::Which`]).
//!
//! # The end
//!
//! [`crate::finish`] is one transaction:
//!
//! 1. lock the row by id, token and RUNNING; no row: stop.
//! 2. was a cancel requested? Then the job ends CANCELLED, whatever the worker had to say, and steps 3 and 4 are
//!    those of a cancelled job.
//! 3. on success, [`crate::handler::Commit::apply`] publishes and gives the ledger its `published` events. An error
//!    rolls everything back.
//! 4. status, result, times; the `final` or `error` event; [`crate::handler::OnTerminal::ended`] (schema events,
//!    callbacks).
//! 5. the next job is claimed.
//! 6. COMMIT. Status, events, publish, callbacks and the next claim become visible together: whoever sees a terminal
//!    event sees a terminal row.
//!
//! Whoever else ends a job (cancel of a PENDING one, reap at the cap, hand-back of a cancelled one) runs the same
//! step 4.
//!
//! ## Cancel against success
//!
//! The row lock of step 1 is the instant at which stage 10 begins. A cancel request takes the same lock:
//!
//! * it got the lock first: the flag is set, the finish that comes after it reads the flag and ends the job CANCELLED;
//!   nothing is published, for nothing of stage 10 has begun.
//! * the finish got the lock first: the request waits, then finds a terminal row and answers with its state. If that
//!   finish rolls back instead, the request finds the row RUNNING and sets the flag, and the repeated finish reads it.
//!
//! There is no third order. [`crate::checkpoint::begin`] reads the flag under the same lock, so a cancelled job commits
//! no stage after the request either.
//!
//! ## A commit whose answer was lost
//!
//! When the connection breaks during COMMIT, the worker does not know whether it ended the job. It simply finishes
//! again: a row that is still RUNNING with its token was not ended; a row that no longer is was, and the row says how.
//! The claim of the next job may have been lost from sight with the answer; such a job is found again by its
//! `worker_id` ([`crate::claim::held_by`]).
//!
//! # The ledger
//!
//! Events of a job are inserted under its row lock, so within a job ids grow in commit order and a reader that has
//! seen id *n* has missed none below it. Across jobs that does not hold: a reader of many jobs keeps one cursor per job
//! ([`crate::inspect::tail`]). `queued`, then per attempt `running`, the stages' events and `requeued` if it went
//! back, and at last exactly one `final` or `error`.
//!
//! # Time
//!
//! Instants in rows are the database's `now()`; no process compares them with its own clock. Durations cross as
//! seconds.
