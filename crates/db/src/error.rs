//! What can go wrong with the database, classed by whose fault it is.

use domain::{ErrorCode, Failure};
use sea_orm::sqlx;

/// A statement or connection that failed. After an error inside a transaction on Postgres the transaction is dead:
/// drop it. Statements that expect a duplicate say `ON CONFLICT DO NOTHING` instead of catching [`DbError::Conflict`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DbError {
    /// The world's fault: the server is away, no connection was free, or the transaction lost a race. Try again.
    #[error("the database did not answer: {0}")]
    Unavailable(String),
    /// The disk of the database is full. Try again when there is space.
    #[error("the database has no space left: {0}")]
    Full(String),
    /// A unique constraint refused a duplicate.
    #[error("duplicate in {table} ({constraint})")]
    Conflict {
        /// The table.
        table: String,
        /// Name of the constraint on Postgres, its columns on SQLite.
        constraint: String,
    },
    /// A row that a foreign key refers to does not exist.
    #[error("a referenced row does not exist: {0}")]
    Missing(String),
    /// The database was migrated by a newer flyquery.
    #[error(
        "the database has migration {found}, this flyquery knows up to {known}: it was migrated by a newer version; \
         run that version, or restore the backup made before the upgrade"
    )]
    Newer {
        /// Highest migration in the database.
        found: i64,
        /// Highest migration of this binary.
        known: i64,
    },
    /// A defect: wrong SQL, wrong type, a violated check.
    #[error("database defect: {0}")]
    Bug(String),
}

impl DbError {
    /// Whether trying again may help.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Full(_) => true,
            Self::Conflict { .. } | Self::Missing(_) | Self::Newer { .. } | Self::Bug(_) => false,
        }
    }

    /// Whether a unique constraint of `table` (`flyquery_…`) refused a duplicate.
    pub fn is_conflict_on(&self, table: &str) -> bool {
        matches!(self, Self::Conflict { table: t, .. } if t == table)
    }

    /// The error code that this becomes when nobody knows better.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Unavailable(_) => ErrorCode::InfrastructureUnavailable,
            Self::Full(_) => ErrorCode::StorageFull,
            Self::Conflict { .. } | Self::Missing(_) => ErrorCode::Conflict,
            Self::Newer { .. } | Self::Bug(_) => ErrorCode::InternalError,
        }
    }
}

impl From<DbError> for Failure {
    /// A conflict inside a job is a defect: what can collide there is written with `ON CONFLICT`.
    fn from(error: DbError) -> Self {
        let code = match error.code() {
            ErrorCode::Conflict => ErrorCode::InternalError,
            code => code,
        };
        Self::new(code, error.to_string())
    }
}

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(database) => of_database(database.as_ref()),
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::BeginFailed => Self::Unavailable(error.to_string()),
            _ => Self::Bug(error.to_string()),
        }
    }
}

fn of_database(error: &dyn sqlx::error::DatabaseError) -> DbError {
    let message = error.message().to_owned();
    match error.kind() {
        sqlx::error::ErrorKind::UniqueViolation => {
            let (table, constraint) = match (error.table(), error.constraint()) {
                (Some(table), Some(constraint)) => (table.to_owned(), constraint.to_owned()),
                _ => sqlite_unique(&message),
            };
            return DbError::Conflict { table, constraint };
        }
        sqlx::error::ErrorKind::ForeignKeyViolation => return DbError::Missing(message),
        _ => {}
    }
    let code = error.code().unwrap_or_default();
    match code.parse::<i32>() {
        // SQLite: extended result codes are decimal numbers, the primary code is the low byte
        Ok(number) if code.len() != 5 => match number & 0xff {
            13 => DbError::Full(message),
            5 | 6 | 10 | 14 | 15 => DbError::Unavailable(message),
            _ => DbError::Bug(message),
        },
        _ => of_sqlstate(&code, message),
    }
}

/// `UNIQUE constraint failed: flyquery_datasets.workspace_id, flyquery_datasets.name` names table and columns.
fn sqlite_unique(message: &str) -> (String, String) {
    let columns = message.rsplit_once(": ").map_or(message, |(_, columns)| columns);
    let table = columns.split('.').next().unwrap_or_default().to_owned();
    let names: Vec<&str> = columns.split(", ").map(|c| c.rsplit('.').next().unwrap_or(c)).collect();
    (table, names.join(", "))
}

/// Postgres' five-character codes (appendix A of its manual).
fn of_sqlstate(code: &str, message: String) -> DbError {
    match code {
        "53100" => DbError::Full(message),
        // read-only after a failover, lock not available, idle or statement time-out, serialization and deadlock
        "25006" | "55P03" | "57014" | "25P03" | "40001" | "40P01" | "58030" => DbError::Unavailable(message),
        _ if code.starts_with("08") || code.starts_with("53") || code.starts_with("57P") => {
            DbError::Unavailable(message)
        }
        _ => DbError::Bug(format!("{message} ({code})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlstates_are_classed() {
        for code in ["08006", "57P01", "40001", "40P01", "53300", "25006"] {
            assert!(of_sqlstate(code, String::new()).is_transient(), "{code}");
        }
        assert_eq!(of_sqlstate("53100", "x".into()), DbError::Full("x".into()));
        assert!(!of_sqlstate("42601", String::new()).is_transient());
    }

    #[test]
    fn sqlites_message_names_table_and_columns() {
        assert_eq!(sqlite_unique("UNIQUE constraint failed: t.a, t.b"), ("t".into(), "a, b".into()));
    }
}
