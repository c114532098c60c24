//! `Tx`: one transaction, the only door to the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use domain::{Scope, TenantId};
use futures::TryStreamExt as _;
use sea_orm::Value;
use sea_orm::sqlx::postgres::{PgArguments, Postgres};
use sea_orm::sqlx::sqlite::{Sqlite, SqliteArguments};
use sea_orm::sqlx::{self, Arguments as _, AssertSqlSafe, Transaction};
use tokio::sync::Mutex;

use crate::dialect::{Dialect, sqlite};
use crate::error::DbError;
use crate::row::{Raw, Row};
use crate::storable::storable;

/// Whose data a transaction may touch.
pub(crate) enum Bound {
    Fleet,
    Tenant(TenantId),
    Scope(Scope),
}

impl Bound {
    /// What tells Postgres' row-level security, local to the transaction; appended to BEGIN.
    pub(crate) fn config(&self) -> String {
        match self {
            Self::Fleet => String::new(),
            Self::Tenant(tenant) => format!("; SELECT set_config('app.tenant_id','{tenant}',true)"),
            Self::Scope(scope) => format!(
                "; SELECT set_config('app.tenant_id','{}',true),set_config('app.workspace_id','{}',true)",
                scope.tenant, scope.workspace
            ),
        }
    }
}

pub(crate) enum Conn {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres { tx: Transaction<'static, Postgres>, prepares: bool },
}

/// One transaction. Dropped without [`Tx::commit`] it is rolled back.
pub struct Tx {
    conn: Mutex<Conn>,
    dialect: Dialect,
    bound: Bound,
    shift: Arc<AtomicI64>,
}

impl Tx {
    pub(crate) fn new(conn: Conn, bound: Bound, shift: Arc<AtomicI64>) -> Self {
        let dialect = match &conn {
            Conn::Sqlite(_) => Dialect::Sqlite,
            Conn::Postgres { .. } => Dialect::Postgres,
        };
        Self { conn: Mutex::new(conn), dialect, bound, shift }
    }

    /// Makes every change durable and visible.
    pub async fn commit(self) -> Result<(), DbError> {
        match self.conn.into_inner() {
            Conn::Sqlite(tx) => tx.commit().await?,
            Conn::Postgres { tx, .. } => tx.commit().await?,
        }
        Ok(())
    }

    /// Drops every change.
    pub async fn rollback(self) -> Result<(), DbError> {
        match self.conn.into_inner() {
            Conn::Sqlite(tx) => tx.rollback().await?,
            Conn::Postgres { tx, .. } => tx.rollback().await?,
        }
        Ok(())
    }

    /// Which database this is.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Tenant and workspace, when the transaction is bound to one workspace.
    pub fn bound(&self) -> Option<&Scope> {
        match &self.bound {
            Bound::Scope(scope) => Some(scope),
            Bound::Tenant(_) | Bound::Fleet => None,
        }
    }

    pub(crate) fn is_fleet(&self) -> bool {
        matches!(self.bound, Bound::Fleet)
    }

    /// Tenant and workspace; an error when the transaction is bound to none. What the catalogue's functions use.
    pub fn scope(&self) -> Result<&Scope, DbError> {
        self.bound().ok_or_else(|| DbError::Bug("the transaction is bound to no workspace".to_owned()))
    }

    /// The tenant; an error in a fleet transaction.
    pub fn tenant(&self) -> Result<&TenantId, DbError> {
        match &self.bound {
            Bound::Scope(scope) => Ok(&scope.tenant),
            Bound::Tenant(tenant) => Ok(tenant),
            Bound::Fleet => Err(DbError::Bug("the transaction is bound to no tenant".to_owned())),
        }
    }

    /// Narrows a fleet transaction to one workspace, for example a job's. Refused when it is bound to another one.
    pub fn bind(&mut self, scope: &Scope) -> Result<(), DbError> {
        match &self.bound {
            Bound::Fleet => self.bound = Bound::Scope(scope.clone()),
            Bound::Scope(bound) if bound == scope => {}
            Bound::Scope(_) | Bound::Tenant(_) => {
                return Err(DbError::Bug("the transaction is already bound elsewhere".to_owned()));
            }
        }
        Ok(())
    }

    /// Runs a statement; the number of rows it touched.
    pub async fn execute(&self, sql: &str, params: Vec<Value>) -> Result<u64, DbError> {
        let mut conn = self.conn.lock().await;
        match &mut *conn {
            Conn::Sqlite(tx) => {
                let query = sqlx::query_with(AssertSqlSafe(sql), sqlite_arguments(params)?);
                Ok(query.execute(&mut **tx).await?.rows_affected())
            }
            Conn::Postgres { tx, prepares } => {
                let query = sqlx::query_with(AssertSqlSafe(sql), postgres_arguments(params)?);
                Ok(query.persistent(*prepares).execute(&mut **tx).await?.rows_affected())
            }
        }
    }

    /// Runs a statement; every row it gives. The caller bounds their number by LIMIT.
    pub async fn rows(&self, sql: &str, params: Vec<Value>) -> Result<Vec<Row>, DbError> {
        let mut conn = self.conn.lock().await;
        match &mut *conn {
            Conn::Sqlite(tx) => {
                let query = sqlx::query_with(AssertSqlSafe(sql), sqlite_arguments(params)?);
                let rows = query.fetch_all(&mut **tx).await?;
                Ok(rows.into_iter().map(|row| Row(Raw::Sqlite(row))).collect())
            }
            Conn::Postgres { tx, prepares } => {
                let query = sqlx::query_with(AssertSqlSafe(sql), postgres_arguments(params)?);
                let rows = query.persistent(*prepares).fetch_all(&mut **tx).await?;
                Ok(rows.into_iter().map(|row| Row(Raw::Postgres(row))).collect())
            }
        }
    }

    /// Runs a statement and hands over its rows one by one, for results too large to hold.
    pub(crate) async fn each(
        &self,
        sql: &str,
        params: Vec<Value>,
        mut see: impl FnMut(&Row) -> Result<(), DbError> + Send,
    ) -> Result<(), DbError> {
        let mut conn = self.conn.lock().await;
        match &mut *conn {
            Conn::Sqlite(tx) => {
                let query = sqlx::query_with(AssertSqlSafe(sql), sqlite_arguments(params)?);
                let mut rows = query.fetch(&mut **tx);
                while let Some(row) = rows.try_next().await? {
                    see(&Row(Raw::Sqlite(row)))?;
                    // rows that are there already never wait: other tasks get their turn here
                    tokio::task::consume_budget().await;
                }
            }
            Conn::Postgres { tx, prepares } => {
                let query = sqlx::query_with(AssertSqlSafe(sql), postgres_arguments(params)?).persistent(*prepares);
                let mut rows = query.fetch(&mut **tx);
                while let Some(row) = rows.try_next().await? {
                    see(&Row(Raw::Postgres(row)))?;
                    tokio::task::consume_budget().await;
                }
            }
        }
        Ok(())
    }

    /// Runs a statement to its end; its first row.
    pub async fn row(&self, sql: &str, params: Vec<Value>) -> Result<Option<Row>, DbError> {
        Ok(self.rows(sql, params).await?.into_iter().next())
    }

    /// Runs a script of several statements without parameters; for migrations.
    pub(crate) async fn script(&self, sql: &str) -> Result<(), DbError> {
        let mut conn = self.conn.lock().await;
        match &mut *conn {
            Conn::Sqlite(tx) => sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut **tx).await.map(drop)?,
            Conn::Postgres { tx, .. } => sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut **tx).await.map(drop)?,
        }
        Ok(())
    }

    /// Expression: the database's time as a timestamp column takes it. Tests move it by `Db::shift_time`.
    pub fn now(&self) -> String {
        self.dialect.now_plus(self.offset())
    }

    /// Expression: the database's time plus `seconds`, which may be negative. For constants: the number becomes part
    /// of the statement's text; use [`Tx::now_plus_bound`] for numbers that vary.
    pub fn now_plus(&self, seconds: f64) -> String {
        self.dialect.now_plus(self.offset() + seconds)
    }

    /// Expression: the database's time plus the seconds (an `f64`) bound to `placeholder` (`"$3"`).
    pub fn now_plus_bound(&self, placeholder: &str) -> String {
        self.dialect.now_plus_bound(self.offset(), placeholder)
    }

    fn offset(&self) -> f64 {
        self.shift.load(Ordering::SeqCst) as f64 / 1e6
    }
}

impl std::fmt::Debug for Tx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tx").field("dialect", &self.dialect).field("bound", &self.bound()).finish_non_exhaustive()
    }
}

/// Both databases take the same variants; only times differ.
macro_rules! arguments {
    ($arguments:ident, $params:ident, |$time:ident| $as_time:expr) => {
        for value in $params {
            let added = match storable(value) {
                Value::Bool(v) => $arguments.add(v),
                Value::Int(v) => $arguments.add(v.map(i64::from)),
                Value::BigInt(v) => $arguments.add(v),
                Value::Double(v) => $arguments.add(v),
                Value::String(v) => $arguments.add(v),
                Value::Bytes(v) => $arguments.add(v),
                Value::Json(v) => $arguments.add(v.map(|v| *v)),
                Value::Uuid(v) => $arguments.add(v),
                Value::ChronoDateTimeUtc($time) => $arguments.add($as_time),
                other => return Err(DbError::Bug(format!("a parameter of a type no column has: {}", kind_of(&other)))),
            };
            added.map_err(|e| DbError::Bug(e.to_string()))?;
        }
    };
}

fn sqlite_arguments(params: Vec<Value>) -> Result<SqliteArguments, DbError> {
    let mut arguments = SqliteArguments::default();
    arguments!(arguments, params, |time| time.map(sqlite::time_text));
    Ok(arguments)
}

fn postgres_arguments(params: Vec<Value>) -> Result<PgArguments, DbError> {
    let mut arguments = PgArguments::default();
    arguments!(arguments, params, |time| time);
    Ok(arguments)
}

/// Name of a variant without its content.
fn kind_of(value: &Value) -> String {
    let text = format!("{value:?}");
    text.split('(').next().unwrap_or_default().to_owned()
}
