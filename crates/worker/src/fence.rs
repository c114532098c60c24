//! The engine's claim as the pipeline's fence, and how a run's end is told to the engine.

use std::sync::Arc;

use async_trait::async_trait;
use db::Tx;
use domain::event::{NewEvent, Progress};
use domain::ports::clock::Entropy;
use domain::{ErrorCode, Failure, JobKind, Stage};
use jobs::{CommitError, Effect, Guarded, HandlerEnd, JobContext, JobRow, Signal};
use pipeline::{Fence, GuardedTx, Halt, PublishPlan, Stop};

use crate::follow_up;

/// A job's fence.
pub struct JobFence(pub JobContext);

#[async_trait]
impl Fence for JobFence {
    async fn begin(&self) -> Result<Box<dyn GuardedTx>, Halt> {
        let guarded = self.0.begin().await.map_err(halt)?;
        Ok(Box::new(GuardedStage(guarded)))
    }

    fn halted(&self) -> Option<Halt> {
        match self.0.signal.get() {
            Signal::None => None,
            Signal::HandBack => Some(Halt::HandBack),
            Signal::TimedOut => Some(Halt::TimedOut),
            Signal::CancelRequested => Some(Halt::Cancelled),
            Signal::Lost => Some(Halt::Lost),
        }
    }

    fn progress(&self, progress: Progress) {
        self.0.progress.set(progress);
    }
}

struct GuardedStage(Guarded);

#[async_trait]
impl GuardedTx for GuardedStage {
    fn tx(&self) -> &Tx {
        self.0.tx()
    }

    async fn commit(
        self: Box<Self>,
        stage: Stage,
        checkpoint: serde_json::Value,
        events: Vec<NewEvent>,
    ) -> Result<(), Halt> {
        self.0.commit(stage, &checkpoint, &events).await.map_err(halt)
    }
}

fn halt(stop: jobs::Stop) -> Halt {
    match stop {
        jobs::Stop::Fenced => Halt::Lost,
        jobs::Stop::Cancelled => Halt::Cancelled,
        jobs::Stop::Db(error) => Halt::Db(error),
        jobs::Stop::Commit(failure) => Halt::Failed(failure),
    }
}

/// What a run that ended early means for its job.
pub fn handler_end(stop: Stop) -> HandlerEnd {
    match stop {
        Stop::Failed(failure) | Stop::Halted(Halt::Failed(failure)) => HandlerEnd::Failed(failure),
        Stop::Halted(Halt::Cancelled) => HandlerEnd::Cancelled,
        Stop::Halted(Halt::Lost) => HandlerEnd::Lost,
        Stop::Halted(Halt::HandBack) => HandlerEnd::HandedBack,
        Stop::Halted(Halt::TimedOut) => {
            let detail = "The job ran past its time limit and was stopped between two batches.";
            HandlerEnd::Failed(Failure::new(ErrorCode::HandlerTimeout, detail))
        }
        Stop::Halted(Halt::Db(error)) => HandlerEnd::Failed(pipeline::failure::db_failure(&error)),
    }
}

/// The publish plan as the engine's commit. What the describe budget left open goes on in a job of its own.
pub struct PublishCommit {
    /// What is published.
    pub plan: PublishPlan,
    /// Ids.
    pub entropy: Arc<dyn Entropy>,
}

#[async_trait]
impl jobs::Commit for PublishCommit {
    async fn apply(&self, tx: &Tx, job: &JobRow) -> Result<Effect, CommitError> {
        match self.plan.apply(tx).await {
            Ok(published) => {
                if published.deferred > 0 {
                    let pass = follow_up::once(tx, &*self.entropy, job, JobKind::DescribePass).await;
                    pass.map_err(CommitError::Db)?;
                }
                let result = serde_json::to_value(&published.report).map_err(|e| {
                    CommitError::Failed(pipeline::failure::defect(format!("The result can't be written as JSON: {e}.")))
                })?;
                Ok(Effect { events: published.events, result: Some(result) })
            }
            Err(Stop::Failed(failure) | Stop::Halted(Halt::Failed(failure))) => Err(CommitError::Failed(failure)),
            Err(Stop::Halted(Halt::Db(error))) => Err(CommitError::Db(error)),
            Err(Stop::Halted(Halt::Cancelled | Halt::Lost | Halt::HandBack | Halt::TimedOut)) => {
                Err(CommitError::Failed(pipeline::failure::defect("Publishing does not ask whether to stop.")))
            }
        }
    }
}
