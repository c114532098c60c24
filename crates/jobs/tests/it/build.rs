//! Jobs, hooks and looks into the database that many tests need.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use db::outbox::{self, NewOutboxEvent};
use db::{Db, DbError, Tx, params};
use domain::event::{EventStage, NewEvent};
use domain::job::{Claim, WorkerId};
use domain::ports::clock::Entropy;
use domain::{EventId, Failure, JobId, JobKind, JobState};
use jobs::{
    Birth, ClaimRequest, Commit, CommitError, Effect, End, Finished, JobRow, NewJob, OnTerminal, Outcome, ReapConfig,
    Stop, Which, inspect,
};
use serde_json::{Value, json};
use test_support::TestDb;

/// How long a claim is good in these tests; nothing but `shift_time` makes it pass.
pub const LEASE: Duration = Duration::from_mins(1);
pub const MAX_ATTEMPTS: u32 = 3;

pub fn new_job(db: &TestDb) -> NewJob {
    NewJob::new(db.id(), db.scope().clone(), db.dataset(), JobKind::ParseAndIngest)
}

pub async fn enqueue(db: &TestDb, birth: Birth) -> JobRow {
    let tx = db.tx().await;
    let job = jobs::enqueue(&tx, &*db.ids(), new_job(db), birth).await.expect("enqueued");
    tx.commit().await.expect("committed");
    job
}

pub async fn pending(db: &TestDb) -> JobRow {
    enqueue(db, Birth::Pending).await
}

pub fn worker(db: &TestDb) -> WorkerId {
    WorkerId(db.ids().id())
}

pub fn request(db: &TestDb, slots: u32) -> ClaimRequest {
    ClaimRequest { worker: worker(db), slots, lease: LEASE, max_attempts: MAX_ATTEMPTS, which: Which::Healthy }
}

pub fn crashed(db: &TestDb) -> ClaimRequest {
    ClaimRequest { which: Which::Crashed, ..request(db, 4) }
}

/// Claims the one job that waits.
pub async fn claim(db: &TestDb) -> JobRow {
    let mut jobs = jobs::claim::claim(db, &request(db, 1)).await.expect("claimed");
    jobs.pop().expect("a job waits")
}

/// A job that runs.
pub async fn running(db: &TestDb) -> JobRow {
    let job = pending(db).await;
    let claimed = claim(db).await;
    assert_eq!(claimed.id, job.id);
    claimed
}

/// A job that took its worker down once and waits again.
pub async fn crashed_job(db: &TestDb) -> JobRow {
    let job = running(db).await;
    pass(db, 61);
    reap(db).await;
    row(db, job.id).await
}

pub fn pass(db: &TestDb, seconds: i64) {
    db.shift_time(TimeDelta::seconds(seconds));
}

pub fn reap_config() -> ReapConfig {
    ReapConfig::new(MAX_ATTEMPTS, Duration::from_mins(30))
}

pub async fn reap(db: &TestDb) -> jobs::ReapReport {
    jobs::reap::reap(db, &*db.ids(), &reap_config(), &Hooks::default()).await.expect("reaped")
}

pub async fn row(db: &TestDb, job: JobId) -> JobRow {
    inspect::get(&db.read().await, job).await.expect("read").expect("the job exists")
}

pub async fn ledger(db: &TestDb, job: JobId) -> Vec<jobs::EventRow> {
    inspect::events_after(&db.read().await, job, EventId(0), 1_000).await.expect("read")
}

pub async fn stages(db: &TestDb, job: JobId) -> Vec<EventStage> {
    ledger(db, job).await.into_iter().map(|event| event.stage).collect()
}

/// Rows of the outbox of that type for that job.
pub async fn told(db: &Db, event_type: &str, job: JobId) -> u64 {
    let tx = db.fleet_read().await.expect("a transaction");
    let rows = tx
        .rows("SELECT payload_json FROM flyquery_event_outbox WHERE event_type = $1", params![event_type])
        .await
        .expect("read");
    let id = job.to_string();
    let of_job = |row: &db::Row| row.get::<serde_json::Value>("payload_json").expect("json")["ingest_job_id"] == id;
    rows.iter().filter(|row| of_job(row)).count() as u64
}

async fn tell(tx: &Tx, event_type: &str, job: &JobRow) -> Result<(), DbError> {
    let event = NewOutboxEvent {
        id: next_id(),
        topic: "flyquery.test".to_owned(),
        event_type: event_type.to_owned(),
        payload: json!({ "ingest_job_id": job.id }),
    };
    outbox::insert(tx, &job.scope, &event).await
}

/// Hooks have no source of ids of their own; these are unlike those of the tests.
fn next_id() -> uuid::Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    uuid::Uuid::from_u64_pair(u64::MAX, NEXT.fetch_add(1, Ordering::SeqCst))
}

/// Hooks that leave a row (`ended`) in the transaction and remember whom they saw.
#[derive(Default)]
pub struct Hooks {
    pub seen: Mutex<Vec<(JobId, JobState)>>,
    /// Errors to be given first, latest first.
    pub errors: Mutex<Vec<DbError>>,
}

#[async_trait]
impl OnTerminal for Hooks {
    async fn ended(&self, tx: &Tx, job: &JobRow) -> Result<(), DbError> {
        assert!(job.status.is_terminal() && job.result != json!({}), "hooks see the end");
        assert_eq!(tx.bound(), Some(&job.scope), "hooks work in the job's workspace");
        tell(tx, "ended", job).await?;
        self.seen.lock().unwrap().push((job.id, job.status));
        self.errors.lock().unwrap().pop().map_or(Ok(()), Err)
    }
}

/// A publish that leaves a row (`published`), after which it may fail.
#[derive(Default)]
pub struct Publish {
    /// Errors to be given first, latest first.
    pub errors: Mutex<Vec<CommitError>>,
    /// The job's result, when the commit is to give it.
    pub result: Option<Value>,
}

impl Publish {
    pub fn failing(error: impl Into<CommitError>) -> Self {
        Self { errors: Mutex::new(vec![error.into()]), result: None }
    }

    pub fn giving(result: Value) -> Self {
        Self { errors: Mutex::default(), result: Some(result) }
    }
}

#[async_trait]
impl Commit for Publish {
    async fn apply(&self, tx: &Tx, job: &JobRow) -> Result<Effect, CommitError> {
        assert_eq!(tx.bound(), Some(&job.scope), "a publish works in the job's workspace");
        tell(tx, "published", job).await?;
        let error = self.errors.lock().unwrap().pop();
        match error {
            Some(error) => Err(error),
            None => {
                Ok(Effect { events: vec![NewEvent::ok(EventStage::Published, json!({}))], result: self.result.clone() })
            }
        }
    }
}

pub fn succeeded() -> Outcome {
    Outcome::Succeeded { result: json!({ "status": "SUCCEEDED" }), table: None, snapshot: None, cost_cents: None }
}

pub fn retry(failure: Failure, seconds: u64) -> Outcome {
    Outcome::Retry { failure, delay: Duration::from_secs(seconds) }
}

/// Finishes with fresh hooks, a publish, and nothing next.
pub async fn finish(db: &TestDb, claim: Claim, outcome: Outcome) -> Result<Finished, Stop> {
    finish_with(db, claim, outcome, &Publish::default(), None).await
}

pub async fn finish_with(
    db: &TestDb,
    claim: Claim,
    outcome: Outcome,
    commit: &Publish,
    next: Option<&ClaimRequest>,
) -> Result<Finished, Stop> {
    let end =
        End { claim, outcome, commit: Some(commit), terminal: &Hooks::default(), max_attempts: MAX_ATTEMPTS, next };
    jobs::finish::finish(db, end).await
}

pub async fn cancel(db: &TestDb, job: JobId) -> jobs::CancelAnswer {
    let tx = db.tx().await;
    let answer = jobs::cancel::cancel(&tx, job, &Hooks::default()).await.expect("cancelled").expect("a job");
    tx.commit().await.expect("committed");
    answer
}
