//! A database of its own for each test, on the server that the test command started.

use std::sync::atomic::{AtomicU64, Ordering};

use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::{AssertSqlSafe, Connection as _, raw_sql};

/// Names the server; any database of it will do.
const VARIABLE: &str = "FLYQUERY_TEST_POSTGRES_URL";

static NEXT: AtomicU64 = AtomicU64::new(0);

/// A database that only one test uses.
pub struct FreshPostgres {
    server: String,
    name: String,
}

impl FreshPostgres {
    /// Makes it.
    #[expect(clippy::disallowed_methods, reason = "tests are told by the environment where their server is")]
    pub async fn create() -> Self {
        let server = std::env::var(VARIABLE).unwrap_or_else(|_| {
            panic!("{VARIABLE} is not set: run the tests by scripts/test, or by scripts/with-postgres cargo test …")
        });
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let fresh = Self { server, name: format!("flyquery_test_{}_{number}", std::process::id()) };
        fresh.run(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", fresh.name)).await;
        fresh.run(&format!("CREATE DATABASE {}", fresh.name)).await;
        fresh
    }

    /// Its URL.
    pub fn url(&self) -> String {
        let (address, query) = self.server.split_once('?').map_or((self.server.as_str(), ""), |(a, q)| (a, q));
        let base = address.rsplit_once('/').map_or(address, |(base, _)| base);
        let question = if query.is_empty() { "" } else { "?" };
        format!("{base}/{}{question}{query}", self.name)
    }

    /// Removes it, whoever is still connected.
    pub async fn remove(self) {
        self.run(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)).await;
    }

    async fn run(&self, sql: &str) {
        let mut connection = PgConnection::connect(&self.server).await.expect("the test server answers");
        raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.expect("the test user may make databases");
        connection.close().await.expect("the connection closes");
    }
}
