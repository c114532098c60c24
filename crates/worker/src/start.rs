//! Puts the worker's parts together, and takes them apart again.

use std::sync::Arc;
use std::time::Duration;

use db::Db;
use domain::Failure;
use domain::event::topic;
use domain::job::WorkerId;
use domain::limits;
use domain::ports::bus::EventBus;
use domain::ports::ingest::Ingest;
use jobs::{DrainReport, Engine, EngineConfig, EngineParts, OnTerminal, ReapConfig};
use pipeline::failure::db_failure;
use pipeline::{PipelineSettings, Ports};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::ingest_port::{IngestLimits, IngestPort};
use crate::kinds::Kinds;
use crate::relay::Relay;
use crate::sweep::Sweeper;
use crate::terminal::Terminal;

/// Settings of a worker process.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// Jobs run at once (`FLYQUERY_INGEST_WORKER_CONCURRENCY`).
    pub concurrency: usize,
    /// Heartbeat; a lease is three of them (`FLYQUERY_INGEST_HEARTBEAT_S`).
    pub heartbeat: Duration,
    /// Longest run of one handler (`FLYQUERY_INGEST_HANDLER_TIMEOUT_S`).
    pub handler_timeout: Duration,
    /// Outer bound of a run from its start (`FLYQUERY_PROCESSING_LEASE_S`).
    pub processing_lease: Duration,
    /// Age from which a waiting job is announced again (`FLYQUERY_ORPHAN_QUEUED_GRACE_S`).
    pub orphan_grace: Duration,
    /// Attempts before a job ends as a dead letter (`FLYQUERY_INGEST_MAX_ATTEMPTS`).
    pub max_attempts: u32,
    /// Time between two rounds of house-keeping (`FLYQUERY_RETENTION_SCAN_INTERVAL_S`).
    pub scan_interval: Duration,
    /// Caps of an upload.
    pub limits: IngestLimits,
    /// Settings of the stages.
    pub pipeline: PipelineSettings,
    /// Whether no other process can be at work on this home: then RUNNING jobs are recovered at the start.
    pub sole_owner: bool,
    /// Whether jobs are claimed here; without, only this process's sync uploads run.
    pub runs_jobs: bool,
}

/// What a worker is made of.
pub struct WorkerParts {
    /// The outside.
    pub ports: Ports,
    /// The bus.
    pub bus: Arc<dyn EventBus>,
    /// Settings.
    pub settings: WorkerSettings,
}

/// What uploads need of the running worker.
pub struct Running {
    /// The engine.
    pub engine: Engine,
    /// Notified after a commit that wrote an outbox event.
    pub relay: Arc<Notify>,
    /// Hooks on a job's end.
    pub terminal: Arc<Terminal>,
    /// The attempt cap.
    pub max_attempts: u32,
}

/// A running worker.
pub struct Worker {
    running: Arc<Running>,
    ingest: Arc<IngestPort>,
    tasks: JoinSet<()>,
    stop: CancellationToken,
}

impl Worker {
    /// Recovers and sweeps when this process is the home's only one, then starts engine, relay and house-keeping.
    pub async fn start(parts: WorkerParts) -> Result<Self, Failure> {
        let WorkerParts { ports, bus, settings } = parts;
        let (relay, sweep) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let terminal =
            Arc::new(Terminal::new(Arc::clone(&ports.clock), Arc::clone(&ports.entropy), Arc::clone(&sweep)));
        let dead_after = if settings.sole_owner { Duration::ZERO } else { settings.heartbeat * 6 };
        let sweeper = Sweeper::new(ports.db.clone(), Arc::clone(&ports.store), dead_after);
        if settings.sole_owner {
            recover(&ports, &settings, &terminal, &sweeper).await.map_err(|e| db_failure(&e))?;
        }
        let engine = engine(&ports, &settings, &terminal);
        let running = Arc::new(Running {
            engine,
            relay: Arc::clone(&relay),
            terminal: Arc::clone(&terminal),
            max_attempts: settings.max_attempts,
        });
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        tasks.spawn(Relay::new(ports.db.clone(), Arc::clone(&bus), relay).run(stop.clone()));
        tasks.spawn(sweeper.run(sweep, settings.scan_interval, stop.clone()));
        tasks.spawn(keep_house(ports.clone(), settings.clone(), Arc::clone(&running), stop.clone()));
        tasks.spawn(listen(bus, running.engine.clone(), stop.clone()));
        let ingest = Arc::new(IngestPort::new(ports, settings.limits, Arc::clone(&running)));
        Ok(Self { running, ingest, tasks, stop })
    }

    /// The upload's door.
    pub fn ingest(&self) -> Arc<dyn Ingest> {
        Arc::clone(&self.ingest) as Arc<dyn Ingest>
    }

    /// The hooks that whoever ends a job must call.
    pub fn terminal(&self) -> Arc<dyn OnTerminal> {
        Arc::clone(&self.running.terminal) as Arc<dyn OnTerminal>
    }

    /// The engine, for health and for waking it.
    pub fn engine(&self) -> &Engine {
        &self.running.engine
    }

    /// Stops claiming, lets jobs run for `grace`, hands back what is left, and sends what waits in the outbox.
    pub async fn shutdown(mut self, grace: Duration) -> DrainReport {
        let report = self.running.engine.shutdown(grace).await;
        self.stop.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a task of the worker ended badly");
            }
        }
        report
    }
}

/// What the home's only process does before anything else (decision 67).
async fn recover(
    ports: &Ports,
    settings: &WorkerSettings,
    terminal: &Arc<Terminal>,
    sweeper: &Sweeper,
) -> Result<(), db::DbError> {
    let entropy = ports.entropy.as_ref();
    let report = jobs::reap::recover_all(&ports.db, entropy, settings.max_attempts, terminal.as_ref()).await?;
    let tx = ports.db.fleet().await?;
    db::pending_objects::release_claims(&tx).await?;
    tx.commit().await?;
    let swept = sweeper.sweep(Duration::ZERO).await?;
    if report != jobs::ReapReport::default() || swept.removed > 0 {
        tracing::info!(?report, ?swept, "recovered from an earlier process that did not end well");
    }
    Ok(())
}

fn engine(ports: &Ports, settings: &WorkerSettings, terminal: &Arc<Terminal>) -> Engine {
    let slots = if settings.runs_jobs { settings.concurrency } else { 0 };
    let mut config = EngineConfig::new(WorkerId(ports.entropy.id()), slots, settings.heartbeat);
    config.max_attempts = settings.max_attempts;
    config.handler_timeout = settings.handler_timeout;
    config.processing_lease = settings.processing_lease;
    Engine::start(EngineParts {
        db: ports.db.clone(),
        beat_db: ports.db.clone(),
        clock: Arc::clone(&ports.clock),
        entropy: Arc::clone(&ports.entropy),
        handler: Arc::new(Kinds::new(ports.clone(), settings.pipeline.clone())),
        terminal: Arc::clone(terminal) as Arc<dyn OnTerminal>,
        config,
    })
}

/// Wakes the engine whenever the bus says that a job waits; makes a broken subscription anew.
async fn listen(bus: Arc<dyn EventBus>, engine: Engine, stop: CancellationToken) {
    let waker = engine.waker();
    while !stop.is_cancelled() {
        let Ok(mut subscription) = bus.subscribe(topic::INGEST).await else {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(limits::POLL_IDLE) => continue,
            }
        };
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                message = subscription.next() => match message {
                    Ok(_) => waker.wake(),
                    Err(error) => {
                        tracing::warn!(%error, "the bus subscription broke; polling goes on");
                        break;
                    }
                },
            }
        }
    }
}

/// Reaps and re-announces, every scan interval. Each step is tried whatever the others did.
async fn keep_house(ports: Ports, settings: WorkerSettings, running: Arc<Running>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(settings.scan_interval) => {}
        }
        if let Err(error) = reap(&ports.db, &ports, &settings, &running).await {
            tracing::warn!(%error, "reaping is tried again later");
        }
        let entropy = ports.entropy.as_ref();
        match jobs::reap::republish_orphans(&ports.db, entropy, settings.orphan_grace, limits::SWEEP_BATCH).await {
            Ok(0) => {}
            Ok(n) => {
                tracing::info!(n, "announced waiting jobs again");
                running.relay.notify_one();
            }
            Err(error) => tracing::warn!(%error, "waiting jobs are announced again later"),
        }
    }
}

async fn reap(db: &Db, ports: &Ports, settings: &WorkerSettings, running: &Running) -> Result<(), db::DbError> {
    let config = ReapConfig {
        max_attempts: settings.max_attempts,
        processing_lease: settings.processing_lease,
        batch: limits::SWEEP_BATCH,
    };
    let report = jobs::reap::reap(db, ports.entropy.as_ref(), &config, running.terminal.as_ref()).await?;
    if report != jobs::ReapReport::default() {
        tracing::info!(?report, "reaped jobs whose worker is gone");
        running.engine.waker().wake();
    }
    Ok(())
}
