//! Failures on their way through `std::io`, and what an I/O error of the world means for a job.

use std::io;

use domain::{ErrorCode, Failure};

/// Wraps a failure so that it can travel as an I/O error.
pub fn carry(failure: Failure) -> io::Error {
    io::Error::other(failure)
}

/// The failure an I/O error carries, or else the world's fault while `doing`.
pub fn failure_of(error: io::Error, doing: &str) -> Failure {
    let kind = error.kind();
    match error.downcast::<Failure>() {
        Ok(failure) => failure,
        Err(error) => {
            let code = match kind {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                    ErrorCode::StorageFull
                }
                _ => ErrorCode::InfrastructureUnavailable,
            };
            Failure::new(code, format!("{doing} failed: {error}"))
        }
    }
}

/// Our own defect.
pub fn bug(detail: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::InternalError, detail)
}
