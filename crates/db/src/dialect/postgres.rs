//! Postgres: a pool without session state, so that a PgBouncer which pools transactions may stand between.

use std::str::FromStr;
use std::time::Duration;

use domain::search::Term;
use sea_orm::sqlx::Connection as _;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};

use crate::connect::DbSettings;
use crate::error::DbError;

/// A connection that lay idle for this long is tried before it is used.
const DOUBTFUL_AFTER: Duration = Duration::from_secs(10);

/// A column that Postgres computes itself, and its index.
pub(crate) const TEXT_INDEX: &str = "\
ALTER TABLE flyquery_schema_objects ADD COLUMN search_words tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('pg_catalog.english', coalesce(content_names, '')), 'A')
    || setweight(to_tsvector('pg_catalog.english', coalesce(content_text, '')), 'C')
) STORED;
CREATE INDEX flyquery_schema_objects_search ON flyquery_schema_objects USING gin (search_words);";

/// Opens a pool.
pub(crate) async fn connect(url: &str, settings: &DbSettings) -> Result<PgPool, DbError> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|_| DbError::Bug("the Postgres URL cannot be parsed".to_owned()))?
        .application_name("flyquery");
    let pool = PgPoolOptions::new()
        .max_connections(settings.max_connections.max(1))
        .acquire_timeout(settings.acquire_timeout)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for >= DOUBTFUL_AFTER {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_with(options)
        .await?;
    Ok(pool)
}

pub(crate) fn now_plus(seconds: f64) -> String {
    if seconds == 0.0 { "now()".to_owned() } else { format!("(now() + interval '{seconds:.6} seconds')") }
}

pub(crate) fn now_plus_bound(offset: f64, placeholder: &str) -> String {
    format!("(now() + ({placeholder} + {offset:.6}) * interval '1 second')")
}

/// A search in the syntax of `to_tsquery`. Words are quoted, so none is an operator; letters and digits only, so none
/// ends the quotes.
pub(crate) fn text_query(terms: &[Term]) -> String {
    let quoted = terms.iter().map(|term| format!("'{}'{}", term.word, if term.prefix { ":*" } else { "" }));
    quoted.collect::<Vec<_>>().join(" | ")
}
