//! Signals: the first asks the process to finish what it does, the second ends it at once.

use std::io::{self, Write as _};
use std::time::Duration;

/// A signal that asks the process to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// A polite kill.
    Terminate,
}

impl Signal {
    /// The exit code that tells a shell which signal ended the process.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

/// Listens for signals.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Starts to listen; from here on a signal no longer ends the process by itself.
    pub fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        }
    }
}

/// Listens for Ctrl-C, the only such signal here.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Starts to listen.
    pub fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for the next Ctrl-C.
    pub async fn next(&mut self) -> Signal {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::Interrupt,
            Err(_) => std::future::pending().await,
        }
    }
}

/// Ends the process if it has not ended by itself after `patience`, even when no task of it moves any more.
pub fn end_within(patience: Duration) {
    let watchdog = std::thread::Builder::new().name("deadline".to_owned());
    let started = watchdog.spawn(move || {
        std::thread::sleep(patience);
        drop(writeln!(io::stderr(), "error: the process did not end within {patience:?} and is cut off"));
        std::process::exit(1);
    });
    // Without the thread the process ends as it can.
    drop(started);
}

/// Tells `first` of the first signal, and ends the process at the second: whoever asks twice does not want to wait.
pub async fn watch(mut signals: Signals, first: tokio::sync::oneshot::Sender<Signal>) {
    let signal = signals.next().await;
    // Nobody listens once the command is done: then the process is about to end by itself.
    let _ = first.send(signal);
    let again = signals.next().await;
    std::process::exit(i32::from(again.exit_code()));
}
