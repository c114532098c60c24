//! Colour and width of the terminal: both only where a terminal is, and no colour where `NO_COLOR` is set.

use std::io::{self, IsTerminal as _};

use crate::settings::Environment;

/// How standard output looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Whether colours are shown.
    pub colour: bool,
    /// Columns of the terminal; `None` when there is none, and then nothing is cut to fit.
    pub width: Option<usize>,
}

impl Style {
    /// The style of standard output.
    pub fn of_stdout(environment: &Environment) -> Self {
        let terminal = io::stdout().is_terminal();
        let plain = environment.get("NO_COLOR").is_some() || environment.get("TERM") == Some("dumb");
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self { colour: terminal && !plain, width: width.filter(|_| terminal) }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Stands out.
    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Steps back.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Good.
    pub fn green(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Worth a look.
    pub fn yellow(self, text: &str) -> String {
        self.paint("33", text)
    }

    /// Bad.
    pub fn red(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// To be typed.
    pub fn cyan(self, text: &str) -> String {
        self.paint("36", text)
    }
}
