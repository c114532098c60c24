//! Settings of the object store.

use std::path::PathBuf;

use super::declare::section;
use super::value::ObjectStoreKind;

section! {
    /// Object store
    pub struct Objects {
        /// Where originals and Parquet files are kept.
        kind: ObjectStoreKind = ObjectStoreKind::Local, "OBJECT_STORE";
        /// Root folder of the objects.
        base: Option<PathBuf> = None, "OBJECT_STORE_BASE", by default "`blobs` in the data directory";
    }
}
