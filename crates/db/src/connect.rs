//! `Db`: a database that can only be reached through transactions.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use domain::{Scope, TenantId};
use sea_orm::sqlx::AssertSqlSafe;
use sea_orm::sqlx::postgres::PgPool;

use crate::dialect::{Dialect, postgres, sqlite};
use crate::error::DbError;
use crate::tx::{Bound, Conn, Tx};
use crate::url::DbUrl;

/// How to reach the database.
#[derive(Clone, Debug)]
pub struct DbSettings {
    /// Where it is.
    pub url: DbUrl,
    /// Connections at most. SQLite writes through one connection whatever this says, and reads through up to eight.
    pub max_connections: u32,
    /// How long a transaction may wait for a free connection before it fails as [`DbError::Unavailable`].
    pub acquire_timeout: Duration,
}

/// A database. Cheap to clone; all clones share the pool.
///
/// A task holds at most one write transaction at a time: on SQLite a second one would wait for the first.
#[derive(Clone, Debug)]
pub struct Db {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    pools: Pools,
    /// Microseconds that tests moved the database's clock by.
    shift: Arc<AtomicI64>,
}

#[derive(Debug)]
enum Pools {
    Sqlite(sqlite::Pools),
    Postgres { pool: PgPool, prepares: bool },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Db {
    /// Connects. Does not migrate.
    pub async fn connect(settings: DbSettings) -> Result<Self, DbError> {
        let pools = match &settings.url {
            DbUrl::Sqlite(path) => Pools::Sqlite(sqlite::connect(path, &settings).await?),
            DbUrl::Postgres(url) => {
                Pools::Postgres { pool: postgres::connect(url, &settings).await?, prepares: settings.url.prepares() }
            }
        };
        Ok(Self { inner: Arc::new(Inner { pools, shift: Arc::default() }) })
    }

    /// Which database this is.
    pub fn dialect(&self) -> Dialect {
        match &self.inner.pools {
            Pools::Sqlite(_) => Dialect::Sqlite,
            Pools::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// A transaction that may read and write one workspace.
    pub async fn scope(&self, scope: &Scope) -> Result<Tx, DbError> {
        self.begin(Bound::Scope(scope.clone()), Access::Write).await
    }

    /// A transaction that sees one snapshot of one workspace and can't write.
    pub async fn scope_read(&self, scope: &Scope) -> Result<Tx, DbError> {
        self.begin(Bound::Scope(scope.clone()), Access::Read).await
    }

    /// A transaction over the workspaces of a tenant: to make, list and find them.
    pub async fn tenant(&self, tenant: &TenantId) -> Result<Tx, DbError> {
        self.begin(Bound::Tenant(tenant.clone()), Access::Write).await
    }

    /// As [`Db::tenant`], but sees one snapshot and can't write.
    pub async fn tenant_read(&self, tenant: &TenantId) -> Result<Tx, DbError> {
        self.begin(Bound::Tenant(tenant.clone()), Access::Read).await
    }

    /// A transaction without a scope, for jobs, callbacks and retention only. [`Tx::bind`] narrows it later.
    pub async fn fleet(&self) -> Result<Tx, DbError> {
        self.begin(Bound::Fleet, Access::Write).await
    }

    /// As [`Db::fleet`], but sees one snapshot and can't write.
    pub async fn fleet_read(&self) -> Result<Tx, DbError> {
        self.begin(Bound::Fleet, Access::Read).await
    }

    /// Whether the database answers and a transaction that writes can begin.
    pub async fn ping(&self) -> Result<(), DbError> {
        let tx = self.fleet_read().await?;
        tx.row("SELECT 1 AS one", Vec::new()).await?;
        tx.commit().await?;
        self.fleet().await?.rollback().await
    }

    /// Moves what SQL takes for "now"; for tests of leases, retries and retention.
    pub fn shift_time(&self, by: TimeDelta) {
        self.inner.shift.fetch_add(by.num_microseconds().unwrap_or(0), Ordering::SeqCst);
    }

    /// Waits for open transactions and closes every connection. Later transactions fail as unavailable.
    pub async fn close(&self) {
        match &self.inner.pools {
            Pools::Sqlite(pools) => {
                pools.readers.close().await;
                pools.writer.close().await;
            }
            Pools::Postgres { pool, .. } => pool.close().await,
        }
    }

    async fn begin(&self, bound: Bound, access: Access) -> Result<Tx, DbError> {
        let conn = match &self.inner.pools {
            Pools::Sqlite(pools) => Conn::Sqlite(match access {
                Access::Read => pools.readers.begin_with("BEGIN DEFERRED").await?,
                // IMMEDIATE: a deferred transaction that turns writer late can fail whatever the busy time-out
                Access::Write => pools.writer.begin_with("BEGIN IMMEDIATE").await?,
            }),
            Pools::Postgres { pool, prepares } => {
                // one round trip: tenant and workspace are a slug and a UUID, nothing that needs quoting
                let begin = match access {
                    Access::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                    Access::Write => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
                };
                let statement = format!("{begin}{}", bound.config());
                Conn::Postgres { tx: pool.begin_with(AssertSqlSafe(statement)).await?, prepares: *prepares }
            }
        };
        Ok(Tx::new(conn, bound, Arc::clone(&self.inner.shift)))
    }
}
