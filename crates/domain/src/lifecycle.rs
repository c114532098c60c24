//! Where workspaces and datasets stand.

use crate::closed::closed_list;

closed_list! {
    /// Where a workspace or dataset stands. Reads never see what is PURGING.
    pub enum Lifecycle {
        /// In use.
        Active = "ACTIVE",
        /// Put away; a dataset's name is free again.
        Archived = "ARCHIVED",
        /// Being deleted; the row stays until its tombstone ends.
        Purging = "PURGING",
    }
}
