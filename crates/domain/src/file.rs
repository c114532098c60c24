//! Uploaded files: the originals, kept as they arrived.

use crate::closed::closed_list;

closed_list! {
    /// Where an uploaded file stands.
    pub enum FileStatus {
        /// Stored, not read yet.
        Received = "RECEIVED",
        /// Read; its tables are published.
        Parsed = "PARSED",
        /// Its content was rejected; `error_json` says why. The blob is kept for REPARSE.
        Failed = "FAILED",
        /// Marked as deleted by a person; tables made from it stay.
        Deleted = "DELETED",
    }
}
