//! Settings of the log.

use super::declare::section;
use super::value::{LogFormat, LogLevel};

section! {
    /// Log
    pub struct Log {
        /// What is logged, to standard error. Commands other than `serve` keep to warnings unless this is set.
        level: LogLevel = LogLevel("info".to_owned()), "LOG_LEVEL";
        /// How lines are written.
        format: LogFormat = LogFormat::Text, "LOG_FORMAT";
    }
}
