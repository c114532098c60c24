//! Tables and their snapshots.

use serde::{Deserialize, Serialize};

use crate::closed::closed_list;
use crate::id::{SnapshotId, TableId};
use crate::schema::Schema;

closed_list! {
    /// Where a table came from.
    pub enum TableKind {
        /// Made from an uploaded file.
        Uploaded = "UPLOADED",
        /// Made by SQL from other tables.
        Derived = "DERIVED",
    }
}

closed_list! {
    /// Where a snapshot stands.
    pub enum SnapshotStatus {
        /// Being made; invisible to queries.
        Partial = "PARTIAL",
        /// Whole and immutable.
        Ready = "READY",
        /// Given up; `failure_json` says why.
        Failed = "FAILED",
    }
}

closed_list! {
    /// Who caused a snapshot.
    pub enum TriggeredBy {
        /// An upload.
        User = "USER",
        /// A program with an agent token.
        Agent = "AGENT",
        /// A schedule.
        Scheduled = "SCHEDULED",
        /// A REPARSE job.
        Reparse = "REPARSE",
    }
}

closed_list! {
    /// What a schema object describes.
    pub enum ObjectKind {
        /// The table itself.
        Table = "TABLE",
        /// One column.
        Column = "COLUMN",
    }
}

/// A table as a query sees it: the current (or pinned) READY snapshot and where its rows are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PublishedTable {
    /// The table.
    pub table_id: TableId,
    /// The snapshot that answers.
    pub snapshot_id: SnapshotId,
    /// Name inside the dataset; what SQL calls it.
    pub name: String,
    /// Its columns.
    pub schema: Schema,
    /// Object-store key of the snapshot's Parquet file.
    pub object_key: String,
    /// Size of that file in bytes.
    pub byte_size: u64,
    /// Number of rows.
    pub n_rows: u64,
}
