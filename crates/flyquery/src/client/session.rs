//! Finds the server a command speaks to: the one that was named, the one that holds the data directory, or one of its own.
//!
//! A server of another process can go away at any time, for it may belong to a command that is done. Then the next one is
//! found the same way, and may well be this process: jobs are rows in the database and go on there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use super::Server;
use crate::error::CliError;
use crate::home::{DataDir, HomeLock};
use crate::running::{Listen, Running};
use crate::settings::Settings;

/// How long a held directory may go without a server that answers.
const HELD: Duration = Duration::from_mins(1);
/// Silence after which a person is told what is being waited for.
const TELL: Duration = Duration::from_secs(2);
/// Servers that are asked before a command gives up.
const TRIES: usize = 5;
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(100);

/// A command's way to a server.
pub struct Session {
    settings: Arc<Settings>,
    state: Mutex<State>,
}

struct State {
    server: Server,
    own: Option<Running>,
}

impl Session {
    /// Finds or starts a server.
    pub async fn open(settings: Arc<Settings>) -> Result<Self, CliError> {
        let state = find(&settings).await?;
        Ok(Self { settings, state: Mutex::new(state) })
    }

    /// The server.
    pub async fn server(&self) -> Server {
        self.state.lock().await.server.clone()
    }

    /// Asks the server; asks the next one when this one went away before it answered.
    pub async fn ask<T>(&self, question: impl AsyncFn(&Server) -> Result<T, CliError>) -> Result<T, CliError> {
        let mut server = self.server().await;
        let mut left = TRIES;
        loop {
            left -= 1;
            match question(&server).await {
                Err(CliError::Unreachable(_)) if left > 0 && self.settings.client.server.is_none() => {
                    server = self.reconnect(&server).await?;
                }
                answered => return answered,
            }
        }
    }

    /// Another look for a server after `lost` no longer answered; at once when somebody else has looked already.
    pub async fn reconnect(&self, lost: &Server) -> Result<Server, CliError> {
        let mut state = self.state.lock().await;
        let same = state.server.url() == lost.url();
        if same && state.own.is_none() && self.settings.client.server.is_none() {
            *state = find(&self.settings).await?;
        }
        Ok(state.server.clone())
    }

    /// Stops the server if it is this process's own; `grace` is how long jobs of other commands may go on.
    pub async fn close(self, grace: Duration) {
        if let Some(own) = self.state.into_inner().own {
            own.stop(grace).await;
        }
    }
}

async fn find(settings: &Arc<Settings>) -> Result<State, CliError> {
    if let Some(url) = &settings.client.server {
        let server = Server::new(url, settings)?;
        server.greet().await?;
        return Ok(State { server, own: None });
    }
    if !settings.is_embedded() {
        return start(settings, None).await;
    }
    let home = DataDir::open(settings.data_dir())?;
    let began = Instant::now();
    let mut told = false;
    loop {
        if let Some(lock) = home.try_lock()? {
            return start(settings, Some(lock)).await;
        }
        let note = home.note();
        if let Some(note) = &note {
            let server = Server::new(&note.url, settings)?;
            if server.greet().await.is_ok() {
                return Ok(State { server, own: None });
            }
        }
        let holder = note.map_or_else(|| "another process".to_owned(), |note| format!("process {}", note.pid));
        if began.elapsed() > HELD {
            return Err(CliError::Home(format!(
                "{} is held by {holder}, which does not answer; stop it, or use another --data-dir",
                home.path().display()
            )));
        }
        if began.elapsed() > TELL && !told {
            told = true;
            eprintln!("waiting: {} is held by {holder}, which does not answer", home.path().display());
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn start(settings: &Arc<Settings>, lock: Option<HomeLock>) -> Result<State, CliError> {
    let own = Running::start(settings, lock, Listen::command()).await?;
    let server = Server::new(own.url(), settings)?;
    Ok(State { server, own: Some(own) })
}
