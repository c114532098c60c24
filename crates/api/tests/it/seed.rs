//! What ingests would have left behind: files, published tables, jobs with ledgers.

use std::time::Duration;

use db::Tx;
use db::files::{self, NewFile};
use db::schema_objects::{self, NewObject};
use db::snapshots::{self, NewSnapshot};
use db::tables::{self, NewTable};
use domain::event::{EventStage, NewEvent};
use domain::job::WorkerId;
use domain::ports::clock::Entropy as _;
use domain::table::{ObjectKind, TableKind, TriggeredBy};
use domain::{
    Actor, ClaimToken, Column, Compression, DatasetId, FileFormat, FileId, JobId, JobKind, ObjectId, Schema, Scope,
    SnapshotId, SqlType, Stage, TableId,
};
use jobs::{Birth, JobRow, NewJob, Outcome};
use serde_json::json;
use test_support::TestDb;

/// A published table.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    pub table: TableId,
    pub snapshot: SnapshotId,
    pub column: ObjectId,
}

/// Two columns: `id` BIGINT and `amount` of the given type.
pub fn schema(amount: SqlType) -> Schema {
    let column = |name: &str, sql_type| Column { name: name.to_owned(), sql_type, nullable: true };
    Schema { columns: vec![column("id", SqlType::BigInt), column("amount", amount)] }
}

/// A table with one READY, current snapshot of 25 rows.
pub async fn published(db: &TestDb, name: &str) -> Published {
    let tx = db.tx().await;
    let table = unpublished(&tx, db, name).await;
    let (snapshot, column) = snapshot(&tx, db, table, name).await;
    tx.commit().await.expect("committed");
    Published { table, snapshot, column }
}

/// A table without a snapshot.
pub async fn unpublished(tx: &Tx, db: &TestDb, name: &str) -> TableId {
    let new = NewTable {
        id: db.id(),
        dataset: db.dataset(),
        source_file: None,
        name: name.to_owned(),
        qualified_name: format!("sales.{name}"),
        kind: TableKind::Uploaded,
        sheet_or_json_path: None,
        job: None,
    };
    tables::insert(tx, &new).await.expect("inserts").expect("a free name").id
}

/// A READY snapshot with its objects, made current.
pub async fn snapshot(tx: &Tx, db: &TestDb, table: TableId, name: &str) -> (SnapshotId, ObjectId) {
    let id: SnapshotId = db.id();
    let new = NewSnapshot {
        id,
        table,
        dataset: db.dataset(),
        hash: "0".repeat(64),
        schema: schema(SqlType::Decimal(10, 2)),
        n_rows: Some(25),
        object_key: Some(format!("key/{id}")),
        byte_size: Some(999),
        triggered_by: TriggeredBy::User,
        created_by: Actor("acme".to_owned()),
        file: None,
        accepted_seq: Some(1),
        job: db.id(),
        token: ClaimToken(1),
    };
    snapshots::insert_partial(tx, &new).await.expect("inserts");
    assert!(snapshots::mark_ready(tx, id).await.expect("marks"));
    assert!(tables::set_current(tx, table, id, None, None).await.expect("flips"));
    let object = |object: ObjectId, kind, parent, column: &str, ordinal| NewObject {
        id: object,
        table,
        snapshot: id,
        kind,
        parent,
        name: column.to_owned(),
        qualified_name: if kind == ObjectKind::Table {
            format!("sales.{name}")
        } else {
            format!("sales.{name}.{column}")
        },
        ordinal,
        data_type: (kind == ObjectKind::Column).then(|| "BIGINT".to_owned()),
        is_nullable: (kind == ObjectKind::Column).then_some(false),
        source_hash: "h".to_owned(),
        annotations: db::Annotations::default(),
    };
    let (whole, column): (ObjectId, ObjectId) = (db.id(), db.id());
    let objects = [
        object(whole, ObjectKind::Table, None, name, 0),
        object(column, ObjectKind::Column, Some(whole), "amount", 1),
        object(db.id(), ObjectKind::Column, Some(whole), "id", 0),
    ];
    schema_objects::insert_many(tx, &objects).await.expect("inserts");
    schema_objects::set_samples(tx, &[(column, vec!["1.50".to_owned()])]).await.expect("samples");
    (id, column)
}

/// A stored file.
pub async fn file(db: &TestDb) -> FileId {
    let tx = db.tx().await;
    let new = NewFile {
        id: db.id(),
        dataset: db.dataset(),
        original_filename: "orders.csv".to_owned(),
        file_format: Some(FileFormat::Csv),
        compression: Compression::None,
        size_bytes: 3,
        content_hash_sha256: "0".repeat(64),
        object_key: "key".to_owned(),
        extraction_rules: json!({}),
        uploaded_by: Actor("acme".to_owned()),
    };
    let row = files::insert(&tx, &new).await.expect("inserts");
    tx.commit().await.expect("committed");
    row.id
}

/// A job that waits.
pub async fn pending(db: &TestDb, scope: &Scope, dataset: DatasetId, kind: JobKind) -> JobRow {
    let tx = db.db().scope(scope).await.expect("a transaction");
    let new = NewJob::new(JobId(db.ids().id()), scope.clone(), dataset, kind);
    let row = jobs::enqueue(&tx, db.ids().as_ref(), new, Birth::Pending).await.expect("enqueued");
    tx.commit().await.expect("committed");
    row
}

/// A job that runs, claimed by nobody in particular.
pub async fn running(db: &TestDb) -> JobRow {
    let tx = db.tx().await;
    let new = NewJob::new(JobId(db.ids().id()), db.scope().clone(), db.dataset(), JobKind::DescribePass);
    let birth = Birth::Running { worker: WorkerId(db.ids().id()), lease: Duration::from_mins(10) };
    let row = jobs::enqueue(&tx, db.ids().as_ref(), new, birth).await.expect("enqueued");
    tx.commit().await.expect("committed");
    row
}

/// Commits a stage with one event of this payload.
pub async fn stage(db: &TestDb, job: &JobRow, stage: Stage, payload: serde_json::Value) {
    let word: EventStage = stage.event().parse().expect("every stage has its event");
    stage_with(db, job, stage, &[NewEvent::ok(word, payload)]).await;
}

/// Commits a stage with these events.
pub async fn stage_with(db: &TestDb, job: &JobRow, stage: Stage, events: &[NewEvent]) {
    let guarded = jobs::checkpoint::begin(&db.db(), job.claim()).await.expect("still ours");
    guarded.commit(stage, &json!({}), events).await.expect("committed");
}

/// Ends a job well.
pub async fn succeed(db: &TestDb, job: &JobRow) {
    let outcome = Outcome::Succeeded { result: json!({"done": true}), table: None, snapshot: None, cost_cents: None };
    finish(db, job, outcome).await;
}

/// Ends a job.
pub async fn finish(db: &TestDb, job: &JobRow, outcome: Outcome) {
    let end = jobs::finish::End {
        claim: job.claim(),
        outcome,
        commit: None,
        terminal: &jobs::NoHooks,
        max_attempts: 3,
        next: None,
    };
    jobs::finish::finish(&db.db(), end).await.expect("finished");
}
