//! The log and the metrics of the process: lines to standard error, numbers for `/metrics`.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;

use crate::settings::value::LogFormat;
use crate::settings::{Origin, Settings};

/// Time between two rounds in which the metrics tidy their histograms; without them, numbers that nobody scrapes pile up.
const UPKEEP: Duration = Duration::from_secs(30);

/// Starts the log. A command other than `serve` keeps to warnings unless the level was set.
pub fn log(settings: &Settings, serves: bool) {
    let level =
        if serves || *settings.origin("LOG_LEVEL") != Origin::Default { settings.log.level.0.as_str() } else { "warn" };
    // The SQL of every statement at info would drown the rest.
    let filter =
        EnvFilter::try_new(format!("sqlx=warn,sea_orm=warn,{level}")).unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let started = match settings.log.format {
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
        LogFormat::Text => lines.with_ansi(false).with_target(false).try_init(),
    };
    // Only a second start in one process fails, and then the first log goes on.
    drop(started);
    std::panic::set_hook(Box::new(panicked));
}

/// A panic's message may quote a cell; its place is what finds the defect.
fn panicked(panic: &std::panic::PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let backtrace = std::backtrace::Backtrace::capture();
    let backtrace = (backtrace.status() == std::backtrace::BacktraceStatus::Captured).then(|| backtrace.to_string());
    tracing::error!(place, backtrace, "a defect of flyquery: a task panicked");
}

/// The metrics of the process.
#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
}

impl Metrics {
    /// Installs the recorder. The first one of a process stays: a later call gives a handle whose numbers stay empty.
    pub fn install() -> Self {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        drop(metrics::set_global_recorder(recorder));
        Self { handle }
    }

    /// What `/metrics` answers.
    pub fn text(&self) -> Arc<dyn Fn() -> String + Send + Sync> {
        let handle = self.handle.clone();
        Arc::new(move || handle.render())
    }

    /// Tidies until the process ends; never returns.
    pub async fn keep(self) {
        let mut ticks = tokio::time::interval(UPKEEP);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.handle.run_upkeep();
        }
    }
}
