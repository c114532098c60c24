//! Stage 2: reads the original, types it by the whole file and writes one Parquet file per table.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use db::{TableRow, Tx};
use domain::event::{EventStage, NewEvent, Progress};
use domain::format::NameClaim;
use domain::{ErrorCode, Failure, Schema, Stage, Warning, name, object_key};
use formats::{ColumnTap, Detected, Observer, ReadOptions, SectionOutput, Sink};
use serde_json::json;
use tokio::runtime::Handle;

use crate::blobs::{BlobEnd, BlobWriter};
use crate::checkpoint::{Section, Work, after};
use crate::context::Context;
use crate::failure::{Stop, defect};
use crate::step::{Step, fail_point};

/// The tables of the file and what a user could dispute.
pub struct Found {
    sections: Vec<Section>,
    warnings: Vec<Warning>,
}

#[async_trait]
impl Step for after::Parse {
    type Previous = after::Receive;
    type Found = Found;

    async fn find(ctx: &Context, work: &Work) -> Result<Found, Stop> {
        let version_of = version_of(ctx).await?;
        let uploads = Uploads::default();
        let read = read(ctx, work, &uploads).await.map(|outputs| {
            let placed = outputs.into_iter().enumerate().collect();
            match &version_of {
                Some(table) => only(table, placed),
                None => placed,
            }
        });
        let kept: Vec<(usize, u32)> = match &read {
            Ok(sections) => sections.iter().map(|(i, s)| (*i, s.pass)).collect(),
            Err(_) => Vec::new(),
        };
        let written = uploads.settle(ctx, &kept).await;
        let outputs = read?;
        sections(outputs, written?)
    }

    async fn write(_: &Context, _: &Tx, work: &mut Work, found: Found) -> Result<Vec<NewEvent>, Stop> {
        work.sections = found.sections;
        work.warnings.extend(found.warnings);
        let rows: u64 = work.sections.iter().map(|s| s.rows).sum();
        let payload = json!({"n_tables": work.sections.len(), "n_rows": rows, "warnings": work.warnings.len()});
        Ok(vec![NewEvent::ok(EventStage::Parsed, payload)])
    }
}

/// The table that the file is a new version of, when the job names one.
async fn version_of(ctx: &Context) -> Result<Option<TableRow>, Stop> {
    let Some(id) = ctx.job.table else { return Ok(None) };
    let tx = ctx.ports.db.scope_read(&ctx.job.scope).await?;
    let table = db::tables::get(&tx, id).await?.filter(|table| table.dataset == ctx.job.dataset);
    tx.rollback().await?;
    let gone = || Failure::new(ErrorCode::ResourceNotFound, "The table that the file is a new version of is gone.");
    table.map(Some).ok_or_else(|| gone().into())
}

/// What becomes the new version of `table`: what stands where it came from, else what has its name, else the first.
fn only(table: &TableRow, mut outputs: Vec<(usize, SectionOutput)>) -> Vec<(usize, SectionOutput)> {
    let place = table.sheet_or_json_path.as_deref();
    let same_place = outputs.iter().position(|(_, output)| place.is_some() && output.path.as_deref() == place);
    let same_name = || outputs.iter().position(|(_, output)| output.name == table.name);
    let chosen = same_place.or_else(same_name).unwrap_or(0);
    if chosen >= outputs.len() {
        return Vec::new();
    }
    let (index, mut output) = outputs.swap_remove(chosen);
    output.name.clone_from(&table.name);
    for warning in &mut output.warnings {
        warning.table = None;
    }
    vec![(index, output)]
}

async fn read(ctx: &Context, work: &Work, uploads: &Uploads) -> Result<Vec<SectionOutput>, Stop> {
    let source = ctx.blobs().source(&work.file.object_key, work.file.size);
    let detected = Detected { format: work.file.format, compression: work.file.compression };
    let options = ReadOptions {
        table_name: name::table_name(&NameClaim::of(&work.file.name).stem),
        locale: ctx.locale.clone(),
        max_title_rows: ctx.policy.max_title_rows.unwrap_or(ctx.settings.max_title_rows),
        infer_sample_rows: ctx.settings.infer_sample_rows,
        extraction_rules: work.file.extraction_rules.clone(),
    };
    let mut sink = BlobSink { ctx: ctx.clone(), uploads: uploads.clone(), handle: Handle::current() };
    let observer = FenceObserver { ctx: ctx.clone(), total: work.file.size };
    let converted =
        tokio::task::spawn_blocking(move || formats::convert(&source, detected, &options, &mut sink, &observer)).await;
    match converted {
        Ok(Ok(outputs)) => Ok(outputs),
        Ok(Err(failure)) => Err(uploads.first_failure().unwrap_or(failure).into()),
        Err(join) => Err(panicked(join)),
    }
}

/// A reader that panics is a defect of ours; it must not look like a lost task.
fn panicked(join: tokio::task::JoinError) -> Stop {
    if join.is_panic() {
        std::panic::resume_unwind(join.into_panic());
    }
    Stop::Failed(defect("The reading thread was stopped."))
}

fn sections(outputs: Vec<(usize, SectionOutput)>, mut written: Vec<Written>) -> Result<Found, Stop> {
    let mut found = Found { sections: Vec::with_capacity(outputs.len()), warnings: Vec::new() };
    for (index, output) in outputs {
        let at = written
            .iter()
            .position(|w| w.section == index && w.pass == output.pass)
            .ok_or_else(|| defect(format!("Table {index} of the file was read but nothing was written for it.")))?;
        let blob = written.swap_remove(at);
        let table = &output.name;
        found.warnings.extend(output.warnings.into_iter().map(|w| if w.table.is_some() { w } else { w.table(table) }));
        found.sections.push(Section {
            name: output.name,
            path: output.path,
            schema: output.schema,
            rows: output.rows,
            object_key: blob.key,
            parquet_bytes: blob.bytes,
            target: None,
            verdicts: None,
        });
    }
    if found.sections.is_empty() {
        return Err(Failure::new(ErrorCode::NoTables, "The file holds no table.").into());
    }
    Ok(found)
}

struct FenceObserver {
    ctx: Context,
    total: u64,
}

impl Observer for FenceObserver {
    fn cancelled(&self) -> bool {
        self.ctx.fence.halted().is_some()
    }

    fn progress(&self, rows: u64, bytes: u64) {
        fail_point("parse.batch");
        self.ctx.fence.progress(Progress {
            stage: Stage::Parse.as_str().to_owned(),
            table: None,
            rows,
            bytes,
            bytes_total: Some(self.total),
        });
    }
}

struct BlobSink {
    ctx: Context,
    uploads: Uploads,
    handle: Handle,
}

impl BlobSink {
    fn key(&self, section: usize, pass: u32) -> String {
        let job = &self.ctx.job;
        object_key::section(&job.scope.tenant, job.scope.workspace, job.dataset, job.claim, section, pass)
    }
}

impl Sink for BlobSink {
    fn begin(&mut self, section: usize, pass: u32) -> io::Result<Box<dyn Write + Send>> {
        let job = &self.ctx.job;
        let key = self.key(section, pass);
        let created = self.handle.block_on(self.ctx.blobs().create(&job.scope, job.dataset, Some(job.claim), &key));
        let upload = created.map_err(|failure| self.uploads.note(failure))?;
        let (writer, end) = BlobWriter::new(upload, self.handle.clone());
        self.uploads.push(section, pass, end);
        Ok(Box::new(NotingWriter { writer, uploads: self.uploads.clone() }))
    }

    fn taps(&mut self, section: usize, pass: u32, schema: &Schema) -> Vec<Box<dyn ColumnTap>> {
        if self.ctx.policy.skips(Stage::Profile) {
            return Vec::new();
        }
        self.ctx.first_look.taps(&self.key(section, pass), schema, self.ctx.settings.profile_row_threshold)
    }
}

/// Remembers why a write failed: the reader only sees an I/O error, the job should say what the store said.
struct NotingWriter {
    writer: BlobWriter,
    uploads: Uploads,
}

impl Write for NotingWriter {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.writer.write(buf).map_err(|error| {
            let failure = error.get_ref().and_then(|inner| inner.downcast_ref::<Failure>()).cloned();
            self.uploads.note(failure.unwrap_or_else(|| crate::failure::io_failure(&error)))
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Written {
    section: usize,
    pass: u32,
    key: String,
    bytes: u64,
}

#[derive(Clone, Default)]
struct Uploads(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    ends: Vec<(usize, u32, BlobEnd)>,
    failure: Option<Failure>,
}

impl Uploads {
    fn push(&self, section: usize, pass: u32, end: BlobEnd) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).ends.push((section, pass, end));
    }

    fn note(&self, failure: Failure) -> io::Error {
        let error = io::Error::other(failure.clone());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).failure.get_or_insert(failure);
        error
    }

    fn first_failure(&self) -> Option<Failure> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).failure.clone()
    }

    /// Completes the uploads that are kept; drops all others, objects and intents alike.
    async fn settle(&self, ctx: &Context, kept: &[(usize, u32)]) -> Result<Vec<Written>, Stop> {
        let ends = std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).ends);
        let mut written = Vec::new();
        let mut dropped = Vec::new();
        let mut failed = None;
        for (section, pass, end) in ends {
            if kept.contains(&(section, pass)) && failed.is_none() {
                match end.complete().await {
                    Ok((key, bytes)) => written.push(Written { section, pass, key, bytes }),
                    Err(failure) => failed = Some(failure),
                }
            } else {
                dropped.extend(end.abort().await);
            }
        }
        if let Err(failure) = ctx.blobs().discard(&ctx.job.scope, &dropped).await {
            tracing::warn!(%failure, "objects of an unfinished pass stay until the sweep");
        }
        match failed {
            Some(failure) => Err(failure.into()),
            None => Ok(written),
        }
    }
}
