//! A worker with a store in memory and ports that the tests choose.

use std::sync::Arc;
use std::time::Duration;

use adapters::clock::SystemClock;
use adapters::event_bus::memory::MemoryBus;
use async_trait::async_trait;
use bytes::Bytes;
use db::Db;
use domain::ports::describer::Describer;
use domain::ports::embedder::{EmbedError, Embedder};
use domain::ports::ingest::{Accepted, UploadError, UploadForm, UploadTarget};
use domain::ports::relation_proposer::{ProposeError, RelationProposal, RelationProposer, RelationTable};
use domain::{Actor, JobState, TableId};
use flyquery_worker::{IngestLimits, Worker, WorkerParts, WorkerSettings};
use jobs::{JobFilter, JobRow};
use object_store::ObjectStore;
use object_store::memory::InMemory;
use pipeline::{PipelineSettings, Ports};
use test_support::TestDb;

/// Relates nothing.
struct NoRelations;

#[async_trait]
impl RelationProposer for NoRelations {
    fn needs(&self, _: &[RelationTable], _: &[TableId]) -> Vec<Vec<usize>> {
        Vec::new()
    }

    async fn propose(&self, _: &[RelationTable], _: &[TableId]) -> Result<Vec<RelationProposal>, ProposeError> {
        Ok(Vec::new())
    }
}

/// Every text means the same.
struct OneVector;

#[async_trait]
impl Embedder for OneVector {
    fn model(&self) -> &'static str {
        "one"
    }
    fn dimensions(&self) -> usize {
        2
    }
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())
    }
}

/// A running worker.
pub struct Stand {
    pub worker: Worker,
    pub store: Arc<dyn ObjectStore>,
}

impl Stand {
    /// Starts one that reaches the database by `db`.
    pub async fn start(test: &TestDb, db: Db, describer: Arc<dyn Describer>, pipeline: PipelineSettings) -> Self {
        let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        let ports = Ports {
            db,
            store: Arc::clone(&store),
            clock: Arc::new(SystemClock::new()),
            entropy: test.ids(),
            describer,
            embedder: Arc::new(OneVector),
            scanner: None,
            proposer: Arc::new(NoRelations),
        };
        let settings = WorkerSettings {
            concurrency: 1,
            heartbeat: Duration::from_secs(20),
            handler_timeout: Duration::from_mins(10),
            processing_lease: Duration::from_hours(1),
            orphan_grace: Duration::from_mins(5),
            max_attempts: 3,
            scan_interval: Duration::from_hours(1),
            limits: IngestLimits { file_bytes: 1 << 30, workspace_bytes: 1 << 40 },
            pipeline,
            sole_owner: false,
            runs_jobs: true,
        };
        let whole = WorkerParts { ports, bus: Arc::new(MemoryBus::new()), settings };
        Self { worker: Worker::start(whole).await.expect("a worker"), store }
    }

    /// Sends a file.
    pub async fn upload(&self, db: &TestDb, name: &str, bytes: &str) -> Result<Accepted, UploadError> {
        let target = UploadTarget {
            scope: db.scope().clone(),
            dataset: db.dataset(),
            actor: Actor("ann".to_owned()),
            file_name: Some(name.to_owned()),
            correlation_id: None,
        };
        let mut upload = self.worker.ingest().begin(target).await?;
        upload.write(Bytes::copy_from_slice(bytes.as_bytes())).await?;
        upload.accept(UploadForm { file_name: name.to_owned(), ..UploadForm::default() }).await
    }

    /// Waits until no job waits or runs any more; every job, the oldest first.
    pub async fn all_ended(&self, db: &TestDb) -> Vec<JobRow> {
        loop {
            let tx = db.read().await;
            let mut jobs = jobs::inspect::list(&tx, &JobFilter::default(), 100, 0).await.unwrap().items;
            tx.rollback().await.unwrap();
            if jobs.iter().all(|job| !matches!(job.status, JobState::Pending | JobState::Running)) {
                jobs.sort_by_key(|job| job.id);
                return jobs;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Ends it.
    pub async fn stop(self) {
        self.worker.shutdown(Duration::from_secs(10)).await;
    }
}
