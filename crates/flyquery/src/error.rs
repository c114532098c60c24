//! How a command ends when it does not succeed: what is said, and the exit code.

use std::io;
use std::process::ExitCode;

use crate::client::Problem;
use crate::settings::SettingsError;

/// Why a command ended without its effect.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The command line names something that can't be used.
    #[error("{0}")]
    Usage(String),
    /// A setting is wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The job or the statement failed.
    #[error("{0}")]
    Failed(String),
    /// The server refused the request.
    #[error("{0}")]
    Refused(Box<Problem>),
    /// The failure has been shown with the command's output.
    #[error("")]
    Shown,
    /// No server answers.
    #[error("{0}")]
    Unreachable(String),
    /// What answers is no flyquery server, or one of another version.
    #[error("{0}")]
    Strange(String),
    /// The home can't be opened or the server can't be started.
    #[error("{0}")]
    Home(String),
    /// The output can't be written.
    #[error("cannot write the output: {0}")]
    Output(#[source] io::Error),
}

impl CliError {
    /// The exit code, as `flyquery --help` documents it.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            // The reader of a pipe had enough: nothing went wrong.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Failed(_) | Self::Refused(_) | Self::Shown | Self::Output(_) => 1,
            Self::Usage(_) | Self::Settings(_) => 2,
            Self::Unreachable(_) | Self::Strange(_) => 3,
            Self::Home(_) => 4,
        })
    }

    /// What is printed on standard error; nothing when there is nothing to add.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Shown => None,
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
            Self::Settings(SettingsError(errors)) => {
                let lines: Vec<String> = errors.iter().map(|error| format!("error: {error}")).collect();
                Some(lines.join("\n"))
            }
            other @ (Self::Usage(_)
            | Self::Failed(_)
            | Self::Refused(_)
            | Self::Unreachable(_)
            | Self::Strange(_)
            | Self::Home(_)
            | Self::Output(_)) => Some(format!("error: {other}")),
        }
    }
}

/// An error with everything that caused it, in one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
