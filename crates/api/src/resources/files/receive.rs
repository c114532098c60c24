//! Reads an upload's parts into the port. Whatever goes wrong before the last part has been read drops the blob.

use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use domain::ports::ingest::{Upload, UploadForm, UploadTarget};
use domain::{DatasetId, ErrorCode, limits};
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

use super::form::{FormReader, refuse_callback_headers};
use crate::extract::{Caller, Part, Parts};
use crate::problem::{FieldError, Problem};
use crate::state::App;

/// Bytes that a body may hold beside the file.
const BESIDE_FILE: u64 = ((limits::FORM_FIELDS + 1) * (limits::FORM_FIELD_BYTES + limits::PART_HEADER_BYTES)) as u64;

/// An upload that is dropped from the store unless it is taken, even when the client goes away in the middle.
struct InFlight {
    upload: Option<Box<dyn Upload>>,
    tasks: TaskTracker,
    part_name: Option<String>,
}

impl InFlight {
    async fn store(&mut self, part: &mut Part<'_>) -> Result<(), Problem> {
        let upload = self.upload.as_mut().expect("nobody has taken it yet");
        while let Some(chunk) = part.chunk().await? {
            upload.write(chunk).await?;
        }
        Ok(())
    }

    fn take(mut self) -> Box<dyn Upload> {
        self.upload.take().expect("nobody has taken it yet")
    }

    fn abandon(&mut self) -> Option<JoinHandle<()>> {
        let upload = self.upload.take()?;
        Some(self.tasks.spawn(upload.abort()))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// An upload whose parts have all been read.
pub struct Received {
    /// The upload, to be accepted or run.
    pub upload: Box<dyn Upload>,
    /// What the form said.
    pub form: UploadForm,
}

/// Refuses what can be refused by the headers alone, before a byte of the body is read.
pub fn check_headers(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    refuse_callback_headers(headers)?;
    let length = headers.get(CONTENT_LENGTH).and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok());
    let cap = app.settings.max_file_bytes;
    if length.is_some_and(|length| length > cap.saturating_add(BESIDE_FILE)) {
        let detail = format!("The upload is larger than the {cap} bytes allowed.");
        return Err(Problem::new(ErrorCode::FileTooLarge).detail(detail));
    }
    Ok(())
}

/// Reads every part.
pub async fn receive(app: &App, caller: &Caller, dataset: DatasetId, mut parts: Parts) -> Result<Received, Problem> {
    let mut form = FormReader::default();
    let mut file: Option<InFlight> = None;
    let read = read_parts(app, caller, dataset, &mut parts, &mut form, &mut file).await;
    let Some(mut file) = file else {
        read?;
        return Err(Problem::invalid(FieldError::new("missing", "form/file", "the file part is missing")));
    };
    match read.and_then(|()| form.finish(file.part_name.take())) {
        Ok(form) => Ok(Received { upload: file.take(), form }),
        Err(problem) => {
            if let Some(aborting) = file.abandon() {
                drop(aborting.await);
            }
            Err(problem)
        }
    }
}

async fn read_parts(
    app: &App,
    caller: &Caller,
    dataset: DatasetId,
    parts: &mut Parts,
    form: &mut FormReader,
    file: &mut Option<InFlight>,
) -> Result<(), Problem> {
    while let Some(mut part) = parts.next().await? {
        if part.name() != "file" {
            let name = part.name().to_owned();
            let value = part.text().await?;
            form.keep(&name, value);
            continue;
        }
        if file.is_some() {
            return Err(Problem::invalid(FieldError::new("malformed", "form/file", "there are two file parts")));
        }
        let name = part.file_name();
        let target = UploadTarget {
            scope: caller.scope.clone(),
            dataset,
            actor: caller.actor_or_tenant(),
            file_name: form.wished_name().or_else(|| name.clone()),
            correlation_id: caller.who.correlation_id.clone(),
        };
        let upload = Some(app.ingest.begin(target).await?);
        let file = file.insert(InFlight { upload, tasks: app.tasks.clone(), part_name: name });
        file.store(&mut part).await?;
    }
    Ok(())
}
