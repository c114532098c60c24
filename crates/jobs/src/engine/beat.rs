//! The beater: renews every claim of the process in one statement per beat, and fences the process off by its own clock
//! when it can't.

use std::sync::Arc;
use std::time::Duration;

use domain::job::Claim;

use super::Inner;
use crate::heartbeat::{self, BeatReply};
use crate::metrics;

/// Runs until the last job is settled and the engine says so.
pub(super) async fn run(inner: Arc<Inner>) {
    let period = inner.config().beat;
    loop {
        if inner.held.len() == 0 {
            tokio::select! {
                () = inner.stop_beats.cancelled() => return,
                () = inner.held.added.notified() => {}
            }
        }
        tokio::select! {
            () = inner.stop_beats.cancelled() => return,
            () = tokio::time::sleep(period) => {}
        }
        let sent = inner.now();
        inner.held.fence(sent);
        let replies = renew(&inner, period).await;
        metrics::beat(inner.now().saturating_sub(sent), replies.is_some());
        if let Some(replies) = replies {
            inner.held.answer(&replies, inner.trusted(sent, inner.config().lease));
        }
        inner.held.fence(inner.now());
    }
}

/// One beat; `None` when it failed. While the database takes its time, trust is judged on.
async fn renew(inner: &Inner, period: Duration) -> Option<Vec<(Claim, BeatReply)>> {
    let beats = inner.held.beats();
    let call = heartbeat::beat(&inner.parts.beat_db, &beats, inner.config().lease);
    tokio::pin!(call);
    loop {
        tokio::select! {
            replies = &mut call => {
                return match replies {
                    Ok(replies) => Some(replies),
                    Err(error) => {
                        tracing::warn!(%error, jobs = beats.len(), "a heartbeat failed");
                        None
                    }
                };
            }
            () = tokio::time::sleep(period) => inner.held.fence(inner.now()),
        }
    }
}
