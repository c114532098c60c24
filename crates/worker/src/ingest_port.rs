//! The port `Ingest`: checks that an upload may begin, and opens its blob.

use std::sync::Arc;

use async_trait::async_trait;
use db::DbError;
use domain::ports::ingest::{Ingest, Upload, UploadError, UploadTarget};
use domain::{ErrorCode, FileId, Lifecycle, limits, object_key};
use pipeline::Ports;
use pipeline::blobs::Blobs;
use tokio::sync::Semaphore;

use crate::start::Running;
use crate::upload::{Receiving, UploadParts};

/// Caps of an upload.
#[derive(Clone, Copy, Debug)]
pub struct IngestLimits {
    /// Bytes of one file (`FLYQUERY_MAX_FILE_MB`).
    pub file_bytes: u64,
    /// Bytes of a workspace: originals and current tables (`FLYQUERY_MAX_WORKSPACE_GB`).
    pub workspace_bytes: u64,
}

/// The door for uploads in this process.
pub struct IngestPort {
    ports: Ports,
    limits: IngestLimits,
    running: Arc<Running>,
    sync_slots: Arc<Semaphore>,
}

impl IngestPort {
    /// Sync uploads are bounded; beyond the bound they are asked to come back.
    pub fn new(ports: Ports, limits: IngestLimits, running: Arc<Running>) -> Self {
        Self { ports, limits, running, sync_slots: Arc::new(Semaphore::new(limits::SYNC_UPLOADS)) }
    }
}

#[async_trait]
impl Ingest for IngestPort {
    async fn begin(&self, target: UploadTarget) -> Result<Box<dyn Upload>, UploadError> {
        let tx = self.ports.db.scope_read(&target.scope).await.map_err(|e| refused(&e))?;
        let dataset = db::datasets::get(&tx, target.dataset).await.map_err(|e| refused(&e))?;
        let workspace = db::workspaces::get(&tx, target.scope.workspace).await.map_err(|e| refused(&e))?;
        tx.rollback().await.map_err(|e| refused(&e))?;
        let dataset = dataset.ok_or_else(|| {
            UploadError::refused(ErrorCode::ResourceNotFound, format!("There is no dataset {}.", target.dataset))
        })?;
        if dataset.status != Lifecycle::Active {
            let detail = "The dataset is archived; files go into active datasets only.";
            return Err(UploadError::refused(ErrorCode::Conflict, detail));
        }
        let used = workspace.map_or(0, |w| w.storage_used_bytes);
        let file = FileId(self.ports.entropy.id());
        let extension = target.file_name.as_deref().map(extension).unwrap_or_default();
        let key = object_key::original(&target.scope.tenant, target.scope.workspace, target.dataset, file, &extension);
        let blobs = Blobs::new(self.ports.db.clone(), Arc::clone(&self.ports.store));
        let blob = blobs
            .create(&target.scope, target.dataset, None, &key)
            .await
            .map_err(|failure| UploadError::refused(failure.code, failure.detail))?;
        Ok(Box::new(Receiving::new(UploadParts {
            db: self.ports.db.clone(),
            clock: Arc::clone(&self.ports.clock),
            entropy: Arc::clone(&self.ports.entropy),
            blobs,
            running: Arc::clone(&self.running),
            sync_slots: Arc::clone(&self.sync_slots),
            limits: self.limits,
            used_bytes: used,
            target,
            dataset_name: dataset.name,
            file,
            key,
            blob,
        })))
    }
}

/// A database error at the door: nothing was taken.
pub fn refused(error: &DbError) -> UploadError {
    let code = if error.is_transient() { ErrorCode::ServiceUnavailable } else { ErrorCode::InternalError };
    UploadError::refused(code, format!("The catalogue database: {error}."))
}

/// The extensions of a file name that were understood, with their dots: `a.csv.gz` has `.csv.gz`.
fn extension(name: &str) -> String {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = domain::format::NameClaim::of(base).stem;
    base.get(stem.len()..).unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::extension;

    #[test]
    fn only_understood_extensions_are_kept() {
        assert_eq!(extension("in/Orders.CSV.gz"), ".csv.gz");
        assert_eq!(extension("readme"), "");
        assert_eq!(extension("a.weird"), "");
    }
}
