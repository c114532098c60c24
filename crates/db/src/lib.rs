//! The catalogue's SQL: one `Db` over SQLite and Postgres, migrations, and the one transaction type `Tx`.
//!
//! Nothing outside a transaction can reach the database, and a transaction says whose data it may touch: one
//! workspace ([`Db::scope`]), one tenant's workspaces ([`Db::tenant`]) or, for jobs, callbacks and retention only,
//! everything ([`Db::fleet`]). SQL is plain text with `$1` placeholders on both databases; the few expressions that
//! differ are methods of [`Dialect`] and [`Tx::now`]. The modules named like tables hold the statements, the structs
//! in [`entities`] their rows.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod audit;
mod batch;
mod connect;
pub mod costs;
pub mod datasets;
mod dialect;
pub mod entities;
mod error;
pub mod files;
mod migrations;
pub mod outbox;
mod page;
mod params;
pub mod pending_objects;
pub mod relations;
mod row;
pub mod schema_changes;
pub mod schema_objects;
pub mod search;
pub mod snapshots;
pub mod stats;
mod storable;
pub mod tables;
mod tx;
mod url;
pub mod workspaces;

pub use connect::{Db, DbSettings};
pub use dialect::Dialect;
pub use entities::{
    Annotations, AuditRow, ChangeRow, CostRow, DatasetRow, FileRow, ObjectRow, OutboxRow, PendingRow, RelationRow,
    SnapshotRow, TableRow, WorkspaceRow,
};
pub use error::DbError;
pub use migrations::MigrationReport;
pub use page::{Page, Paged};
pub use params::Bind;
pub use row::{FromColumn, Row};
pub use sea_orm::Value;
pub use tx::Tx;
pub use url::{BadDbUrl, DbUrl};
