//! Tables of the caller's workspace. A table without a published snapshot does not exist here (decision 47).

pub mod changes;
pub mod get;
pub mod list;
pub mod objects;
pub mod rows;
pub mod snapshots;

use db::{TableRow, Tx, tables};
use domain::table::PublishedTable;
use domain::{SnapshotId, TableId};

use crate::problem::Problem;

/// The published table of that id.
async fn published(tx: &Tx, id: TableId) -> Result<TableRow, Problem> {
    tables::get(tx, id).await?.ok_or_else(|| Problem::not_found("table", id))
}

/// A READY snapshot of a table.
async fn version(tx: &Tx, table: &TableRow, id: SnapshotId) -> Result<PublishedTable, Problem> {
    let found = db::snapshots::published_at(tx, table.dataset, &[id]).await?;
    found.into_iter().find(|it| it.table_id == table.id).ok_or_else(|| Problem::not_found("snapshot of the table", id))
}
