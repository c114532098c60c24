//! What the API is made of: the parts the binary hands over, and what the API keeps beside them.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use db::Db;
use domain::ports::bus::EventBus;
use domain::ports::clock::{Clock, Entropy};
use domain::ports::ingest::Ingest;
use domain::ports::search::Search;
use domain::ports::sql::Sql;
use domain::{TenantId, limits};
use jobs::OnTerminal;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::stream::tailer::Tailer;

/// Everything the binary wires.
#[derive(Clone)]
pub struct ApiState {
    /// The catalogue.
    pub db: Db,
    /// Takes uploads.
    pub ingest: Arc<dyn Ingest>,
    /// Runs SQL.
    pub sql: Arc<dyn Sql>,
    /// Finds tables and columns.
    pub search: Arc<dyn Search>,
    /// Only listened to: wakes the tailer of event streams.
    pub bus: Arc<dyn EventBus>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids.
    pub entropy: Arc<dyn Entropy>,
    /// What else happens when a cancel ends a job.
    pub terminal: Arc<dyn OnTerminal>,
    /// Called after a commit that made or cancelled a job: wakes the workers of this process, which would find it by
    /// polling anyway.
    pub nudge: Arc<dyn Fn() + Send + Sync>,
    /// The text of `/metrics` in the Prometheus exposition format.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// Cancelled first on shutdown: open streams end, so that the server can.
    pub shutdown: CancellationToken,
    /// The API's own tasks; to be closed and waited for after the server has ended.
    pub tasks: TaskTracker,
    /// Settings.
    pub settings: ApiSettings,
}

/// Settings of the API.
#[derive(Clone, Debug)]
pub struct ApiSettings {
    /// Whether this is the embedded home: Host check and loopback default tenant (decision 51).
    pub embedded: bool,
    /// Names beside the loopback ones that Host may carry in the embedded home.
    pub hosts: Vec<String>,
    /// The home of requests without tenant headers, in the embedded home.
    pub default_home: Option<DefaultHome>,
    /// Largest upload in bytes.
    pub max_file_bytes: u64,
    /// Rows that a statement returns at most.
    pub row_cap: usize,
    /// Wall time of a statement.
    pub statement_timeout: Duration,
    /// Silence on a stream before a comment is sent.
    pub keep_alive: Duration,
    /// How long a stream's client may take nothing while events pass it by; then it is cut.
    pub stream_stall: Duration,
    /// What `/version` says.
    pub build: BuildInfo,
}

impl ApiSettings {
    /// The reference's defaults for a build, without an embedded home.
    pub fn new(build: BuildInfo) -> Self {
        Self {
            embedded: false,
            hosts: Vec::new(),
            default_home: None,
            max_file_bytes: 2_048 << 20,
            row_cap: 1_000,
            statement_timeout: Duration::from_secs(30),
            keep_alive: limits::STREAM_KEEP_ALIVE,
            stream_stall: limits::STREAM_STALL,
            build,
        }
    }
}

/// Tenant and workspace of requests that name none.
#[derive(Clone, Debug)]
pub struct DefaultHome {
    /// The tenant.
    pub tenant: TenantId,
    /// The workspace's slug.
    pub workspace: String,
}

/// Which build this is.
#[derive(Clone, Copy, Debug)]
pub struct BuildInfo {
    /// Version of the package.
    pub version: &'static str,
    /// Commit, when the build knew it.
    pub git_sha: Option<&'static str>,
    /// Time of the build, RFC 3339, when the build knew it.
    pub build_time: Option<&'static str>,
}

/// The state of every handler.
#[derive(Clone)]
pub struct App(Arc<Inner>);

/// The parts, and what the API keeps beside them.
pub struct Inner {
    parts: ApiState,
    /// Places for requests.
    pub places: Semaphore,
    /// Places for statements and pages of rows.
    pub statements: Semaphore,
    /// Places for sync uploads.
    pub sync_uploads: Arc<Semaphore>,
    /// Places for event streams.
    pub streams: Arc<Semaphore>,
    /// Looks at the ledger for all streams.
    pub tailer: Tailer,
    /// `/openapi.json`.
    pub openapi: Bytes,
}

impl App {
    /// Puts the parts together.
    pub fn new(parts: ApiState, openapi: Bytes) -> Self {
        Self(Arc::new(Inner {
            places: Semaphore::new(limits::REQUESTS),
            statements: Semaphore::new(limits::SQL_STATEMENTS),
            sync_uploads: Arc::new(Semaphore::new(limits::SYNC_UPLOADS)),
            streams: Arc::new(Semaphore::new(limits::STREAMS)),
            tailer: Tailer::new(&parts),
            openapi,
            parts,
        }))
    }
}

impl Deref for App {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Deref for Inner {
    type Target = ApiState;
    fn deref(&self) -> &ApiState {
        &self.parts
    }
}
