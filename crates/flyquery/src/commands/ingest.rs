//! `flyquery ingest`: files go up one after the other, are worked on side by side, and are shown in the order they were named.

mod summary;
mod view;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use domain::{IngestReport, JobState};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::cli::Ingest;
use crate::client::{Dataset, Job, Server, Session, Uploaded, follow};
use crate::error::CliError;
use crate::render;
use crate::render::progress::Progress;
use crate::render::style::Style;
use view::TableView;

/// Files worked on at once.
const PARALLEL: usize = 4;

/// What came of one file.
pub struct Outcome {
    /// The file as it was named.
    pub file: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// From the first byte sent to the end of the job.
    pub elapsed: Duration,
    /// The tables, or why there are none.
    pub result: Result<Ingested, CliError>,
}

/// A file that became tables.
pub struct Ingested {
    /// The job's report.
    pub report: IngestReport,
    /// The report as the server wrote it.
    pub document: Value,
    /// Its tables with what is known of them.
    pub tables: Vec<TableView>,
}

/// Whether every file can be read, before anything is started.
pub fn check(arguments: &Ingest) -> Result<(), CliError> {
    for path in &arguments.files {
        let found = std::fs::metadata(path);
        let found = found.map_err(|e| CliError::Usage(format!("cannot read {}: {e}", path.display())))?;
        if !found.is_file() {
            return Err(CliError::Usage(format!("{} is no file", path.display())));
        }
    }
    Ok(())
}

/// Ingests the files and shows what they hold.
pub async fn run(session: &Session, arguments: &Ingest, style: Style) -> Result<(), CliError> {
    let began = Instant::now();
    let dataset = session.ask(async |server| server.ensure_dataset(&arguments.dataset).await).await?;
    let run = Run {
        session,
        dataset: &dataset,
        progress: Progress::new(true),
        alone: arguments.files.len() == 1,
        turn: Mutex::new(()),
    };
    let mut outcomes = futures::stream::iter(&arguments.files).map(|path| run.file(path)).buffered(PARALLEL);
    let mut documents = Vec::new();
    let mut tables = Vec::new();
    let mut failed = 0_u64;
    while let Some(outcome) = outcomes.next().await {
        failed += u64::from(outcome.result.is_err());
        if arguments.json {
            documents.push(document(&outcome));
            continue;
        }
        if let Ok(ingested) = &outcome.result {
            tables.extend(ingested.report.tables.iter().map(|table| table.name.clone()));
        }
        let shown = summary::file(&outcome, style);
        run.progress.suspend(|| render::put(&shown))?;
    }
    run.progress.clear();
    if arguments.json {
        let elapsed_ms = began.elapsed().as_millis() as u64;
        render::put_json(&json!({"dataset": dataset.name, "files": documents, "elapsed_ms": elapsed_ms}))?;
    } else if !tables.is_empty() {
        render::put(&summary::hint(arguments, &tables, began.elapsed(), style))?;
    }
    if failed > 0 { Err(CliError::Shown) } else { Ok(()) }
}

/// What the files of one command share.
struct Run<'a> {
    session: &'a Session,
    dataset: &'a Dataset,
    progress: Progress,
    alone: bool,
    /// Uploads take turns in the order of the files, so that of two files for one table the later one is current.
    turn: Mutex<()>,
}

impl Run<'_> {
    async fn file(&self, path: &Path) -> Outcome {
        let began = Instant::now();
        let size = std::fs::metadata(path).map_or(0, |found| found.len());
        let result = self.ingest(path, size).await;
        Outcome { file: path.to_owned(), size, elapsed: began.elapsed(), result }
    }

    async fn ingest(&self, path: &Path, size: u64) -> Result<Ingested, CliError> {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let mut progress = self.progress.file(&render::text::visible(&name), size, self.alone);
        let ended = async {
            let uploaded = {
                let _turn = self.turn.lock().await;
                // Begun anew with another server when one went away, for it may belong to a command that is done.
                self.session
                    .ask(async |server| server.upload(self.dataset.id, path, progress.uploading()).await)
                    .await?
            };
            follow(self.session, uploaded.job_id, &mut |event| progress.event(event)).await?;
            self.session.ask(async |server| result(server, uploaded).await).await
        };
        let ended = ended.await;
        progress.finish();
        ended
    }
}

/// What came of an upload, once its job has ended.
async fn result(server: &Server, uploaded: Uploaded) -> Result<Ingested, CliError> {
    let job: Job = server.get(&format!("/ingest-jobs/{}", uploaded.job_id), &[]).await?;
    if job.status != JobState::Succeeded {
        return Err(CliError::Failed(format!("{}\n  job {}", super::jobs::what(&job), job.id)));
    }
    let report: IngestReport = serde_json::from_value(job.result_json.clone())
        .map_err(|e| CliError::Strange(format!("the server reports in words of another version: {e}")))?;
    let mut tables = Vec::with_capacity(report.tables.len());
    for table in &report.tables {
        tables.push(view::table(server, table).await?);
    }
    Ok(Ingested { report, document: job.result_json, tables })
}

/// One file for programs.
fn document(outcome: &Outcome) -> Value {
    let mut document = json!({
        "file": outcome.file.display().to_string(),
        "bytes": outcome.size,
        "elapsed_ms": outcome.elapsed.as_millis() as u64,
        "ok": outcome.result.is_ok(),
    });
    match &outcome.result {
        Ok(ingested) => {
            document["report"] = ingested.document.clone();
            document["tables"] = ingested.tables.iter().map(TableView::document).collect();
        }
        Err(CliError::Refused(problem)) => document["error"] = problem.body.clone(),
        Err(error) => document["error"] = json!({"detail": error.to_string()}),
    }
    document
}
