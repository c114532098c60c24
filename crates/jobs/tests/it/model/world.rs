//! Runs a sequence against a database and the model side by side.

use std::time::Duration;

use domain::event::{EventStage, NewEvent};
use domain::job::Claim;
use domain::{ErrorCode, Failure, JobId, JobState, Stage};
use jobs::{Beat, BeatReply, Birth, ClaimRequest, JobFilter, JobRow, Outcome, ReapConfig, Stop, Which};
use jobs::{checkpoint, claim, drain, heartbeat, inspect, reap};
use serde_json::json;
use test_support::TestDb;

use super::command::{Command, Ending};
use super::machine::{Answer, BOUND, LEASE, LONG_STEP, MAX_ATTEMPTS, Machine, RETRY, SHORT_STEP};
use crate::build::{Hooks, Publish, cancel, enqueue, finish_with, pass, stages, succeeded, told, worker};

type Told = Result<(), String>;

macro_rules! same {
    ($real:expr, $model:expr, $($what:tt)+) => {
        let (real, model) = (&$real, &$model);
        if real != model {
            return Err(format!("{}: the database says {real:?}, the model {model:?}", format!($($what)+)));
        }
    };
}

struct World<'a> {
    db: &'a TestDb,
    model: Machine,
    /// Every claim ever made; most are zombies in the end.
    claims: Vec<Claim>,
    ids: Vec<JobId>,
}

/// Runs one sequence on an emptied queue.
pub async fn run(db: &TestDb, commands: &[Command]) -> Told {
    empty(db).await;
    let mut world = World { db, model: Machine::default(), claims: Vec::new(), ids: Vec::new() };
    for (step, command) in commands.iter().enumerate() {
        world.step(*command).await.map_err(|wrong| format!("step {step}, {command:?}: {wrong}"))?;
        world.compare().await.map_err(|wrong| format!("after step {step}, {command:?}: {wrong}"))?;
    }
    world.compare_ledgers().await
}

async fn empty(db: &TestDb) {
    let tx = db.fleet().await.expect("a transaction");
    for table in ["flyquery_ingest_jobs", "flyquery_event_outbox"] {
        tx.execute(&format!("DELETE FROM {table}"), vec![]).await.expect("deleted");
    }
    tx.commit().await.expect("committed");
}

fn lease() -> Duration {
    Duration::from_secs(LEASE.unsigned_abs())
}

impl World<'_> {
    fn request(&self, slots: u32, which: Which) -> ClaimRequest {
        ClaimRequest { worker: worker(self.db), slots, lease: lease(), max_attempts: MAX_ATTEMPTS, which }
    }

    fn pick(&self, index: usize) -> Option<Claim> {
        (!self.claims.is_empty()).then(|| self.claims[index % self.claims.len()])
    }

    async fn step(&mut self, command: Command) -> Told {
        match command {
            Command::Enqueue => self.enqueue(Birth::Pending).await,
            Command::EnqueueRunning => {
                self.enqueue(Birth::Running { worker: worker(self.db), lease: lease() }).await;
            }
            Command::Claim { slots } => return self.claim(self.request(slots, Which::Healthy)).await,
            Command::ClaimCrashed => return self.claim(self.request(4, Which::Crashed)).await,
            Command::Beat { every } => return self.beat(every).await,
            Command::Checkpoint { claim } => return self.checkpoint(claim, true).await,
            Command::AbandonStage { claim } => return self.checkpoint(claim, false).await,
            Command::Finish { claim, ending, next } => return self.finish(claim, ending, next).await,
            Command::HandBack { claim } => return self.hand_back(claim).await,
            Command::Cancel { job } if !self.ids.is_empty() => {
                let id = self.ids[job % self.ids.len()];
                self.model.cancel(id);
                cancel(self.db, id).await;
            }
            Command::Cancel { .. } => {}
            Command::Reap => return self.reap(false).await,
            Command::Restart => return self.reap(true).await,
            Command::Pass { long } => {
                let step = if long { LONG_STEP } else { SHORT_STEP };
                pass(self.db, step);
                self.model.now += step;
            }
        }
        Ok(())
    }

    async fn enqueue(&mut self, birth: Birth) {
        let job = enqueue(self.db, birth).await;
        self.model.enqueue(job.id, birth != Birth::Pending);
        self.ids.push(job.id);
        if birth != Birth::Pending {
            self.claims.push(job.claim());
        }
    }

    async fn claim(&mut self, request: ClaimRequest) -> Told {
        let jobs = claim::claim(self.db, &request).await.map_err(|error| error.to_string())?;
        self.take(&jobs, &request)
    }

    /// Whichever the database chose, they must be of those that may be claimed, and as many as may be.
    fn take(&mut self, jobs: &[JobRow], request: &ClaimRequest) -> Told {
        let crashed = request.which == Which::Crashed;
        let may = self.model.claimable(crashed);
        let slots = if crashed { request.slots.min(1) } else { request.slots };
        same!(jobs.len(), may.len().min(slots as usize), "claimed of {may:?}");
        for job in jobs {
            if !may.contains(&job.id) {
                return Err(format!("{} must not be claimed", job.id));
            }
            self.model.claimed(job.id);
            self.claims.push(job.claim());
        }
        Ok(())
    }

    async fn beat(&mut self, every: usize) -> Told {
        let beats: Vec<Beat> =
            self.claims.iter().step_by(every).map(|claim| Beat { claim: *claim, progress: None }).collect();
        let replies = heartbeat::beat(self.db, &beats, lease()).await.map_err(|error| error.to_string())?;
        for (claim, reply) in replies {
            let expected = match self.model.beat(claim) {
                None => BeatReply::Lost,
                Some(true) => BeatReply::CancelRequested,
                Some(false) => BeatReply::Kept,
            };
            same!(reply, expected, "beat of {claim:?}");
        }
        Ok(())
    }

    async fn checkpoint(&mut self, index: usize, commits: bool) -> Told {
        let Some(claim) = self.pick(index) else { return Ok(()) };
        let expected = self.model.checkpoint(claim, commits);
        let answer = match checkpoint::begin(self.db, claim).await {
            Ok(guarded) if commits => {
                let event = NewEvent::ok(EventStage::Received, json!({}));
                guarded.commit(Stage::Receive, &json!({}), &[event]).await
            }
            Ok(abandoned) => abandoned.rollback().await.map_err(Stop::Db),
            Err(stop) => Err(stop),
        };
        same!(answer_of(answer.err())?, expected, "checkpoint of {claim:?}");
        Ok(())
    }

    async fn finish(&mut self, index: usize, ending: Ending, next: bool) -> Told {
        let Some(claim) = self.pick(index) else { return Ok(()) };
        let outcome = match ending {
            Ending::Success | Ending::BrokenPublish => succeeded(),
            Ending::Reject => Outcome::Failed(Failure::new(ErrorCode::ParseError, "Line 1.")),
            Ending::Retry => {
                let failure = Failure::new(ErrorCode::StorageFull, "Full.");
                Outcome::Retry { failure, delay: Duration::from_secs(RETRY.unsigned_abs()) }
            }
            Ending::Cancelled => Outcome::Cancelled,
        };
        let publish = match ending {
            Ending::BrokenPublish => Publish::failing(Failure::new(ErrorCode::StorageFull, "Full.")),
            Ending::Success | Ending::Reject | Ending::Retry | Ending::Cancelled => Publish::default(),
        };
        let request = next.then(|| self.request(1, Which::Healthy));
        let expected = self.model.finish(claim, ending);
        match finish_with(self.db, claim, outcome, &publish, request.as_ref()).await {
            Ok(finished) => {
                same!(Answer::Done, expected, "finish of {claim:?}");
                match request {
                    Some(request) => self.take(&finished.next, &request),
                    None => Ok(()),
                }
            }
            Err(stop) => {
                same!(answer_of(Some(stop))?, expected, "finish of {claim:?}");
                Ok(())
            }
        }
    }

    async fn hand_back(&mut self, index: usize) -> Told {
        let Some(claim) = self.pick(index) else { return Ok(()) };
        let expected = self.model.hand_back(claim);
        let answer = drain::hand_back(self.db, &*self.db.ids(), claim, &Hooks::default()).await;
        same!(answer_of(answer.err())?, expected, "hand-back of {claim:?}");
        Ok(())
    }

    async fn reap(&mut self, restart: bool) -> Told {
        let hooks = Hooks::default();
        let ids = self.db.ids();
        let report = if restart {
            reap::recover_all(self.db, &*ids, MAX_ATTEMPTS, &hooks).await
        } else {
            let config = ReapConfig {
                max_attempts: MAX_ATTEMPTS,
                processing_lease: Duration::from_secs(BOUND.unsigned_abs()),
                batch: 2,
            };
            reap::reap(self.db, &*ids, &config, &hooks).await
        };
        same!(report.map_err(|error| error.to_string())?.total(), self.model.reap(restart), "reaped");
        Ok(())
    }

    /// Every row is what the model says.
    async fn compare(&self) -> Told {
        let read = self.db.read().await;
        let listed = inspect::list(&read, &JobFilter::default(), 1_000, 0).await.map_err(|error| error.to_string())?;
        same!(listed.items.len(), self.model.jobs.len(), "number of jobs");
        for job in listed.items {
            let model = &self.model.jobs[&job.id];
            let row = (job.status, job.attempts, job.token.0, job.crash_count, job.cancel_requested);
            let expected = (model.state, model.attempts, model.token, model.crashes, model.cancel);
            same!(row, expected, "{}", job.id);
            same!(job.stage.is_some(), model.stages > 0, "stage of {}", job.id);
            same!(job.finished_at.is_some(), job.status.is_terminal(), "end of {}", job.id);
            same!(job.lease_until.is_some(), job.status == JobState::Running, "lease of {}", job.id);
        }
        Ok(())
    }

    /// Every ledger, and every trace that ends and publishes left.
    async fn compare_ledgers(&self) -> Told {
        for (id, model) in &self.model.jobs {
            same!(stages(self.db, *id).await, model.events, "ledger of {id}");
            same!(told(self.db, "published", *id).await, model.published, "publishes of {id}");
            same!(told(self.db, "ended", *id).await, model.ended, "hooks of {id}");
            same!(model.ended, u64::from(model.state.is_terminal()), "ends of {id}");
        }
        Ok(())
    }
}

fn answer_of(stop: Option<Stop>) -> Result<Answer, String> {
    match stop {
        None => Ok(Answer::Done),
        Some(Stop::Fenced) => Ok(Answer::Fenced),
        Some(Stop::Cancelled) => Ok(Answer::Cancelled),
        Some(Stop::Commit(_)) => Ok(Answer::Refused),
        Some(Stop::Db(error)) => Err(error.to_string()),
    }
}
