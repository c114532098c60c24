//! The one task that looks at the ledger for every stream of the process: one statement for all watched jobs, and no
//! statement at all while nobody watches.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use db::{Db, DbError};
use domain::event::{Progress, topic};
use domain::ports::bus::{EventBus, Subscription};
use domain::{EventId, JobId, JobState, limits};
use jobs::{EventRow, inspect};
use tokio::sync::broadcast::{Receiver, Sender};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::state::ApiState;

/// Jobs asked for in one statement.
const JOBS_AT_ONCE: usize = 500;
/// Events taken from the ledger at once; the rest comes with the next look, which then follows immediately.
const EVENTS_AT_ONCE: u64 = 1_000;
/// Shortest wait between two looks, however often the bus wakes.
const SHORTEST_WAIT: Duration = Duration::from_millis(25);

/// What a watcher hears.
#[derive(Clone, Debug)]
pub enum Live {
    /// A ledger event.
    Event(Arc<EventRow>),
    /// Progress inside a stage.
    Progress(Arc<Progress>),
    /// The job has ended and its ledger holds nothing more, or the job is gone.
    End,
}

/// A handle on the task.
#[derive(Clone)]
pub struct Tailer(Arc<Shared>);

struct Shared {
    db: Db,
    bus: Arc<dyn EventBus>,
    shutdown: CancellationToken,
    tasks: TaskTracker,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    watched: HashMap<JobId, Watched>,
    running: bool,
}

struct Watched {
    cursor: EventId,
    progress: Option<Progress>,
    sender: Sender<Live>,
}

impl Tailer {
    /// A tailer that sleeps until somebody watches.
    pub fn new(parts: &ApiState) -> Self {
        Self(Arc::new(Shared {
            db: parts.db.clone(),
            bus: Arc::clone(&parts.bus),
            shutdown: parts.shutdown.clone(),
            tasks: parts.tasks.clone(),
            state: Mutex::default(),
        }))
    }

    /// Hears of every event of `job` after `from` that is committed from now on. Earlier ones may come too.
    pub fn watch(&self, job: JobId, from: EventId) -> Receiver<Live> {
        let mut state = self.0.state();
        let watched = state.watched.entry(job).or_insert_with(|| Watched {
            cursor: from,
            progress: None,
            sender: Sender::new(limits::STREAM_BUFFER),
        });
        let receiver = watched.sender.subscribe();
        if let Some(progress) = &watched.progress {
            // A newcomer learns where the stage stands; the others hear it once more.
            drop(watched.sender.send(Live::Progress(Arc::new(progress.clone()))));
        }
        if !state.running {
            state.running = true;
            self.0.tasks.spawn(Arc::clone(&self.0).run());
        }
        receiver
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(self: Arc<Self>) {
        let mut wake = None;
        while let Some(asked) = self.asked() {
            let busy = match self.look(&asked).await {
                Ok(busy) => busy,
                Err(error) => {
                    tracing::warn!(%error, "the ledger could not be read for the streams");
                    false
                }
            };
            if busy {
                continue;
            }
            tokio::select! {
                () = self.shutdown.cancelled() => break,
                () = tokio::time::sleep(limits::STREAM_POLL) => {}
                () = self.woken(&mut wake) => tokio::time::sleep(SHORTEST_WAIT).await,
            }
        }
        if self.shutdown.is_cancelled() {
            let mut state = self.state();
            state.watched.clear();
            state.running = false;
        }
    }

    /// The jobs that are still watched, with their cursors; `None` ends the task.
    fn asked(&self) -> Option<Vec<(JobId, EventId)>> {
        let mut state = self.state();
        state.watched.retain(|_, watched| watched.sender.receiver_count() > 0);
        metrics::gauge!("flyquery_stream_jobs").set(state.watched.len() as f64);
        if state.watched.is_empty() {
            state.running = false;
            return None;
        }
        Some(state.watched.iter().map(|(job, watched)| (*job, watched.cursor)).collect())
    }

    /// Looks once for all jobs; whether there is more to be had at once.
    async fn look(&self, asked: &[(JobId, EventId)]) -> Result<bool, DbError> {
        let mut busy = false;
        for some in asked.chunks(JOBS_AT_ONCE) {
            let tx = self.db.fleet_read().await?;
            // Standings first: a job seen as ended here has its last event in the ledger that is read next.
            let ids: Vec<JobId> = some.iter().map(|(job, _)| *job).collect();
            let standings = inspect::standings(&tx, &ids).await?;
            let standings = standings.into_iter().map(|standing| (standing.job, standing)).collect();
            let events = inspect::tail(&tx, some, EVENTS_AT_ONCE).await?;
            tx.commit().await?;
            let full = events.len() as u64 >= EVENTS_AT_ONCE;
            busy |= full;
            self.tell(some, events, &standings, full);
        }
        Ok(busy)
    }

    fn tell(
        &self,
        asked: &[(JobId, EventId)],
        events: Vec<EventRow>,
        standings: &HashMap<JobId, inspect::Standing>,
        full: bool,
    ) {
        let mut state = self.state();
        let mut heard: HashSet<JobId> = HashSet::new();
        for event in events {
            let Some(watched) = state.watched.get_mut(&event.job) else { continue };
            heard.insert(event.job);
            if event.id > watched.cursor {
                watched.cursor = event.id;
                watched.progress = None;
                drop(watched.sender.send(Live::Event(Arc::new(event))));
            }
        }
        for (job, _) in asked {
            let Some(watched) = state.watched.get_mut(job) else { continue };
            let standing = standings.get(job);
            let over = standing.is_none_or(|standing| standing.state.is_terminal());
            if over && !full && !heard.contains(job) {
                drop(watched.sender.send(Live::End));
                continue;
            }
            let running = standing.filter(|standing| standing.state == JobState::Running);
            let Some(progress) = running.and_then(|standing| standing.progress.clone()) else { continue };
            if watched.progress.as_ref() != Some(&progress) {
                watched.progress = Some(progress.clone());
                drop(watched.sender.send(Live::Progress(Arc::new(progress))));
            }
        }
    }

    /// A snapshot became current: a good moment to look. Without a bus the poll alone does it.
    async fn woken(&self, wake: &mut Option<Box<dyn Subscription>>) {
        if wake.is_none() {
            *wake = self.bus.subscribe(topic::SCHEMA).await.ok();
        }
        let heard = match wake {
            Some(subscription) => subscription.next().await.is_ok(),
            None => std::future::pending().await,
        };
        if !heard {
            *wake = None;
            std::future::pending::<()>().await;
        }
    }
}
