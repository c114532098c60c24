//! The commands: settings first, then a runtime, then what the command does, and an orderly end in any case.

mod config;
mod ingest;
mod jobs;
mod migrate;
mod search;
mod serve;
mod sql;

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::cli::Command;
use crate::client::Session;
use crate::error::CliError;
use crate::render;
use crate::render::style::Style;
use crate::settings::{Environment, Override, Settings};
use crate::shutdown::{self, Signal, Signals};
use crate::telemetry;

/// How long threads that still compute may go on when everything else has ended.
const STRAGGLERS: Duration = Duration::from_secs(2);
/// How long a thread for blocking work waits for more of it.
const IDLE_THREAD: Duration = Duration::from_secs(5);

/// Runs a command to its exit code.
pub fn run(command: Command, environment: &Environment) -> Result<ExitCode, CliError> {
    let style = Style::of_stdout(environment);
    match command {
        Command::Version => {
            render::put(concat!("flyquery ", env!("CARGO_PKG_VERSION"), "\n"))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Openapi => {
            let document = api::openapi().to_pretty_json().map_err(|e| CliError::Failed(e.to_string()))?;
            render::put(&format!("{document}\n"))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Config(arguments) => config::run(&arguments, environment, style).map(|()| ExitCode::SUCCESS),
        Command::Migrate(arguments) => {
            let settings = load(environment, &arguments.overrides(), false)?;
            block_on(&settings, migrate::run(&settings))
        }
        Command::Serve(arguments) => {
            let settings = load(environment, &arguments.overrides(), true)?;
            block_on(&settings, serve::run(&settings, arguments.with_workers))
        }
        Command::Ingest(arguments) => {
            ingest::check(&arguments)?;
            let settings = load(environment, &arguments.target.overrides(), false)?;
            let command = async |session: &Session| ingest::run(session, &arguments, style).await;
            block_on(&settings, as_client(&settings, command))
        }
        Command::Sql(arguments) => {
            let settings = load(environment, &arguments.target.overrides(), false)?;
            let command = async |session: &Session| sql::run(session, &arguments, style).await;
            block_on(&settings, as_client(&settings, command))
        }
        Command::Search(arguments) => {
            let settings = load(environment, &arguments.target.overrides(), false)?;
            let command = async |session: &Session| search::run(session, &arguments, style).await;
            block_on(&settings, as_client(&settings, command))
        }
        Command::Jobs(arguments) => {
            let settings = load(environment, &arguments.target().overrides(), false)?;
            let command = async |session: &Session| jobs::run(session, &arguments, style).await;
            block_on(&settings, as_client(&settings, command))
        }
    }
}

/// Loads the settings, starts the log, and says which variables have no effect.
fn load(environment: &Environment, flags: &[Override], serves: bool) -> Result<Arc<Settings>, CliError> {
    let loaded = Settings::load(environment, flags)?;
    telemetry::log(&loaded.settings, serves);
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    Ok(Arc::new(loaded.settings))
}

/// Runs a command on a runtime of its own.
fn block_on(
    settings: &Settings,
    command: impl Future<Output = Result<ExitCode, CliError>>,
) -> Result<ExitCode, CliError> {
    let cores = std::thread::available_parallelism().map_or(2, NonZeroUsize::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores)
        // Each running job may read, encode and hash on threads of its own.
        .max_blocking_threads(32 + 4 * settings.ingest.concurrency)
        .thread_keep_alive(IDLE_THREAD)
        .thread_name("flyquery")
        .enable_all()
        .build()
        .map_err(|e| CliError::Home(format!("cannot start threads: {e}")))?;
    let ended = runtime.block_on(command);
    runtime.shutdown_timeout(STRAGGLERS);
    ended
}

/// Watches for signals as long as it is kept.
struct Watch {
    first: oneshot::Receiver<Signal>,
    _task: JoinSet<()>,
}

impl Watch {
    fn start() -> Result<Self, CliError> {
        let signals = Signals::listen().map_err(|e| CliError::Home(format!("cannot listen for signals: {e}")))?;
        let (tell, first) = oneshot::channel();
        let mut task = JoinSet::new();
        task.spawn(shutdown::watch(signals, tell));
        Ok(Self { first, _task: task })
    }

    /// Waits for the first signal.
    async fn signal(&mut self) -> Signal {
        match (&mut self.first).await {
            Ok(signal) => signal,
            // The task tells before it ends.
            Err(_) => std::future::pending().await,
        }
    }
}

/// Runs a command that speaks to a server, and stops the server if it was started for the command.
async fn as_client(
    settings: &Arc<Settings>,
    command: impl AsyncFnOnce(&Session) -> Result<(), CliError>,
) -> Result<ExitCode, CliError> {
    let mut watch = Watch::start()?;
    let session = tokio::select! {
        opened = Session::open(Arc::clone(settings)) => opened?,
        signal = watch.signal() => return Ok(interrupted(signal)),
    };
    let (ended, grace) = tokio::select! {
        ended = command(&session) => (ended.map(|()| ExitCode::SUCCESS), settings.ingest.shutdown_grace.duration()),
        // Whoever interrupts does not want to wait: jobs go back to the queue and go on with the next command.
        signal = watch.signal() => (Ok(interrupted(signal)), Duration::ZERO),
    };
    session.close(grace).await;
    ended
}

fn interrupted(signal: Signal) -> ExitCode {
    tracing::debug!(?signal, "interrupted");
    ExitCode::from(signal.exit_code())
}
