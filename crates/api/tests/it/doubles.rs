//! Doubles of the ports: an `Ingest` that counts and refuses, an `Sql` that answers by the statement's first word, a
//! bus on which nothing happens.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use domain::ports::bus::{BusError, BusMessage, EventBus, Subscription};
use domain::ports::ingest::{Accepted, Ingest, SyncOutcome, Upload, UploadError, UploadForm, UploadTarget};
use domain::ports::search::{Search, SearchError, SearchHit, SearchRequest};
use domain::ports::sql::{Sql, SqlError, SqlRequest, SqlRows, StatementKind};
use domain::report::{StageOutcome, StageReport, TableReport};
use domain::table::PublishedTable;
use domain::{
    Column, DatasetId, ErrorCode, Failure, FileId, IngestReport, JobId, JobState, ObjectId, Scope, SnapshotId, SqlType,
    Stage, TableId, Warning, WarningCode,
};
use serde_json::json;
use tokio::sync::Notify;
use uuid::Uuid;

/// How a sync upload ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Done,
    Rejected,
    Later,
}

/// What the double saw.
#[derive(Debug, Default)]
pub struct Seen {
    pub bytes: AtomicU64,
    pub aborted: AtomicUsize,
    pub dropped: Notify,
    pub targets: Mutex<Vec<UploadTarget>>,
    pub forms: Mutex<Vec<UploadForm>>,
}

/// Takes uploads up to a cap, keeps nothing.
#[derive(Debug)]
pub struct FakeIngest {
    pub cap: u64,
    pub ending: Ending,
    /// Refuses before the first byte.
    pub refuses: Option<ErrorCode>,
    pub seen: Arc<Seen>,
}

impl Default for FakeIngest {
    fn default() -> Self {
        Self { cap: 1 << 20, ending: Ending::Done, refuses: None, seen: Arc::default() }
    }
}

struct FakeUpload {
    cap: u64,
    ending: Ending,
    dataset: DatasetId,
    got: u64,
    seen: Arc<Seen>,
}

/// The job of every accepted upload.
pub const JOB: JobId = JobId(Uuid::from_u128(0xa1));
const FILE: FileId = FileId(Uuid::from_u128(0xb2));

#[async_trait]
impl Ingest for FakeIngest {
    async fn begin(&self, target: UploadTarget) -> Result<Box<dyn Upload>, UploadError> {
        if let Some(code) = self.refuses {
            return Err(UploadError::refused(code, "refused at once"));
        }
        let dataset = target.dataset;
        self.seen.targets.lock().expect("no panic").push(target);
        let seen = Arc::clone(&self.seen);
        Ok(Box::new(FakeUpload { cap: self.cap, ending: self.ending, dataset, got: 0, seen }))
    }
}

#[async_trait]
impl Upload for FakeUpload {
    async fn write(&mut self, chunk: Bytes) -> Result<(), UploadError> {
        self.got += chunk.len() as u64;
        self.seen.bytes.fetch_add(chunk.len() as u64, Ordering::SeqCst);
        if self.got > self.cap {
            return Err(UploadError::refused(ErrorCode::FileTooLarge, format!("more than {} bytes", self.cap)));
        }
        Ok(())
    }

    async fn accept(self: Box<Self>, form: UploadForm) -> Result<Accepted, UploadError> {
        self.seen.forms.lock().expect("no panic").push(form);
        if self.got == 0 {
            return Err(UploadError { code: ErrorCode::EmptyFile, detail: "no bytes".to_owned(), job: Some(JOB) });
        }
        Ok(Accepted { job: JOB, file: FILE, dataset: self.dataset })
    }

    async fn run(self: Box<Self>, form: UploadForm) -> Result<SyncOutcome, UploadError> {
        self.seen.forms.lock().expect("no panic").push(form);
        Ok(match self.ending {
            Ending::Done => SyncOutcome::Done(Box::new(report(self.dataset))),
            Ending::Rejected => SyncOutcome::Failed(JOB, Failure::new(ErrorCode::ParseError, "line 3")),
            Ending::Later => SyncOutcome::Later(JOB),
        })
    }

    async fn abort(self: Box<Self>) {
        self.seen.aborted.fetch_add(1, Ordering::SeqCst);
        self.seen.dropped.notify_one();
    }
}

fn report(dataset: DatasetId) -> IngestReport {
    IngestReport {
        job_id: JOB,
        status: JobState::Succeeded,
        file_id: FILE,
        dataset_id: dataset,
        tables: vec![TableReport {
            table_id: TableId(Uuid::from_u128(0xc3)),
            name: "orders".to_owned(),
            qualified_name: "sales.orders".to_owned(),
            snapshot_id: SnapshotId(Uuid::from_u128(0xd4)),
            sheet_or_json_path: None,
            n_columns: 2,
            n_rows_estimate: 3,
            n_rows_actual: 3,
            parquet_byte_size: 99,
        }],
        stages: vec![StageReport { stage: Stage::Receive, status: StageOutcome::Done, elapsed_ms: 1 }],
        warnings: vec![Warning::new(WarningCode::HeaderOnly, "no rows")],
        elapsed_ms: 12,
        cost_cents: "0".to_owned(),
    }
}

/// Answers by the statement's first word: `select` gives 12 rows, `drop` is refused, anything else is wrong.
pub struct FakeSql;

fn columns() -> Vec<Column> {
    let column = |name: &str, sql_type| Column { name: name.to_owned(), sql_type, nullable: false };
    vec![column("id", SqlType::BigInt), column("amount", SqlType::Decimal(10, 2))]
}

fn rows(from: u64, count: u64) -> Vec<Vec<serde_json::Value>> {
    (from..from + count).map(|n| vec![json!(n), json!(format!("{n}.50"))]).collect()
}

#[async_trait]
impl Sql for FakeSql {
    fn classify(&self, sql: &str) -> StatementKind {
        match sql.split_whitespace().next() {
            Some("select") => StatementKind::Select,
            Some("drop") => StatementKind::Ddl,
            _ => StatementKind::Unknown,
        }
    }

    async fn execute(&self, request: SqlRequest) -> Result<SqlRows, SqlError> {
        match self.classify(&request.sql) {
            StatementKind::Select => {
                let count = request.row_cap.min(12) as u64;
                Ok(SqlRows { columns: columns(), rows: rows(0, count), truncated: count < 12 })
            }
            StatementKind::Ddl => Err(SqlError::Refused("only SELECT".to_owned())),
            _ if request.sql == "crash" => Err(SqlError::Internal("store at s3://secret".to_owned())),
            _ => Err(SqlError::Wrong("unknown word".to_owned())),
        }
    }

    async fn rows(&self, table: &PublishedTable, offset: u64, limit: usize) -> Result<SqlRows, SqlError> {
        let count = table.n_rows.saturating_sub(offset).min(limit as u64);
        Ok(SqlRows { columns: columns(), rows: rows(offset, count), truncated: false })
    }
}

/// Finds what it was told to, whoever asks: the API must not trust it with the walls.
#[derive(Debug, Default)]
pub struct FakeSearch {
    pub finds: Mutex<Vec<ObjectId>>,
    pub asked: Mutex<Vec<SearchRequest>>,
    pub refreshed: Mutex<Vec<ObjectId>>,
}

#[async_trait]
impl Search for FakeSearch {
    async fn search(&self, request: SearchRequest) -> Result<Vec<SearchHit>, SearchError> {
        let (q, top_k) = (request.q.clone(), request.top_k);
        self.asked.lock().expect("no panic").push(request);
        match q.as_str() {
            "busy" => Err(SearchError::Unavailable("10s".to_owned())),
            "crash" => Err(SearchError::Internal("relation o is secret".to_owned())),
            _ => {
                let finds = self.finds.lock().expect("no panic").clone();
                let hit = |object| SearchHit { object, score: 0.5, snippet: format!("about {q}") };
                Ok(finds.into_iter().take(top_k).map(hit).collect())
            }
        }
    }

    async fn refresh(&self, _scope: &Scope, objects: &[ObjectId]) {
        self.refreshed.lock().expect("no panic").extend(objects);
    }
}

/// A bus on which nothing happens.
pub struct SilentBus;

#[async_trait]
impl EventBus for SilentBus {
    async fn publish(&self, _message: BusMessage) -> Result<(), BusError> {
        Ok(())
    }

    async fn subscribe(&self, _topic: &str) -> Result<Box<dyn Subscription>, BusError> {
        Err(BusError("nothing happens here".to_owned()))
    }
}
