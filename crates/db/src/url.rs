//! Where the database is: a SQLite file or a Postgres server.

use std::fmt;
use std::path::PathBuf;

/// Address of a database.
#[derive(Clone, PartialEq, Eq)]
pub enum DbUrl {
    /// A SQLite file, made when it is missing.
    Sqlite(PathBuf),
    /// A Postgres URL. `?statement-cache-capacity=0` switches named prepared statements off, for a PgBouncer that
    /// pools transactions.
    Postgres(String),
}

/// The text is not the address of a database. Never shows the text: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a database URL starts with postgresql://, postgres:// or sqlite:, and names a database")]
pub struct BadDbUrl;

impl DbUrl {
    /// Reads `postgres://`, `postgresql://`, `postgresql+<driver>://` and `sqlite:<path>`.
    pub fn parse(text: &str) -> Result<Self, BadDbUrl> {
        let (scheme, rest) = text.trim().split_once(':').ok_or(BadDbUrl)?;
        let base = scheme.split_once('+').map_or(scheme, |(base, _driver)| base).to_ascii_lowercase();
        match base.as_str() {
            "postgres" | "postgresql" if rest.starts_with("//") && rest.len() > 2 => {
                Ok(Self::Postgres(format!("postgresql:{rest}")))
            }
            "sqlite" => {
                let path = rest.strip_prefix("//").unwrap_or(rest);
                let path = path.split_once('?').map_or(path, |(path, _)| path);
                if path.is_empty() || path == ":memory:" { Err(BadDbUrl) } else { Ok(Self::Sqlite(path.into())) }
            }
            _ => Err(BadDbUrl),
        }
    }

    /// Whether named prepared statements may be used.
    pub(crate) fn prepares(&self) -> bool {
        match self {
            Self::Sqlite(_) => true,
            Self::Postgres(url) => {
                let query = url.split_once('?').map_or("", |(_, query)| query);
                !query.split('&').any(|pair| pair == "statement-cache-capacity=0")
            }
        }
    }
}

impl fmt::Debug for DbUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "Sqlite({})", path.display()),
            Self::Postgres(url) => {
                let host = url.rsplit_once('@').map_or(url.as_str(), |(_, host)| host);
                write!(f, "Postgres({})", host.split('?').next().unwrap_or_default())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn driver_suffixes_are_understood() {
        for text in ["postgresql+asyncpg://u:p@h:1/d", "postgres://u:p@h:1/d", "postgresql+psycopg://u:p@h:1/d"] {
            assert_eq!(DbUrl::parse(text), Ok(DbUrl::Postgres("postgresql://u:p@h:1/d".into())));
        }
        assert_eq!(DbUrl::parse("sqlite:///data/x.db?mode=rwc"), Ok(DbUrl::Sqlite("/data/x.db".into())));
        assert_eq!(DbUrl::parse("sqlite:x.db"), Ok(DbUrl::Sqlite("x.db".into())));
        for bad in ["mysql://h/d", "sqlite:", "sqlite::memory:", "postgres:", "", "h"] {
            assert_eq!(DbUrl::parse(bad), Err(BadDbUrl), "{bad}");
        }
    }

    #[test]
    fn a_password_is_never_printed() {
        let url = DbUrl::parse("postgresql://user:s3cret@host/db?sslpassword=x").unwrap();
        assert_eq!(format!("{url:?}"), "Postgres(host/db)");
    }

    #[test]
    fn prepared_statements_can_be_switched_off() {
        assert!(DbUrl::parse("postgres://h/d?a=b").unwrap().prepares());
        assert!(!DbUrl::parse("postgres://h/d?a=b&statement-cache-capacity=0").unwrap().prepares());
    }
}
