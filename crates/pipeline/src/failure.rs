//! How a run ends early: rejected (the file's fault), transient (the world's), a defect (ours), or halted.

use db::DbError;
use domain::{ErrorCode, Failure, Stage};

use crate::fence::Halt;

/// Why a run ended without its result.
#[derive(Debug)]
pub enum Stop {
    /// A failure that the job records.
    Failed(Failure),
    /// The job must stop; the engine knows what follows.
    Halted(Halt),
}

impl Stop {
    /// The same, placed in a stage.
    pub fn in_stage(self, stage: Stage) -> Self {
        match self {
            Self::Failed(failure) => Self::Failed(failure.in_stage(stage)),
            Self::Halted(halt) => Self::Halted(halt),
        }
    }
}

impl From<Failure> for Stop {
    /// A reader that was told to stop reports JOB_CANCELLED; the fence then knows the true reason, see `step`.
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<DbError> for Stop {
    fn from(error: DbError) -> Self {
        Self::Failed(db_failure(&error))
    }
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Self::Halted(halt)
    }
}

/// A database error as a failure: the world's fault when trying again can help, else ours.
pub fn db_failure(error: &DbError) -> Failure {
    let code = if error.is_transient() { ErrorCode::InfrastructureUnavailable } else { ErrorCode::InternalError };
    Failure::new(code, format!("The catalogue database: {error}."))
}

/// An object-store error as a failure. A missing object is ours (a row named it); no space is the world's.
pub fn store_failure(error: &object_store::Error) -> Failure {
    if is_full(error) {
        return Failure::new(ErrorCode::StorageFull, "The object store has no space left.");
    }
    if let object_store::Error::NotFound { path, .. } = error {
        return Failure::new(
            ErrorCode::InternalError,
            format!("The object '{path}' is recorded but not in the store."),
        );
    }
    Failure::new(ErrorCode::InfrastructureUnavailable, format!("The object store: {error}."))
}

/// An I/O error of a blob being read or written.
pub fn io_failure(error: &std::io::Error) -> Failure {
    let full = matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded);
    let code = if full { ErrorCode::StorageFull } else { ErrorCode::InfrastructureUnavailable };
    Failure::new(code, format!("Reading or writing a stored object: {error}."))
}

/// A defect of ours.
pub fn defect(detail: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::InternalError, detail)
}

fn is_full(error: &object_store::Error) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(current) = source {
        if let Some(io) = current.downcast_ref::<std::io::Error>()
            && matches!(io.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
        {
            return true;
        }
        source = current.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_apart_from_an_absent_store() {
        let full = object_store::Error::Generic {
            store: "local",
            source: Box::new(std::io::Error::from(std::io::ErrorKind::StorageFull)),
        };
        assert_eq!(store_failure(&full).code, ErrorCode::StorageFull);
        let away = object_store::Error::Generic {
            store: "local",
            source: Box::new(std::io::Error::from(std::io::ErrorKind::TimedOut)),
        };
        assert_eq!(store_failure(&away).code, ErrorCode::InfrastructureUnavailable);
    }
}
