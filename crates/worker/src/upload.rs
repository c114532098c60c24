//! One upload in flight: hashed, counted and stored while it arrives, then one transaction makes file row, job row and
//! outbox event. Refused before that transaction, it leaves nothing; rejected content leaves a FAILED file and job.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use db::files::NewFile;
use db::{Db, DbError, Tx};
use domain::ports::clock::{Clock, Entropy};
use domain::ports::ingest::{Accepted, SyncOutcome, Upload, UploadError, UploadForm, UploadTarget};
use domain::{Compression, ErrorCode, Failure, FileId, JobKind, Lifecycle};
use jobs::{Birth, JobRow, NewJob, Outcome};
use pipeline::blobs::{BlobUpload, Blobs};
use pipeline::stages::receive::{Detected, detect};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

use crate::ingest_port::{IngestLimits, refused};
use crate::metric;
use crate::start::Running;

/// Bytes of the head that detection looks at.
const HEAD_BYTES: usize = 64 << 10;

/// What an upload is made of.
pub struct UploadParts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    pub blobs: Blobs,
    pub running: Arc<Running>,
    pub sync_slots: Arc<Semaphore>,
    pub limits: IngestLimits,
    pub used_bytes: u64,
    pub target: UploadTarget,
    pub dataset_name: String,
    pub file: FileId,
    pub key: String,
    pub blob: BlobUpload,
}

/// An upload whose bytes are arriving.
pub struct Receiving {
    parts: UploadParts,
    hash: Sha256,
    head: Vec<u8>,
    bytes: u64,
}

impl Receiving {
    /// Starts with no bytes.
    pub fn new(parts: UploadParts) -> Self {
        Self { parts, hash: Sha256::new(), head: Vec::with_capacity(HEAD_BYTES), bytes: 0 }
    }

    fn check_caps(&self) -> Result<(), UploadError> {
        let limits = self.parts.limits;
        if self.bytes > limits.file_bytes {
            let detail = format!("The file has more than {} bytes.", limits.file_bytes);
            return Err(UploadError::refused(ErrorCode::FileTooLarge, detail));
        }
        if self.parts.used_bytes.saturating_add(self.bytes) > limits.workspace_bytes {
            return Err(over_quota(limits));
        }
        Ok(())
    }

    /// Ends the blob, then makes every row of the upload in one transaction.
    async fn settle(self, form: &UploadForm, birth: Birth) -> Result<Settled, UploadError> {
        let Self { parts, hash, head, bytes } = self;
        let UploadParts { db, entropy, blobs, running, limits, target, dataset_name, file, key, blob, .. } = parts;
        let keys = [key.clone()];
        if let Err(failure) = blob.complete().await {
            discard(&blobs, &target, &keys).await;
            return Err(UploadError::refused(failure.code, failure.detail));
        }
        let detected = detect(&head, &form.file_name, form.file_format);
        let born = match &detected {
            Ok(_) => birth,
            // Content that stage 1 rejects gets a job too, which fails at once: it records why.
            Err(_) => running.engine.birth(),
        };
        let rows = Rows {
            entropy: entropy.as_ref(),
            target: &target,
            form,
            dataset_name: &dataset_name,
            file,
            key,
            bytes,
            hash: hex::encode(hash.finalize()),
            detected: detected.as_ref().ok().copied(),
            workspace_bytes: limits.workspace_bytes,
        };
        let written = async {
            let tx = db.scope(&target.scope).await.map_err(|e| refused(&e))?;
            let job = rows.write(&tx, born).await?;
            Ok((tx, job))
        };
        let (tx, job) = match written.await {
            Ok(written) => written,
            Err(error) => {
                discard(&blobs, &target, &keys).await;
                return Err(error);
            }
        };
        let job = match tx.commit().await {
            Ok(()) => job,
            Err(error) => in_doubt(&db, job, &error).await?,
        };
        metrics::counter!(metric::UPLOADED_BYTES).increment(bytes);
        running.relay.notify_one();
        running.engine.waker().wake();
        match detected {
            Ok(_) => Ok(Settled { job, running }),
            Err(failure) => Err(reject(&db, &running, &job, failure).await),
        }
    }
}

struct Settled {
    job: JobRow,
    running: Arc<Running>,
}

#[async_trait]
impl Upload for Receiving {
    async fn write(&mut self, chunk: Bytes) -> Result<(), UploadError> {
        self.bytes += chunk.len() as u64;
        self.check_caps()?;
        self.hash.update(&chunk);
        let room = HEAD_BYTES - self.head.len();
        self.head.extend_from_slice(&chunk[..chunk.len().min(room)]);
        let stored = self.parts.blob.write(&chunk).await;
        stored.map_err(|failure| UploadError::refused(failure.code, failure.detail))
    }

    async fn accept(self: Box<Self>, form: UploadForm) -> Result<Accepted, UploadError> {
        let (file, dataset) = (self.parts.file, self.parts.target.dataset);
        let settled = self.settle(&form, Birth::Pending).await?;
        Ok(Accepted { job: settled.job.id, file, dataset })
    }

    async fn run(self: Box<Self>, form: UploadForm) -> Result<SyncOutcome, UploadError> {
        let Ok(slot) = Arc::clone(&self.parts.sync_slots).try_acquire_owned() else {
            self.abort().await;
            let detail = "As many uploads as this server runs at once are under way; use files:async, or wait.";
            return Err(UploadError::refused(ErrorCode::ServiceUnavailable, detail));
        };
        let since = self.parts.clock.monotonic();
        let birth = self.parts.running.engine.birth();
        let settled = self.settle(&form, birth).await?;
        let id = settled.job.id;
        let settling = settled.running.engine.adopt(settled.job, since);
        let ended = settling.settled().await;
        drop(slot);
        Ok(outcome(id, ended))
    }

    async fn abort(self: Box<Self>) {
        let UploadParts { blobs, target, key, blob, .. } = self.parts;
        if let Err(failure) = blob.abort().await {
            tracing::warn!(%failure, key, "a refused upload stays until the sweep");
            return;
        }
        discard(&blobs, &target, &[key]).await;
    }
}

/// The answer to a commit got lost, so the rows may be there: then the upload was taken. Otherwise it is refused, but its
/// blob stays until the sweep, which knows whether a row names it: the commit may still come through.
async fn in_doubt(db: &Db, job: JobRow, error: &DbError) -> Result<JobRow, UploadError> {
    let found = async {
        let tx = db.scope_read(&job.scope).await?;
        let row = jobs::inspect::get(&tx, job.id).await?;
        tx.rollback().await?;
        Ok::<_, DbError>(row)
    };
    match found.await {
        Ok(Some(row)) => Ok(row),
        Ok(None) | Err(_) => Err(refused(error)),
    }
}

async fn discard(blobs: &Blobs, target: &UploadTarget, keys: &[String]) {
    if let Err(failure) = blobs.discard(&target.scope, keys).await {
        tracing::warn!(%failure, "a refused upload stays until the sweep");
    }
}

fn outcome(id: domain::JobId, settled: jobs::Settled) -> SyncOutcome {
    match settled {
        jobs::Settled::Ended(job, failure) => match (job.status, failure) {
            (domain::JobState::Succeeded, _) => match serde_json::from_value(job.result.clone()) {
                Ok(report) => SyncOutcome::Done(Box::new(report)),
                Err(error) => {
                    let detail = format!("The result of the job can't be read: {error}.");
                    SyncOutcome::Failed(id, Failure::new(ErrorCode::InternalError, detail))
                }
            },
            (_, Some(failure)) => SyncOutcome::Failed(id, failure),
            (_, None) => {
                SyncOutcome::Failed(id, Failure::new(ErrorCode::JobCancelled, "The job was cancelled while it ran."))
            }
        },
        jobs::Settled::Requeued(..) | jobs::Settled::Lost(_) => SyncOutcome::Later(id),
    }
}

fn over_quota(limits: IngestLimits) -> UploadError {
    let detail = format!("With this file the workspace would hold more than {} bytes.", limits.workspace_bytes);
    UploadError::refused(ErrorCode::WorkspaceQuotaExceeded, detail)
}

/// Ends the job of content that stage 1 rejected; the answer names the job.
async fn reject(db: &Db, running: &Running, job: &JobRow, failure: Failure) -> UploadError {
    let failure = failure.in_stage(domain::Stage::Receive);
    let end = jobs::End {
        claim: job.claim(),
        outcome: Outcome::Failed(failure.clone()),
        commit: None,
        terminal: running.terminal.as_ref(),
        max_attempts: running.max_attempts,
        next: None,
    };
    if let Err(stop) = jobs::finish::finish(db, end).await {
        tracing::warn!(?stop, job = %job.id, "a rejected upload's job could not be ended now; its next run ends it");
    }
    running.relay.notify_one();
    UploadError { code: failure.code, detail: failure.detail, job: Some(job.id) }
}

/// The rows of an upload.
struct Rows<'a> {
    entropy: &'a dyn Entropy,
    target: &'a UploadTarget,
    form: &'a UploadForm,
    dataset_name: &'a str,
    file: FileId,
    key: String,
    bytes: u64,
    hash: String,
    detected: Option<Detected>,
    workspace_bytes: u64,
}

impl Rows<'_> {
    async fn write(&self, tx: &Tx, birth: Birth) -> Result<JobRow, UploadError> {
        let dataset = db::datasets::get(tx, self.target.dataset).await.map_err(|e| refused(&e))?;
        if dataset.is_none_or(|d| d.status != Lifecycle::Active) {
            let detail = "The dataset went away while the file arrived.";
            return Err(UploadError::refused(ErrorCode::Conflict, detail));
        }
        let file = NewFile {
            id: self.file,
            dataset: self.target.dataset,
            original_filename: self.form.file_name.clone(),
            file_format: self.detected.map(|d| d.format),
            compression: self.detected.map_or(Compression::None, |d| d.compression),
            size_bytes: self.bytes,
            content_hash_sha256: self.hash.clone(),
            object_key: self.key.clone(),
            extraction_rules: self.form.extraction_rules.clone().unwrap_or_else(|| json!({})),
            uploaded_by: self.target.actor.clone(),
        };
        db::files::insert(tx, &file).await.map_err(|e| refused(&e))?;
        if !db::pending_objects::adopt(tx, std::slice::from_ref(&self.key)).await.map_err(|e| refused(&e))? {
            let detail = "The upload was silent for so long that it was given up; send the file again.";
            return Err(UploadError::refused(ErrorCode::ServiceUnavailable, detail));
        }
        let mut job = NewJob::new(
            domain::JobId(self.entropy.id()),
            self.target.scope.clone(),
            self.target.dataset,
            JobKind::ParseAndIngest,
        );
        job.file = Some(self.file);
        job.table = self.form.table;
        job.request = json!({"actor": self.target.actor, "dataset_name": self.dataset_name, "already_received": true});
        let row = jobs::enqueue(tx, self.entropy, job, birth).await.map_err(|e| refused(&e))?;
        self.audit(tx).await.map_err(|e| refused(&e))?;
        let bytes = i64::try_from(self.bytes).unwrap_or(i64::MAX);
        let used = db::workspaces::add_storage(tx, bytes).await.map_err(|e| refused(&e))?;
        if used > self.workspace_bytes {
            return Err(over_quota(IngestLimits { file_bytes: 0, workspace_bytes: self.workspace_bytes }));
        }
        Ok(row)
    }

    async fn audit(&self, tx: &Tx) -> Result<(), db::DbError> {
        let audit = db::audit::NewAudit {
            id: self.entropy.id(),
            actor: self.target.actor.clone(),
            event_type: "file.uploaded".to_owned(),
            resource_kind: "file".to_owned(),
            resource_id: Some(self.file.to_string()),
            correlation_id: self.target.correlation_id.clone(),
            payload: json!({"dataset_id": self.target.dataset, "size_bytes": self.bytes, "sha256": self.hash}),
        };
        db::audit::insert(tx, self.target.scope.workspace, &audit).await
    }
}
