//! What tests of several crates share: a fresh, migrated database per test, on SQLite and on Postgres.
//!
//! Postgres is the server named by `FLYQUERY_TEST_POSTGRES_URL`; `scripts/test` and `scripts/with-postgres` start a
//! private one. Without it the Postgres half fails, it is never skipped.

#![warn(missing_docs)]

mod cutting_proxy;
mod entropy;
mod postgres;
mod test_db;

pub use cutting_proxy::CuttingProxy;
pub use entropy::TestEntropy;
pub use postgres::FreshPostgres;
pub use test_db::{TestDb, run_on_postgres, run_on_sqlite};

/// Makes two tests of one function, `name::sqlite` and `name::postgres`, each on a database of its own:
///
/// ```ignore
/// test_support::for_each_db! {
///     async fn a_rolled_back_change_is_gone(db: TestDb) {
///         let tx = db.scope_tx().await;
///     }
/// }
/// ```
#[macro_export]
macro_rules! for_each_db {
    ($($(#[$meta:meta])* async fn $name:ident($db:ident: TestDb) $body:block)+) => {$(
        mod $name {
            #[allow(unused_imports, clippy::wildcard_imports)]
            use super::*;

            $(#[$meta])*
            #[allow(clippy::needless_pass_by_value, clippy::too_many_lines)]
            async fn behaviour($db: $crate::TestDb) $body

            #[test]
            fn sqlite() {
                $crate::run_on_sqlite(behaviour);
            }

            #[test]
            fn postgres() {
                $crate::run_on_postgres(behaviour);
            }
        }
    )+};
}
