//! SQLite: one writer, many readers, times as text.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::search::Term;
use sea_orm::sqlx::Connection as _;
use sea_orm::sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use crate::connect::DbSettings;
use crate::error::DbError;

/// How long a statement waits for a lock of another process; inside the process nobody waits for one.
const BUSY: Duration = Duration::from_secs(30);
/// Readers at most: each is a thread with its own page cache.
const READERS: u32 = 8;

/// Column of the schema objects that gives their text index a number that VACUUM can't change.
pub(crate) const ROW_NUMBER: &str = "row_no";

/// FTS5 over the two texts of an object, kept as its manual says. Triggers fire for cascades too. One trigger forgets the
/// old words and learns the new ones, because the order of two triggers is not defined.
pub(crate) const TEXT_INDEX: &str = "\
CREATE VIRTUAL TABLE flyquery_schema_search USING fts5 (
    content_names, content_text, content = 'flyquery_schema_objects', content_rowid = 'row_no',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER flyquery_schema_search_insert AFTER INSERT ON flyquery_schema_objects BEGIN
    INSERT INTO flyquery_schema_search (rowid, content_names, content_text)
    VALUES (new.row_no, new.content_names, new.content_text);
END;
CREATE TRIGGER flyquery_schema_search_delete AFTER DELETE ON flyquery_schema_objects BEGIN
    INSERT INTO flyquery_schema_search (flyquery_schema_search, rowid, content_names, content_text)
    VALUES ('delete', old.row_no, old.content_names, old.content_text);
END;
CREATE TRIGGER flyquery_schema_search_update AFTER UPDATE OF content_names, content_text ON flyquery_schema_objects
BEGIN
    INSERT INTO flyquery_schema_search (flyquery_schema_search, rowid, content_names, content_text)
    VALUES ('delete', old.row_no, old.content_names, old.content_text);
    INSERT INTO flyquery_schema_search (rowid, content_names, content_text)
    VALUES (new.row_no, new.content_names, new.content_text);
END;";

/// The two pools of a SQLite database.
#[derive(Debug)]
pub(crate) struct Pools {
    /// One connection: writers queue here instead of meeting `SQLITE_BUSY`.
    pub(crate) writer: SqlitePool,
    /// Readers, which see a snapshot and can't write.
    pub(crate) readers: SqlitePool,
}

/// Opens the file, making it when it is missing.
pub(crate) async fn connect(path: &std::path::Path, settings: &DbSettings) -> Result<Pools, DbError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: a commit that was answered survives a power cut, not only a crash of the process
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        .pragma("journal_size_limit", "67108864")
        .pragma("temp_store", "memory");
    let pool = SqlitePoolOptions::new()
        .acquire_timeout(settings.acquire_timeout)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_release(|connection, _| Box::pin(ended(connection)));
    let writer = pool.clone().max_connections(1).min_connections(1).connect_with(options.clone()).await?;
    let readers = pool
        .max_connections(settings.max_connections.clamp(1, READERS))
        .connect_lazy_with(options.create_if_missing(false).pragma("query_only", "on"));
    Ok(Pools { writer, readers })
}

/// Whether a returned connection has left its transaction behind. A full disk can end a transaction without the driver's
/// knowing: such a connection refuses every later one and must go.
async fn ended(connection: &mut SqliteConnection) -> Result<bool, sea_orm::sqlx::Error> {
    // a dropped transaction is rolled back before the ping is answered
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Times are RFC 3339 text of one width, so that their order as text is their order in time.
pub(crate) fn time_text(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string()
}

pub(crate) fn now_plus(seconds: f64) -> String {
    if seconds == 0.0 {
        "(strftime('%Y-%m-%dT%H:%M:%f','now')||'000+00:00')".to_owned()
    } else {
        format!("(strftime('%Y-%m-%dT%H:%M:%f','now','{seconds:+.3} seconds')||'000+00:00')")
    }
}

pub(crate) fn now_plus_bound(offset: f64, placeholder: &str) -> String {
    format!(
        "(strftime('%Y-%m-%dT%H:%M:%f','now',printf('%+.3f seconds',{placeholder}),'{offset:+.3} seconds')||'000+00:00')"
    )
}

/// A search in FTS5's syntax. Words are quoted, so none is an operator; letters and digits only, so none ends the quotes.
pub(crate) fn text_query(terms: &[Term]) -> String {
    let quoted = terms.iter().map(|term| format!("\"{}\"{}", term.word, if term.prefix { "*" } else { "" }));
    quoted.collect::<Vec<_>>().join(" OR ")
}
