//! `flyquery serve`: the server that stays, until Ctrl-C or SIGTERM asks it to finish what it does.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::Watch;
use crate::client::Server;
use crate::error::CliError;
use crate::home::{DataDir, HomeLock, ServerNote};
use crate::render;
use crate::running::{Listen, Running};
use crate::settings::Settings;

/// Time between two looks at a directory that a command holds.
const LOOK: Duration = Duration::from_millis(200);

/// Serves until a signal comes; both signals end it with 0, for it ends in order.
pub async fn run(settings: &Arc<Settings>, with_workers: bool) -> Result<ExitCode, CliError> {
    let mut watch = Watch::start()?;
    let started = async {
        match hold(settings).await? {
            Held::Elsewhere(note) => already_served(settings, &note).map(|()| None),
            Held::Here(lock) => {
                let listen = Listen::stay(settings, with_workers);
                Running::start(settings, lock, listen).await.map(Some)
            }
        }
    };
    let running = tokio::select! {
        running = started => running?,
        _ = watch.signal() => None,
    };
    let Some(running) = running else { return Ok(ExitCode::SUCCESS) };
    render::put(&format!("flyquery {} listens on {}\n", env!("CARGO_PKG_VERSION"), running.url()))?;
    let signal = watch.signal().await;
    tracing::info!(?signal, "finishing what runs; a second signal ends at once");
    running.stop(settings.ingest.shutdown_grace.duration()).await;
    Ok(ExitCode::SUCCESS)
}

enum Held {
    /// This process may serve; with the directory's lock in the embedded home.
    Here(Option<HomeLock>),
    /// Another server serves the directory.
    Elsewhere(ServerNote),
}

/// Takes the data directory; waits for a command that holds it, but not for a server.
async fn hold(settings: &Settings) -> Result<Held, CliError> {
    if !settings.is_embedded() {
        return Ok(Held::Here(None));
    }
    let home = DataDir::open(settings.data_dir())?;
    let mut told = false;
    loop {
        if let Some(lock) = home.try_lock()? {
            return Ok(Held::Here(Some(lock)));
        }
        let note = home.note();
        if let Some(note) = note.filter(|note| note.stays)
            && Server::new(&note.url, settings)?.greet().await.is_ok()
        {
            return Ok(Held::Elsewhere(note));
        }
        if !told {
            told = true;
            tracing::info!(data_dir = %home.path().display(), "another process holds the data directory; waiting for it");
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// A second server has nothing to do where the first one already listens, and can't do what was asked elsewhere.
fn already_served(settings: &Settings, note: &ServerNote) -> Result<(), CliError> {
    let (directory, ServerNote { url, pid, .. }) = (settings.data_dir().display(), note);
    if url.ends_with(&format!(":{}", settings.server.port)) {
        return render::put(&format!("{url} already serves {directory} (process {pid})\n"));
    }
    Err(CliError::Home(format!(
        "{directory} is served at {url} already (process {pid}); stop that server, or use another --data-dir"
    )))
}
