//! Direct SQL over the published snapshots of a dataset.

pub mod execute;

use domain::ErrorCode;
use domain::ports::sql::SqlError;
use tokio::sync::SemaphorePermit;

use crate::problem::Problem;
use crate::state::App;

/// A place for a statement or a page of rows; 503 when too many run or wait already.
pub fn place(app: &App) -> Result<SemaphorePermit<'_>, Problem> {
    app.statements.try_acquire().map_err(|_| {
        Problem::new(ErrorCode::ServiceUnavailable).detail("The server runs as many statements as it can.")
    })
}

/// What a failed read answers where there is no `execution_status` to say it.
pub fn problem(error: SqlError) -> Problem {
    match error {
        SqlError::Internal(cause) => Problem::defect(&cause),
        SqlError::Refused(_) | SqlError::Wrong(_) | SqlError::TimedOut(_) | SqlError::OutOfMemory(_) => {
            Problem::new(ErrorCode::SqlError).detail(error.to_string())
        }
    }
}
