//! The engine: runs statements on threads of its own, so many at once, each within its time.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::limits;
use domain::ports::sql::{Sql, SqlError, SqlRequest, SqlRows, StatementKind};
use domain::table::PublishedTable;
use object_store::ObjectStore;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout_at};

use crate::runtime::Core;
use crate::stop::Stop;
use crate::{execute, page, parse};

/// Stack of a query thread: expressions are evaluated recursively, up to `limits::SQL_DEPTH` levels.
const STACK: usize = 16 << 20;
/// Threads that wait for files on behalf of queries.
const FILE_THREADS: usize = 16;

/// What an engine may use.
#[derive(Clone, Debug)]
pub struct QuerySettings {
    /// Bytes of memory for the sorts, joins and aggregates of all statements together. Each of the
    /// `limits::SQL_CONCURRENT` that may run at once has an equal part; past it, it spills or fails. An estimate: batches
    /// under way come on top.
    pub memory_bytes: usize,
    /// Threads that compute one statement. Each of those that may run at once has so many of its own, and the system
    /// shares the processors fairly between them: none waits for another to yield.
    pub threads: usize,
    /// Folder for what does not fit into memory, made when missing. It belongs to this engine alone: what another run
    /// left in it is removed at the start.
    pub spill_dir: PathBuf,
}

/// Runs SQL over published snapshots. Dropping it stops every statement.
#[derive(Debug)]
pub struct QueryEngine {
    core: Arc<Core>,
    slots: Arc<Semaphore>,
    /// `None` only while being dropped.
    runtime: Option<Runtime>,
}

impl QueryEngine {
    /// An engine over the objects of a store. Fails when the spill folder cannot be used or threads cannot be started.
    pub fn new(store: Arc<dyn ObjectStore>, settings: QuerySettings) -> io::Result<Self> {
        let settings = QuerySettings { threads: settings.threads.max(1), ..settings };
        let core = Arc::new(Core::new(store, &settings)?);
        let runtime = Builder::new_multi_thread()
            .worker_threads(settings.threads * limits::SQL_CONCURRENT)
            .max_blocking_threads(FILE_THREADS)
            .thread_name("sql")
            .thread_stack_size(STACK)
            .enable_all()
            .build()?;
        Ok(Self { core, slots: Arc::new(Semaphore::new(limits::SQL_CONCURRENT)), runtime: Some(runtime) })
    }

    /// Runs work on the engine's threads. At the time limit, or when the caller goes away, it is aborted; its slot is
    /// free again when it has really ended.
    async fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        stop: Stop,
        work: impl Future<Output = Result<T, SqlError>> + Send + 'static,
    ) -> Result<T, SqlError> {
        let late = || SqlError::TimedOut(limit);
        let deadline = Instant::now() + limit;
        let slot = timeout_at(deadline, self.slots.clone().acquire_owned()).await.map_err(|_| late())?;
        let slot = slot.expect("the engine never closes its semaphore");
        let runtime = self.runtime.as_ref().expect("a runtime until the engine is dropped");
        let task = runtime.spawn(async move {
            let result = work.await;
            drop(slot);
            result
        });
        let _abort = AbortOnDrop(task.abort_handle(), stop);
        match timeout_at(deadline, task).await {
            Err(_) => Err(late()),
            Ok(Ok(result)) => result,
            Ok(Err(stopped)) if stopped.is_panic() => {
                Err(SqlError::Internal("the query engine met a defect in this statement".to_owned()))
            }
            Ok(Err(_)) => Err(SqlError::Internal("the query engine is shutting down".to_owned())),
        }
    }
}

impl Drop for QueryEngine {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Never waits: an engine may be dropped inside another runtime.
            runtime.shutdown_background();
        }
    }
}

struct AbortOnDrop(AbortHandle, Stop);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.1.set();
        self.0.abort();
    }
}

#[async_trait]
impl Sql for QueryEngine {
    fn classify(&self, sql: &str) -> StatementKind {
        parse::classify(sql)
    }

    async fn execute(&self, request: SqlRequest) -> Result<SqlRows, SqlError> {
        let (core, stop) = (self.core.clone(), Stop::default());
        let flag = stop.clone();
        let limit = request.timeout;
        // Boxed: planning makes a large future.
        let work = Box::pin(async move { execute::execute(&core, &request, &flag).await });
        self.run(limit, stop, work).await
    }

    async fn rows(&self, table: &PublishedTable, offset: u64, limit: usize) -> Result<SqlRows, SqlError> {
        let (core, table) = (self.core.clone(), table.clone());
        self.run(
            limits::SQL_PAGE_TIMEOUT,
            Stop::default(),
            async move { page::page(&core, &table, offset, limit).await },
        )
        .await
    }
}
