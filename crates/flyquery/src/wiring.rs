//! Puts the parts together: the one place that names concrete adapters.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use adapters::clock::{SystemClock, SystemEntropy};
use adapters::event_bus::MemoryBus;
use adapters::object_storage;
use annotate::{HeuristicProposer, OfflineDescriber, OfflineEmbedder, RegexScanner};
use api::{ApiSettings, ApiState, BuildInfo, DefaultHome};
use db::workspaces::{self, NewWorkspace};
use db::{Db, DbError, DbSettings, DbUrl};
use domain::policy::PiiScannerKind;
use domain::ports::bus::EventBus;
use domain::ports::clock::{Clock, Entropy};
use domain::ports::pii_scanner::PiiScanner;
use domain::{Locale, TenantId, WorkspaceId};
use object_store::ObjectStore;
use pipeline::{ObjectSearch, PipelineSettings, Ports};
use query::{QueryEngine, QuerySettings};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use worker::{IngestLimits, Worker, WorkerParts, WorkerSettings};

use crate::error::{CliError, chain};
use crate::home::{DataDir, create_private};
use crate::pii_patterns;
use crate::settings::Settings;
use crate::telemetry::Metrics;

/// Tenant and workspace of requests that name none, in the embedded home.
const HOME_TENANT: &str = "local";
const HOME_WORKSPACE: &str = "default";
const MIB: f64 = (1_u64 << 20) as f64;
const GIB: f64 = (1_u64 << 30) as f64;
/// How long the API's own tasks may take to end.
const TASKS: Duration = Duration::from_secs(5);

/// The parts of a running process.
pub struct Wired {
    /// The HTTP side.
    pub router: axum::Router,
    /// Uploads and jobs; to be shut down while requests are still answered, for some wait for a job.
    pub worker: Worker,
    /// What both stand on; to be closed last.
    pub ground: Ground,
}

/// The database, and what runs beside the requests.
pub struct Ground {
    db: Db,
    shutdown: CancellationToken,
    tasks: TaskTracker,
    _spill: Option<tempfile::TempDir>,
}

impl Ground {
    /// Ends open streams, so that their connections do.
    pub fn end_streams(&self) {
        self.shutdown.cancel();
    }

    /// Waits for the API's own tasks and closes the database: nothing may ask it any more.
    pub async fn close(self) {
        self.tasks.close();
        if tokio::time::timeout(TASKS, self.tasks.wait()).await.is_err() {
            tracing::warn!("tasks of the API did not end in time");
        }
        self.db.close().await;
    }
}

/// Connects to the catalogue.
pub async fn connect(settings: &Settings) -> Result<Db, CliError> {
    let url = match &settings.database.url {
        None => DbUrl::Sqlite(DataDir::open(settings.data_dir())?.database()),
        Some(url) => DbUrl::parse(&url.0).map_err(|e| CliError::Usage(e.to_string()))?,
    };
    let settings = DbSettings {
        url,
        max_connections: settings.database.max_connections,
        acquire_timeout: settings.database.acquire_timeout.duration(),
    };
    Db::connect(settings).await.map_err(|e| database_error(&e))
}

/// A database that can't be used.
pub fn database_error(error: &DbError) -> CliError {
    CliError::Home(format!("the database can't be used: {}", chain(error)))
}

/// Wires everything. The embedded home's caller holds the data directory's lock: jobs that a dead process left RUNNING
/// are recovered, and leftovers swept, before this returns.
pub async fn wire(settings: &Settings, runs_jobs: bool) -> Result<Wired, CliError> {
    let embedded = settings.is_embedded();
    let db = connect(settings).await?;
    if embedded || settings.database.run_migrations {
        let report = db.migrate().await.map_err(|e| database_error(&e))?;
        tracing::debug!(applied = ?report.applied, version = report.current, "the database's schema is up to date");
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy);
    let bus: Arc<dyn EventBus> = Arc::new(MemoryBus::new());
    let store = store(settings.objects_dir(), embedded)?;
    let (sql, spill) = sql(settings, Arc::clone(&store))?;
    let default_home = if embedded { Some(default_home(&db, entropy.as_ref(), settings).await?) } else { None };

    let outside = ports(settings, &db, store, &clock, &entropy)?;
    let search = ObjectSearch::new(db.clone(), Arc::clone(&outside.embedder));
    let parts = WorkerParts { ports: outside, bus: Arc::clone(&bus), settings: worker_settings(settings, runs_jobs) };
    let worker = Worker::start(parts).await.map_err(|failure| CliError::Home(failure.to_string()))?;

    let waker = worker.engine().waker();
    let metrics = Metrics::install();
    let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
    tasks.spawn({
        let (metrics, shutdown) = (metrics.clone(), shutdown.clone());
        async move {
            tokio::select! {
                () = metrics.keep() => {}
                () = shutdown.cancelled() => {}
            }
        }
    });
    let state = ApiState {
        db: db.clone(),
        ingest: worker.ingest(),
        sql: Arc::new(sql),
        search: Arc::new(search),
        bus,
        clock,
        entropy,
        terminal: worker.terminal(),
        nudge: Arc::new(move || waker.wake()),
        metrics: metrics.text(),
        shutdown: shutdown.clone(),
        tasks: tasks.clone(),
        settings: api_settings(settings, default_home),
    };
    let ground = Ground { db, shutdown, tasks, _spill: spill };
    Ok(Wired { router: api::router(state), worker, ground })
}

/// The folder of objects; in the embedded home, what a crash left half-written is removed first.
fn store(root: &Path, embedded: bool) -> Result<Arc<dyn ObjectStore>, CliError> {
    let failed = |e: &dyn std::error::Error| {
        CliError::Home(format!("the object store at {} can't be used: {}", root.display(), chain(e)))
    };
    create_private(root).map_err(|e| failed(&e))?;
    if embedded {
        let report = object_storage::clean_staging(root).map_err(|e| failed(&e))?;
        if report.files > 0 {
            tracing::info!(files = report.files, bytes = report.bytes, "removed half-written objects of a crash");
        }
    }
    object_storage::local(root).map_err(|e| failed(&e))
}

/// The engine for SQL. Its spill folder belongs to this process alone: the data directory's in the embedded home, a
/// temporary one where processes share the data directory.
fn sql(settings: &Settings, store: Arc<dyn ObjectStore>) -> Result<(QueryEngine, Option<tempfile::TempDir>), CliError> {
    let failed = |e: std::io::Error| CliError::Home(format!("the folder for spilling can't be made: {e}"));
    let (spill_dir, temporary) = if settings.is_embedded() {
        (settings.spill_dir(), None)
    } else {
        let temporary = tempfile::tempdir().map_err(failed)?;
        (temporary.path().to_owned(), Some(temporary))
    };
    create_private(&spill_dir).map_err(failed)?;
    let memory_bytes = usize::try_from(settings.query.memory.0).unwrap_or(usize::MAX);
    let engine =
        QueryEngine::new(store, QuerySettings { memory_bytes, threads: cores(), spill_dir }).map_err(failed)?;
    Ok((engine, temporary))
}

/// The workspace of requests that name none.
async fn default_home(db: &Db, entropy: &dyn Entropy, settings: &Settings) -> Result<DefaultHome, CliError> {
    let tenant = TenantId::new(HOME_TENANT).expect("the home's tenant is a slug");
    let workspace = NewWorkspace {
        id: WorkspaceId(entropy.id()),
        slug: HOME_WORKSPACE.to_owned(),
        name: "Default".to_owned(),
        kms_key_uri: None,
        retention_days: None,
        allow_direct_sql: true,
        default_locale: settings.ingest.default_locale.clone(),
        metadata: serde_json::json!({}),
    };
    let made = async {
        let tx = db.tenant(&tenant).await?;
        workspaces::get_or_create(&tx, &workspace).await?;
        tx.commit().await
    };
    made.await.map_err(|e| database_error(&e))?;
    Ok(DefaultHome { tenant, workspace: HOME_WORKSPACE.to_owned() })
}

fn ports(
    settings: &Settings,
    db: &Db,
    store: Arc<dyn ObjectStore>,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Ports, CliError> {
    let patterns = pii_patterns::read(settings.annotate.pii_patterns.as_deref())?;
    let regexes = RegexScanner::with_patterns(patterns);
    let scanner: Option<Arc<dyn PiiScanner>> = match settings.annotate.pii_scanner {
        PiiScannerKind::Regex => Some(Arc::new(regexes.clone())),
        PiiScannerKind::Disabled => None,
    };
    Ok(Ports {
        db: db.clone(),
        store,
        clock: Arc::clone(clock),
        entropy: Arc::clone(entropy),
        describer: Arc::new(OfflineDescriber::new(regexes)),
        embedder: Arc::new(OfflineEmbedder::new()),
        scanner,
        proposer: Arc::new(HeuristicProposer::new()),
    })
}

fn worker_settings(settings: &Settings, runs_jobs: bool) -> WorkerSettings {
    let (ingest, annotate) = (&settings.ingest, &settings.annotate);
    WorkerSettings {
        concurrency: ingest.concurrency,
        heartbeat: ingest.heartbeat.duration(),
        handler_timeout: ingest.handler_timeout.duration(),
        processing_lease: ingest.processing_lease.duration(),
        orphan_grace: settings.retention.orphan_queued_grace.duration(),
        max_attempts: ingest.max_attempts,
        scan_interval: settings.retention.scan_interval.duration(),
        limits: IngestLimits {
            file_bytes: max_file_bytes(settings),
            workspace_bytes: (ingest.max_workspace_gb * GIB) as u64,
        },
        pipeline: PipelineSettings {
            sample_n: annotate.sample_n,
            profile_row_threshold: annotate.profile_row_threshold,
            infer_sample_rows: ingest.type_infer_sample_rows,
            max_title_rows: ingest.max_title_rows,
            describe_budget_cents: annotate.describe_budget_cents,
            describe_batch: annotate.describe_batch as usize,
            relation_min_confidence: annotate.relation_min_confidence,
            pii_policy_samples: annotate.pii_policy_samples,
            default_locale: Locale::new(ingest.default_locale.as_str()),
            threads: cores(),
        },
        sole_owner: settings.is_embedded(),
        runs_jobs,
    }
}

fn api_settings(settings: &Settings, default_home: Option<DefaultHome>) -> ApiSettings {
    let build = BuildInfo {
        version: env!("CARGO_PKG_VERSION"),
        git_sha: option_env!("FLYQUERY_BUILD_GIT_SHA"),
        build_time: option_env!("FLYQUERY_BUILD_TIME"),
    };
    ApiSettings {
        embedded: settings.is_embedded(),
        hosts: vec![settings.host().to_owned()],
        default_home,
        max_file_bytes: max_file_bytes(settings),
        row_cap: settings.query.row_cap,
        statement_timeout: Duration::from_millis(settings.query.statement_timeout_ms),
        keep_alive: domain::limits::STREAM_KEEP_ALIVE,
        stream_stall: domain::limits::STREAM_STALL,
        build,
    }
}

fn max_file_bytes(settings: &Settings) -> u64 {
    (settings.ingest.max_file_mb * MIB) as u64
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZeroUsize::get)
}
