//! Rows that many tests need.

use db::files::{self, NewFile};
use db::schema_objects::{self, NewObject};
use db::snapshots::{self, NewSnapshot};
use db::tables::{self, NewTable};
use db::{Annotations, FileRow, SnapshotRow, TableRow, Tx};
use domain::job::Claim;
use domain::ports::clock::Entropy as _;
use domain::table::{ObjectKind, TableKind, TriggeredBy};
use domain::{
    Actor, ClaimToken, Column, Compression, FileFormat, FileId, JobId, ObjectId, Schema, SnapshotId, SqlType, TableId,
};
use serde_json::json;
use test_support::TestDb;

pub fn new_file(db: &TestDb, name: &str) -> NewFile {
    NewFile {
        id: db.id::<FileId>(),
        dataset: db.dataset(),
        original_filename: name.to_owned(),
        file_format: Some(FileFormat::Csv),
        compression: Compression::None,
        size_bytes: 1_234,
        content_hash_sha256: "ab".repeat(32),
        object_key: format!("flyquery/acme/files/{name}"),
        extraction_rules: json!({}),
        uploaded_by: Actor("ann".to_owned()),
    }
}

pub async fn file(tx: &Tx, db: &TestDb, name: &str) -> FileRow {
    files::insert(tx, &new_file(db, name)).await.expect("a file")
}

pub fn new_table(db: &TestDb, name: &str) -> NewTable {
    NewTable {
        id: db.id::<TableId>(),
        dataset: db.dataset(),
        source_file: None,
        name: name.to_owned(),
        qualified_name: format!("sales.{name}"),
        kind: TableKind::Uploaded,
        sheet_or_json_path: None,
        job: None,
    }
}

pub async fn table(tx: &Tx, db: &TestDb, name: &str) -> TableRow {
    tables::insert(tx, &new_table(db, name)).await.expect("a table").expect("a free name")
}

pub fn schema() -> Schema {
    let column = |name: &str, sql_type, nullable| Column { name: name.to_owned(), sql_type, nullable };
    Schema { columns: vec![column("id", SqlType::BigInt, false), column("price", SqlType::Decimal(10, 2), true)] }
}

pub fn new_snapshot(db: &TestDb, table: &TableRow) -> NewSnapshot {
    NewSnapshot {
        id: db.id::<SnapshotId>(),
        table: table.id,
        dataset: table.dataset,
        hash: "cd".repeat(32),
        schema: schema(),
        n_rows: Some(42),
        object_key: Some(format!("flyquery/acme/tables/{}.parquet", db.ids().id())),
        byte_size: Some(4_096),
        triggered_by: TriggeredBy::User,
        created_by: Actor("ann".to_owned()),
        file: None,
        accepted_seq: Some(1),
        job: db.id::<JobId>(),
        token: ClaimToken(1),
    }
}

pub async fn partial(tx: &Tx, db: &TestDb, table: &TableRow) -> SnapshotRow {
    snapshots::insert_partial(tx, &new_snapshot(db, table)).await.expect("a snapshot")
}

/// A READY snapshot that is current.
pub async fn published(tx: &Tx, db: &TestDb, table: &TableRow) -> SnapshotRow {
    let snapshot = partial(tx, db, table).await;
    assert!(snapshots::mark_ready(tx, snapshot.id).await.expect("marked"));
    assert!(tables::set_current(tx, table.id, snapshot.id, None, None).await.expect("set"));
    snapshot
}

/// The objects of a snapshot: the table, `id` and `price`.
pub async fn objects(tx: &Tx, db: &TestDb, snapshot: &SnapshotRow, table: &TableRow) -> Vec<NewObject> {
    let top = db.id::<ObjectId>();
    let mut list = vec![NewObject {
        id: top,
        table: table.id,
        snapshot: snapshot.id,
        kind: ObjectKind::Table,
        parent: None,
        name: table.name.clone(),
        qualified_name: table.qualified_name.clone(),
        ordinal: 0,
        data_type: None,
        is_nullable: None,
        source_hash: "h".to_owned(),
        annotations: Annotations::default(),
    }];
    for (i, column) in schema().columns.iter().enumerate() {
        list.push(NewObject {
            id: db.id::<ObjectId>(),
            kind: ObjectKind::Column,
            parent: Some(top),
            name: column.name.clone(),
            qualified_name: format!("{}.{}", table.qualified_name, column.name),
            ordinal: u32::try_from(i).expect("few columns"),
            data_type: Some(column.sql_type.to_string()),
            is_nullable: Some(column.nullable),
            ..list[0].clone()
        });
    }
    schema_objects::insert_many(tx, &list).await.expect("objects");
    list
}

/// A job row, for what refers to one.
pub async fn job(tx: &Tx, db: &TestDb, status: &str, token: i64) -> Claim {
    let job_id = db.id::<JobId>();
    let scope = db.scope();
    let sql = format!(
        "INSERT INTO flyquery_ingest_jobs (id, tenant_id, workspace_id, dataset_id, job_kind, status, claim_token, \
         created_at, run_after) VALUES ($1, $2, $3, $4, 'REPARSE', $5, $6, {now}, {now})",
        now = tx.now()
    );
    let params = db::params![job_id, &scope.tenant, scope.workspace, db.dataset(), status, token];
    tx.execute(&sql, params).await.expect("a job");
    Claim { job_id, token: ClaimToken(token) }
}
