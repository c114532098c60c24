//! Objects as files below one folder: the store of the embedded home.

use std::path::Path;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;

use super::durable::DurableLocal;

/// A store whose objects are files below `root`, which is made when it is missing.
///
/// An object is on the disk when `put` or `complete` returns, and nothing below `root` is reached through a symbolic
/// link (see [`super::durable`]). Folders that a delete leaves empty go with it. One process at a time may use a root;
/// its owner calls [`super::clean_staging`] before it takes uploads.
pub fn local(root: &Path) -> object_store::Result<Arc<dyn ObjectStore>> {
    std::fs::create_dir_all(root).map_err(|source| object_store::Error::Generic {
        store: "LocalFileSystem",
        source: format!("cannot make the folder {}: {source}", root.display()).into(),
    })?;
    let files = LocalFileSystem::new_with_prefix(root)?.with_automatic_cleanup(true);
    Ok(Arc::new(DurableLocal::new(files)?))
}
