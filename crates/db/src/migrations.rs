//! The schema's history: one list for both databases, applied in order, each once, never edited after release.
//!
//! A migration is SQL with `{…}` for the few words that differ. Its checksum is that of the text before they are filled
//! in, so both databases agree on it. All pending migrations run in one transaction: a database is never half migrated.

use crate::connect::Db;
use crate::dialect::{Dialect, postgres, sqlite};
use crate::error::DbError;
use crate::params;
use crate::tx::Tx;

/// One step of the schema.
#[derive(Debug)]
struct Migration {
    id: i64,
    name: &'static str,
    sql: &'static str,
}

const ALL: &[Migration] = &[
    Migration { id: 1, name: "catalogue", sql: include_str!("migrations/0001_catalogue.sql") },
    Migration { id: 2, name: "jobs", sql: include_str!("migrations/0002_jobs.sql") },
    Migration { id: 3, name: "ops", sql: include_str!("migrations/0003_ops.sql") },
];

/// Held while migrating, so that processes that start together take turns.
const LOCK: i64 = 0x666c_7971_7565_7279;

const HISTORY: &str = "CREATE TABLE IF NOT EXISTS flyquery_schema_migrations (
    id {int} PRIMARY KEY NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at {time_now}
){strict};";

/// What a migration run did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MigrationReport {
    /// Migrations applied now; empty when the database was up to date.
    pub applied: Vec<i64>,
    /// The migration the database stands at.
    pub current: i64,
}

impl Db {
    /// Brings the schema up to this binary's, or says why not. Safe to call from several processes at once.
    pub async fn migrate(&self) -> Result<MigrationReport, DbError> {
        let tx = self.fleet().await?;
        if tx.dialect() == Dialect::Postgres {
            tx.row("SELECT pg_advisory_xact_lock($1)", params![LOCK]).await?;
        }
        tx.script(&render(HISTORY, tx.dialect())).await?;
        let done = history(&tx).await?;
        check(&done)?;
        let mut applied = Vec::new();
        for migration in ALL.iter().filter(|m| !done.iter().any(|(id, _)| *id == m.id)) {
            tx.script(&render(migration.sql, tx.dialect())).await?;
            let sql = format!(
                "INSERT INTO flyquery_schema_migrations (id, name, checksum, applied_at) VALUES ($1, $2, $3, {})",
                tx.now()
            );
            tx.execute(&sql, params![migration.id, migration.name, checksum(migration.sql)]).await?;
            tracing::info!(id = migration.id, name = migration.name, "schema migration applied");
            applied.push(migration.id);
        }
        tx.commit().await?;
        Ok(MigrationReport { applied, current: newest() })
    }

    /// Migrations that [`Db::migrate`] would apply; an error when the database is newer than this binary.
    pub async fn pending_migrations(&self) -> Result<Vec<i64>, DbError> {
        let tx = self.fleet_read().await?;
        let exists = match tx.dialect() {
            Dialect::Sqlite => "SELECT 1 AS one FROM sqlite_master WHERE name = 'flyquery_schema_migrations'",
            Dialect::Postgres => "SELECT 1 AS one WHERE to_regclass('flyquery_schema_migrations') IS NOT NULL",
        };
        let done = if tx.row(exists, Vec::new()).await?.is_some() { history(&tx).await? } else { Vec::new() };
        tx.commit().await?;
        check(&done)?;
        Ok(ALL.iter().map(|m| m.id).filter(|id| !done.iter().any(|(d, _)| d == id)).collect())
    }
}

async fn history(tx: &Tx) -> Result<Vec<(i64, String)>, DbError> {
    let rows = tx.rows("SELECT id, checksum FROM flyquery_schema_migrations ORDER BY id", Vec::new()).await?;
    rows.iter().map(|row| Ok((row.get("id")?, row.get("checksum")?))).collect()
}

fn check(done: &[(i64, String)]) -> Result<(), DbError> {
    for (id, sum) in done {
        match ALL.iter().find(|m| m.id == *id) {
            None => return Err(DbError::Newer { found: *id, known: newest() }),
            Some(migration) if checksum(migration.sql) != *sum => {
                return Err(DbError::Bug(format!(
                    "migration {id} ({}) was applied with another text: this binary and the database do not belong together",
                    migration.name
                )));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn newest() -> i64 {
    ALL.last().map_or(0, |m| m.id)
}

/// FNV-1a, 64 bits: tells an edited text from the applied one; nobody forges migrations.
fn checksum(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// Fills in what the databases call things.
fn render(sql: &str, dialect: Dialect) -> String {
    let now = dialect.now_plus(0.0);
    let words: [(&str, String); 16] = match dialect {
        Dialect::Sqlite => [
            ("{uuid_pk}", "blob PRIMARY KEY NOT NULL".into()),
            ("{uuid_pk_numbered}", format!("blob NOT NULL UNIQUE,\n    {} integer PRIMARY KEY", sqlite::ROW_NUMBER)),
            ("{text_index}", sqlite::TEXT_INDEX.into()),
            ("{uuid}", "blob".into()),
            ("{serial_pk}", "integer PRIMARY KEY AUTOINCREMENT".into()),
            ("{identity}", "integer NOT NULL".into()),
            ("{time_now}", format!("text NOT NULL DEFAULT {now}")),
            ("{time}", "text".into()),
            ("{json}", "text".into()),
            ("{int}", "integer".into()),
            ("{bool}", "integer".into()),
            ("{real}", "real".into()),
            ("{decimal}", "text".into()),
            ("{bytes}", "blob".into()),
            ("{strict}", " STRICT".into()),
            ("{true}", "1".into()),
        ],
        Dialect::Postgres => [
            ("{uuid_pk}", "uuid PRIMARY KEY DEFAULT gen_random_uuid()".into()),
            ("{uuid_pk_numbered}", "uuid PRIMARY KEY DEFAULT gen_random_uuid()".into()),
            ("{text_index}", postgres::TEXT_INDEX.into()),
            ("{uuid}", "uuid".into()),
            ("{serial_pk}", "bigserial PRIMARY KEY".into()),
            ("{identity}", "bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY".into()),
            ("{time_now}", format!("timestamptz NOT NULL DEFAULT {now}")),
            ("{time}", "timestamptz".into()),
            ("{json}", "jsonb".into()),
            ("{int}", "bigint".into()),
            ("{bool}", "boolean".into()),
            ("{real}", "double precision".into()),
            ("{decimal}", "numeric".into()),
            ("{bytes}", "bytea".into()),
            ("{strict}", String::new()),
            ("{true}", "true".into()),
        ],
    };
    let no = if dialect == Dialect::Sqlite { "0" } else { "false" };
    words.iter().fold(sql.replace("{false}", no), |text, (word, meaning)| text.replace(word, meaning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_consecutive_from_one() {
        let ids: Vec<i64> = ALL.iter().map(|m| m.id).collect();
        assert_eq!(ids, (1..=ALL.len() as i64).collect::<Vec<_>>());
    }

    #[test]
    fn every_word_in_braces_is_known() {
        for migration in ALL {
            for dialect in [Dialect::Sqlite, Dialect::Postgres] {
                let text = render(migration.sql, dialect).replace("'{}'", "");
                assert!(!text.contains('{'), "{}: {text}", migration.name);
            }
        }
    }

    /// A database that has applied the old text refuses the new one. Add a migration instead; only what no release
    /// holds yet may be edited, together with its sum here.
    #[test]
    fn a_migration_is_not_edited_by_accident() {
        let sums: Vec<String> = ALL.iter().map(|m| checksum(m.sql)).collect();
        let indexes = [sqlite::TEXT_INDEX, postgres::TEXT_INDEX].map(checksum);
        assert_eq!(indexes, ["51f7f3781766391a", "d5e375cbcd82b400"]);
        assert_eq!(sums, ["35b42038586d6072", "0fa94453ee81d982", "eac2bae5ce90f478"]);
    }
}
