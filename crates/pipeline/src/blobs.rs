//! Object storage with intent rows: a key is recorded as pending before the first byte is put under it, and the record
//! goes in the commit that names the key. Whatever a crash leaves is therefore named by a row, and swept.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use db::Db;
use db::pending_objects::{self, NewPending};
use domain::job::Claim;
use domain::{DatasetId, Failure, Scope};
use futures::StreamExt;
use object_store::path::Path;
use object_store::{GetResultPayload, MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::runtime::Handle;

use crate::failure::{db_failure, store_failure};

/// Bytes gathered before they are handed to the store as one part (S3 wants at least 5 MiB).
const PART_BYTES: usize = 8 << 20;

/// The store, with the database that keeps the intents.
#[derive(Clone)]
pub struct Blobs {
    db: Db,
    store: Arc<dyn ObjectStore>,
}

impl Blobs {
    /// Joins store and database.
    pub fn new(db: Db, store: Arc<dyn ObjectStore>) -> Self {
        Self { db, store }
    }

    /// Records the intent, then opens an upload. `claim` is the job that writes, `None` while no job exists yet.
    pub async fn create(
        &self,
        scope: &Scope,
        dataset: DatasetId,
        claim: Option<Claim>,
        key: &str,
    ) -> Result<BlobUpload, Failure> {
        let intent = NewPending { object_key: key.to_owned(), dataset: Some(dataset), claim };
        let tx = self.db.scope(scope).await.map_err(|e| db_failure(&e))?;
        pending_objects::insert(&tx, &[intent]).await.map_err(|e| db_failure(&e))?;
        tx.commit().await.map_err(|e| db_failure(&e))?;
        let path = Path::from(key);
        let upload = self.store.put_multipart(&path).await.map_err(|e| store_failure(&e))?;
        Ok(BlobUpload { upload, buffer: BytesMut::new(), bytes: 0, key: key.to_owned() })
    }

    /// Removes objects and then their intents; an object that is not there counts as removed.
    pub async fn discard(&self, scope: &Scope, keys: &[String]) -> Result<(), Failure> {
        if keys.is_empty() {
            return Ok(());
        }
        for key in keys {
            self.delete(key).await?;
        }
        let tx = self.db.scope(scope).await.map_err(|e| db_failure(&e))?;
        pending_objects::forget(&tx, keys).await.map_err(|e| db_failure(&e))?;
        tx.commit().await.map_err(|e| db_failure(&e))
    }

    /// Removes one object; absent is fine.
    pub async fn delete(&self, key: &str) -> Result<(), Failure> {
        match self.store.delete(&Path::from(key)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(store_failure(&error)),
        }
    }

    /// A source that reads an object, as often as asked.
    pub fn source(&self, key: &str, size: u64) -> BlobSource {
        BlobSource { store: Arc::clone(&self.store), path: Path::from(key), size, handle: Handle::current() }
    }
}

/// An upload in flight; memory is bounded by one part.
#[derive(Debug)]
pub struct BlobUpload {
    upload: Box<dyn MultipartUpload>,
    buffer: BytesMut,
    bytes: u64,
    key: String,
}

impl BlobUpload {
    /// Takes the next bytes.
    pub async fn write(&mut self, chunk: &[u8]) -> Result<(), Failure> {
        self.bytes += chunk.len() as u64;
        self.buffer.extend_from_slice(chunk);
        if self.buffer.len() >= PART_BYTES {
            self.flush_part().await?;
        }
        Ok(())
    }

    async fn flush_part(&mut self) -> Result<(), Failure> {
        let part: Bytes = self.buffer.split().freeze();
        self.upload.put_part(PutPayload::from_bytes(part)).await.map_err(|e| store_failure(&e))
    }

    /// Makes the object visible and durable; gives its size in bytes.
    pub async fn complete(mut self) -> Result<u64, Failure> {
        if !self.buffer.is_empty() || self.bytes == 0 {
            self.flush_part().await?;
        }
        self.upload.complete().await.map_err(|e| store_failure(&e))?;
        Ok(self.bytes)
    }

    /// Drops what was written. The intent row stays until the key is discarded.
    pub async fn abort(mut self) -> Result<(), Failure> {
        self.upload.abort().await.map_err(|e| store_failure(&e))
    }

    /// The key being written.
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// A shared slot, so that the thread that writes and the one that completes can be two.
type Slot = Arc<Mutex<Option<BlobUpload>>>;

/// `Write` over an upload, for code that runs on a blocking thread.
pub struct BlobWriter {
    slot: Slot,
    handle: Handle,
}

impl BlobWriter {
    /// Wraps an upload; the second value completes or aborts it later.
    pub fn new(upload: BlobUpload, handle: Handle) -> (Self, BlobEnd) {
        let slot: Slot = Arc::new(Mutex::new(Some(upload)));
        (Self { slot: Arc::clone(&slot), handle }, BlobEnd(slot))
    }
}

impl Write for BlobWriter {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        let upload = slot.as_mut().ok_or_else(|| io::Error::other("the upload has ended"))?;
        self.handle.block_on(upload.write(buf)).map_err(io::Error::other)?;
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The other end of a [`BlobWriter`].
pub struct BlobEnd(Slot);

impl BlobEnd {
    fn take(&self) -> Option<BlobUpload> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Completes the upload; gives its key and size.
    pub async fn complete(&self) -> Result<(String, u64), Failure> {
        let upload = self.take().ok_or_else(|| crate::failure::defect("An upload was ended twice."))?;
        let key = upload.key().to_owned();
        Ok((key, upload.complete().await?))
    }

    /// Drops what was written; gives the key, whose intent row still stands.
    pub async fn abort(&self) -> Option<String> {
        let upload = self.take()?;
        let key = upload.key().to_owned();
        if let Err(error) = upload.abort().await {
            tracing::warn!(%error, key, "a broken upload could not be aborted; the sweep removes it");
        }
        Some(key)
    }
}

/// Reads an object from its start, as often as asked.
pub struct BlobSource {
    store: Arc<dyn ObjectStore>,
    path: Path,
    size: u64,
    handle: Handle,
}

impl formats::Source for BlobSource {
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let result = self.handle.block_on(self.store.get(&self.path)).map_err(io::Error::other)?;
        Ok(match result.payload {
            GetResultPayload::File(file, _) => Box::new(file),
            GetResultPayload::Stream(stream) => {
                Box::new(StreamRead { stream, handle: self.handle.clone(), current: Bytes::new() })
            }
        })
    }

    fn len(&self) -> Option<u64> {
        Some(self.size)
    }
}

struct StreamRead {
    stream: futures::stream::BoxStream<'static, object_store::Result<Bytes>>,
    handle: Handle,
    current: Bytes,
}

impl Read for StreamRead {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            match self.handle.block_on(self.stream.next()) {
                None => return Ok(0),
                Some(Ok(bytes)) => self.current = bytes,
                Some(Err(error)) => return Err(io::Error::other(error)),
            }
        }
        let n = buf.len().min(self.current.len());
        buf[..n].copy_from_slice(&self.current.split_to(n));
        Ok(n)
    }
}
