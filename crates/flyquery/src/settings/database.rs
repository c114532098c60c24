//! Settings of the catalogue's database.

use super::declare::section;
use super::value::{DatabaseUrl, Seconds};

section! {
    /// Database
    pub struct Database {
        /// Postgres that holds the catalogue and the jobs; `postgresql+asyncpg://` is understood too. Unset, flyquery is
        /// embedded: SQLite in the data directory, nothing to install.
        url: Option<DatabaseUrl> = None, "DATABASE_URL", by default "unset: embedded";
        /// Connections the process may hold.
        max_connections: u32 = 10, "DATABASE_MAX_CONNECTIONS", in 2..=1000;
        /// How long a request may wait for a connection.
        acquire_timeout: Seconds = Seconds(10.0), "DATABASE_ACQUIRE_TIMEOUT_S", in Seconds(0.1)..=Seconds(600.0);
        /// Whether `serve` brings the schema up to date when it starts; the embedded home always does.
        run_migrations: bool = true, "RUN_MIGRATIONS";
    }
}
