//! Sends a file as it lies on the disk, without holding it in memory.

use std::path::Path;

use bytes::Bytes;
use domain::{DatasetId, JobId};
use futures::TryStreamExt as _;
use reqwest::multipart::{Form, Part};
use reqwest::{Body, Method};
use serde::Deserialize;
use tokio_util::io::ReaderStream;

use super::Server;
use crate::error::CliError;

/// Bytes read from the disk at once.
const CHUNK: usize = 256 << 10;

/// An upload that became a job.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Uploaded {
    /// The job.
    pub job_id: JobId,
}

impl Server {
    /// Uploads a file; `sent` hears of every part of it that went out.
    pub async fn upload(
        &self,
        dataset: DatasetId,
        path: &Path,
        sent: impl Fn(u64) + Send + Sync + 'static,
    ) -> Result<Uploaded, CliError> {
        let unreadable = |e: std::io::Error| CliError::Usage(format!("cannot read {}: {e}", path.display()));
        let file = tokio::fs::File::open(path).await.map_err(unreadable)?;
        let size = file.metadata().await.map_err(unreadable)?.len();
        // A file that grows while it is read is sent as long as it was: the length stands in the request already.
        let file = tokio::io::AsyncReadExt::take(file, size);
        let chunks = ReaderStream::with_capacity(file, CHUNK).inspect_ok(move |chunk: &Bytes| sent(chunk.len() as u64));
        let name = path.file_name().map_or_else(|| "upload.bin".to_owned(), |name| name.to_string_lossy().into_owned());
        let part = Part::stream_with_length(Body::wrap_stream(chunks), size)
            .file_name(name)
            .mime_str("application/octet-stream")
            .expect("the media type is well-formed");
        let request = self.request(Method::POST, &format!("/datasets/{dataset}/files:async"));
        self.answer(request.multipart(Form::new().part("file", part))).await
    }
}
