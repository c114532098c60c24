//! One client's stream: replay, join the tailer, catch up, follow.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::Event;
use db::DbError;
use domain::{EventId, JobId, Scope, limits};
use futures::Stream;
use jobs::inspect;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

use super::frame;
use super::tailer::Live;
use crate::state::App;

/// Events read from the ledger at once.
const PAGE: u64 = limits::STREAM_BUFFER as u64;

/// Where a session stands.
enum Phase {
    /// Reads what the ledger holds.
    Replay,
    /// Reads what came between the end of the replay and the joining of the tailer.
    CatchUp(Receiver<Live>),
    /// Hears from the tailer.
    Follow(Receiver<Live>),
    /// Says what is left in the queue, then nothing.
    Done,
}

/// A stream of one job's events.
pub struct Session {
    app: App,
    scope: Scope,
    job: JobId,
    last: EventId,
    /// Whether the job had ended before the session began: its ledger can't grow any more.
    ended: bool,
    queue: VecDeque<Event>,
    phase: Phase,
    /// When the last frame was handed over, and how long the client then took nothing.
    handed: Instant,
    idle: Duration,
    _place: OwnedSemaphorePermit,
}

/// How a session begins.
pub struct Opening {
    /// Tenant and workspace.
    pub scope: Scope,
    /// The job, which is known to be in that scope.
    pub job: JobId,
    /// Everything after this event is sent.
    pub after: EventId,
    /// The id the client came with, if the ledger does not know it.
    pub reset: Option<String>,
    /// Whether the job had ended when it was looked up.
    pub ended: bool,
    /// The stream's place, given back when the stream ends.
    pub place: OwnedSemaphorePermit,
}

impl Session {
    /// The stream.
    pub fn open(app: App, opening: Opening) -> impl Stream<Item = Result<Event, Infallible>> + Send + 'static {
        let mut queue = VecDeque::from([frame::hello()]);
        queue.extend(opening.reset.as_deref().map(frame::reset));
        let session = Self {
            app,
            scope: opening.scope,
            job: opening.job,
            last: opening.after,
            ended: opening.ended,
            queue,
            phase: Phase::Replay,
            handed: Instant::now(),
            idle: Duration::ZERO,
            _place: opening.place,
        };
        futures::stream::unfold(session, |mut session| async move {
            session.idle = session.handed.elapsed();
            let event = session.next().await?;
            session.handed = Instant::now();
            Some((Ok(event), session))
        })
    }

    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Some(event);
            }
            let phase = std::mem::replace(&mut self.phase, Phase::Done);
            self.phase = match phase {
                Phase::Replay => self.replay().await,
                Phase::CatchUp(live) => self.catch_up(live).await,
                Phase::Follow(live) => self.follow(live).await,
                Phase::Done => return None,
            };
        }
    }

    async fn replay(&mut self) -> Phase {
        match self.read().await {
            Ok(Read::Last) => Phase::Done,
            Ok(Read::More) => Phase::Replay,
            Ok(Read::UpToNow) if self.ended => Phase::Done,
            Ok(Read::UpToNow) => Phase::CatchUp(self.app.tailer.watch(self.job, self.last)),
            Err(error) => self.give_up(&error),
        }
    }

    async fn catch_up(&mut self, live: Receiver<Live>) -> Phase {
        match self.read().await {
            Ok(Read::Last) => Phase::Done,
            Ok(Read::More) => Phase::CatchUp(live),
            Ok(Read::UpToNow) => Phase::Follow(live),
            Err(error) => self.give_up(&error),
        }
    }

    async fn follow(&mut self, mut live: Receiver<Live>) -> Phase {
        let heard = tokio::select! {
            heard = live.recv() => heard,
            () = self.app.shutdown.cancelled() => return Phase::Done,
        };
        match heard {
            Ok(Live::Event(event)) => {
                if event.id > self.last {
                    self.last = event.id;
                    self.queue.push_back(frame::ledger(&event));
                    if frame::is_last(&event) {
                        return Phase::Done;
                    }
                }
            }
            Ok(Live::Progress(progress)) => self.queue.push_back(frame::progress(&progress)),
            Ok(Live::End) | Err(RecvError::Closed) => return Phase::Done,
            Err(RecvError::Lagged(missed)) if self.idle > self.app.settings.stream_stall => {
                // The client comes back with Last-Event-ID and misses nothing.
                tracing::debug!(job = %self.job, missed, "a stalled stream is cut");
                return Phase::Done;
            }
            // A burst larger than the buffer: what was missed is in the ledger.
            Err(RecvError::Lagged(_)) => return Phase::CatchUp(live),
        }
        Phase::Follow(live)
    }

    /// Queues the next page of the ledger.
    async fn read(&mut self) -> Result<Read, DbError> {
        let tx = self.app.db.scope_read(&self.scope).await?;
        let page = inspect::events_after(&tx, self.job, self.last, PAGE).await?;
        tx.commit().await?;
        for event in &page {
            self.last = event.id;
            self.queue.push_back(frame::ledger(event));
            if frame::is_last(event) {
                return Ok(Read::Last);
            }
        }
        Ok(if (page.len() as u64) < PAGE { Read::UpToNow } else { Read::More })
    }

    /// A database that is away ends the stream; the client comes back.
    fn give_up(&self, error: &DbError) -> Phase {
        tracing::warn!(job = %self.job, %error, "a stream ends early");
        Phase::Done
    }
}

/// How far a page of the ledger reached.
enum Read {
    /// The job's last event is in it.
    Last,
    /// There is more.
    More,
    /// Nothing more is committed.
    UpToNow,
}
