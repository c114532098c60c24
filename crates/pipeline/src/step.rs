//! What surrounds every stage: span, cancel check, timer, fail points, checkpoint and ledger events.

use async_trait::async_trait;
use db::Tx;
use domain::event::{EventStage, NewEvent};
use domain::report::StageOutcome;
use domain::{Stage, StageReport};
use serde_json::json;
use tracing::Instrument;

use crate::checkpoint::{self, After, Marker, Work};
use crate::context::Context;
use crate::failure::Stop;

/// A stage: first it finds out, outside any transaction and for as long as it takes; then it writes, under the fence.
#[async_trait]
pub trait Step: Marker {
    /// The stage before it.
    type Previous: Marker;
    /// What it found out.
    type Found: Send;
    /// Reads and computes. May take long; asks the fence at every batch.
    async fn find(ctx: &Context, work: &Work) -> Result<Self::Found, Stop>;
    /// Writes its rows and gives its ledger events. Short: it holds the job's row.
    async fn write(ctx: &Context, tx: &Tx, work: &mut Work, found: Self::Found) -> Result<Vec<NewEvent>, Stop>;
}

/// Runs stages one after the other and skips those that an earlier attempt has committed.
pub struct Steps<'a> {
    ctx: &'a Context,
    resumed: Option<(Stage, Work)>,
}

impl<'a> Steps<'a> {
    /// Starts where the job's checkpoint says.
    pub fn new(ctx: &'a Context) -> Self {
        let resumed = ctx.job.checkpoint.as_ref().and_then(checkpoint::load);
        Self { ctx, resumed }
    }

    /// The first stage has nothing before it: `first` makes the work, unless a checkpoint has it.
    pub async fn start<S: Marker>(
        &self,
        first: impl AsyncFnOnce(&Context) -> Result<(Work, Vec<NewEvent>), Stop>,
    ) -> Result<After<S>, Stop> {
        if let Some((_, work)) = &self.resumed {
            return Ok(After::new(work.clone()));
        }
        let started = self.ctx.ports.clock.monotonic();
        self.before(S::STAGE)?;
        let (mut work, events) = first(self.ctx).await.map_err(|stop| self.explain(stop, S::STAGE))?;
        let elapsed = self.ctx.ports.clock.monotonic().saturating_sub(started).as_millis() as u64;
        work.stages.push(StageReport { stage: S::STAGE, status: StageOutcome::Done, elapsed_ms: elapsed });
        let guard = self.ctx.fence.begin().await?;
        guard.commit(S::STAGE, checkpoint::store(S::STAGE, &work), events).await?;
        reached(S::STAGE, "committed");
        Ok(After::new(work))
    }

    /// Runs stage `S` on what the stage before handed on.
    pub async fn step<S: Step>(&self, input: After<S::Previous>) -> Result<After<S>, Stop> {
        let mut work = input.into_work();
        let stage = S::STAGE;
        if self.resumed.as_ref().is_some_and(|(done, _)| done.number() >= stage.number()) {
            return Ok(After::new(work));
        }
        self.before(stage)?;
        if stage.can_skip() && self.ctx.policy.skips(stage) {
            self.skip(stage, &mut work).await?;
            return Ok(After::new(work));
        }
        let span = tracing::info_span!("stage", stage = stage.as_str(), job = %self.ctx.job.claim.job_id);
        self.run::<S>(&mut work).instrument(span).await.map_err(|stop| self.explain(stop, stage))?;
        reached(stage, "committed");
        Ok(After::new(work))
    }

    async fn run<S: Step>(&self, work: &mut Work) -> Result<(), Stop> {
        let started = self.ctx.ports.clock.monotonic();
        let found = S::find(self.ctx, work).await?;
        let guard = self.ctx.fence.begin().await?;
        let events = S::write(self.ctx, guard.tx(), work, found).await?;
        let elapsed = self.ctx.ports.clock.monotonic().saturating_sub(started);
        metrics::histogram!(crate::metric::STAGE_SECONDS, "stage" => S::STAGE.as_str()).record(elapsed.as_secs_f64());
        work.stages.push(StageReport {
            stage: S::STAGE,
            status: StageOutcome::Done,
            elapsed_ms: elapsed.as_millis() as u64,
        });
        reached(S::STAGE, "uncommitted");
        guard.commit(S::STAGE, checkpoint::store(S::STAGE, work), events).await?;
        Ok(())
    }

    async fn skip(&self, stage: Stage, work: &mut Work) -> Result<(), Stop> {
        work.stages.push(StageReport { stage, status: StageOutcome::Skipped, elapsed_ms: 0 });
        let event = NewEvent::ok(stage_event(stage), json!({"skipped": true, "reason": "ingest_policy"}));
        let guard = self.ctx.fence.begin().await?;
        guard.commit(stage, checkpoint::store(stage, work), vec![event]).await?;
        reached(stage, "committed");
        Ok(())
    }

    fn before(&self, stage: Stage) -> Result<(), Stop> {
        reached(stage, "before");
        self.ctx.check_halt()?;
        self.ctx.fence.progress(domain::event::Progress {
            stage: stage.as_str().to_owned(),
            table: None,
            rows: 0,
            bytes: 0,
            bytes_total: None,
        });
        Ok(())
    }

    /// A reader that was told to stop says JOB_CANCELLED; only the fence knows whether a cancel, a lost lease, a
    /// time-out or a shutdown was the reason.
    fn explain(&self, stop: Stop, stage: Stage) -> Stop {
        match (stop, self.ctx.fence.halted()) {
            (Stop::Failed(failure), Some(halt)) if failure.code == domain::ErrorCode::JobCancelled => {
                Stop::Halted(halt)
            }
            (stop, _) => stop.in_stage(stage),
        }
    }
}

fn reached(stage: Stage, place: &str) {
    if fail::has_failpoints() {
        fail_point(&format!("{stage}.{place}"));
    }
}

/// A place where the fault harness may stop the process; nothing in a build without fail points.
pub(crate) fn fail_point(name: &str) {
    fail::fail_point!(name);
    let _ = name;
}

/// The ledger word of a stage.
pub fn stage_event(stage: Stage) -> EventStage {
    stage.event().parse().expect("every stage's event is in the closed list of ledger words")
}
