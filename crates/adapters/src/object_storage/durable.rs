//! Makes `object_store`'s local files survive a power cut, and keeps them below their root.
//!
//! `LocalFileSystem` (0.13) writes to `<key>#<n>` and renames, but syncs neither file nor folder: after a power cut an
//! object whose upload was answered could be empty or gone. Here the file, its folder and the folders above it up to
//! the root are synced before `put`, `complete`, `copy` and `rename` return. The object is visible a moment before it
//! is durable, which is harmless: keys are never written twice, and nobody was told of the object yet.
//!
//! `LocalFileSystem` also follows symbolic links out of the root. Keys themselves cannot climb (`Path` refuses `..`
//! and escapes separators), so only a link that someone put below the root could: such paths are refused and not listed.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path as FilePath, PathBuf};

use async_trait::async_trait;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, future};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions, Result, UploadPart,
};

const STORE: &str = "LocalFileSystem";

#[derive(Clone, Debug)]
pub(super) struct DurableLocal {
    files: LocalFileSystem,
    root: PathBuf,
}

impl DurableLocal {
    pub(super) fn new(files: LocalFileSystem) -> Result<Self> {
        // The store's root as it resolved it: what every file path starts with.
        let probe = files.path_to_filesystem(&Path::from("probe"))?;
        let root = probe.parent().expect("a file below the root has a parent").to_path_buf();
        Ok(Self { files, root })
    }

    /// The file of a key, unless a symbolic link stands on the way to it.
    async fn safe_path(&self, location: &Path) -> Result<PathBuf> {
        let path = self.files.path_to_filesystem(location)?;
        let (root, checked) = (self.root.clone(), path.clone());
        let linked = blocking(move || Ok(passes_link(&root, &checked))).await?;
        if linked {
            return Err(Error::Generic {
                store: STORE,
                source: format!("{location} is reached through a symbolic link").into(),
            });
        }
        Ok(path)
    }

    async fn sync(&self, path: PathBuf) -> Result<()> {
        let root = self.root.clone();
        blocking(move || sync_object(&root, &path)).await
    }

    /// Drops what a listing reached through a symbolic link.
    fn without_links(&self, listing: BoxStream<'static, Result<ObjectMeta>>) -> BoxStream<'static, Result<ObjectMeta>> {
        let store = self.clone();
        listing
            .try_filter(move |meta| {
                let path = store.files.path_to_filesystem(&meta.location);
                future::ready(path.is_ok_and(|path| !passes_link(&store.root, &path)))
            })
            .boxed()
    }
}

impl fmt::Display for DurableLocal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DurableLocal({})", self.root.display())
    }
}

#[async_trait]
impl ObjectStore for DurableLocal {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        let path = self.safe_path(location).await?;
        let result = self.files.put_opts(location, payload, opts).await?;
        self.sync(path).await?;
        Ok(result)
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        let path = self.safe_path(location).await?;
        let upload = self.files.put_multipart_opts(location, opts).await?;
        Ok(Box::new(DurableUpload { upload, store: self.clone(), path }))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.safe_path(location).await?;
        self.files.get_opts(location, options).await
    }

    async fn get_ranges(&self, location: &Path, ranges: &[std::ops::Range<u64>]) -> Result<Vec<bytes::Bytes>> {
        self.safe_path(location).await?;
        self.files.get_ranges(location, ranges).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        // A delete removes a link itself, never what it points at; a link further up is refused.
        let store = self.clone();
        let checked = locations.and_then(move |location| {
            let store = store.clone();
            async move {
                let parent = location.parts().count().saturating_sub(1);
                if parent > 0 {
                    store.safe_path(&location.parts().take(parent).collect()).await?;
                }
                Ok(location)
            }
        });
        self.files.delete_stream(checked.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.without_links(self.files.list(prefix))
    }

    fn list_with_offset(&self, prefix: Option<&Path>, offset: &Path) -> BoxStream<'static, Result<ObjectMeta>> {
        self.without_links(self.files.list_with_offset(prefix, offset))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let mut listing = self.files.list_with_delimiter(prefix).await?;
        let linked =
            |location: &Path| self.files.path_to_filesystem(location).is_ok_and(|path| passes_link(&self.root, &path));
        listing.objects.retain(|meta| !linked(&meta.location));
        listing.common_prefixes.retain(|prefix| !linked(prefix));
        Ok(listing)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.safe_path(from).await?;
        let target = self.safe_path(to).await?;
        self.files.copy_opts(from, to, options).await?;
        self.sync(target).await
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        self.safe_path(from).await?;
        let target = self.safe_path(to).await?;
        self.files.rename_opts(from, to, options).await?;
        self.sync(target).await
    }
}

/// An upload in parts whose `complete` returns when the object is on the disk.
#[derive(Debug)]
struct DurableUpload {
    upload: Box<dyn MultipartUpload>,
    store: DurableLocal,
    path: PathBuf,
}

#[async_trait]
impl MultipartUpload for DurableUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        self.upload.put_part(data)
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let result = self.upload.complete().await?;
        self.store.sync(self.path.clone()).await?;
        Ok(result)
    }

    async fn abort(&mut self) -> Result<()> {
        self.upload.abort().await
    }
}

/// Whether a part of `path` below `root`, the last one included, is a symbolic link.
fn passes_link(root: &FilePath, path: &FilePath) -> bool {
    path.ancestors()
        .take_while(|part| *part != root)
        .any(|part| part.symlink_metadata().is_ok_and(|found| found.file_type().is_symlink()))
}

/// Puts a file and every folder from it up to the root on the disk. All of them, because any may be new.
fn sync_object(root: &FilePath, path: &FilePath) -> io::Result<()> {
    File::open(path)?.sync_all()?;
    for folder in path.ancestors().skip(1) {
        sync_folder(folder)?;
        if folder == root {
            break;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn sync_folder(folder: &FilePath) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems cannot sync a folder; their file systems log renames by themselves.
#[cfg(not(unix))]
fn sync_folder(_folder: &FilePath) -> io::Result<()> {
    Ok(())
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await?;
    done.map_err(|source| Error::Generic { store: STORE, source: Box::new(source) })
}
