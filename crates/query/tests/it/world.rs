//! A store with tables in it, and an engine over it.

use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::{ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;
use domain::id::{SnapshotId, TableId};
use domain::ports::sql::{Sql, SqlError, SqlRequest, SqlRows};
use domain::schema::{Column, Schema, SqlType};
use domain::table::PublishedTable;
use flyquery_query::{QueryEngine, QuerySettings};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use serde_json::Value;
use tempfile::TempDir;
use uuid::Uuid;

/// A store, an engine over it, and the tables put so far.
pub(crate) struct World {
    pub(crate) engine: Arc<QueryEngine>,
    pub(crate) tables: Vec<PublishedTable>,
    pub(crate) folder: TempDir,
    store: Arc<dyn ObjectStore>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(256 << 20, 2)
    }

    pub(crate) fn with(memory_bytes: usize, threads: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let objects = folder.path().join("objects");
        std::fs::create_dir(&objects).expect("a folder");
        let store: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(objects).expect("a store"));
        let settings = QuerySettings { memory_bytes, threads, spill_dir: folder.path().join("spill") };
        let engine = Arc::new(QueryEngine::new(store.clone(), settings).expect("an engine"));
        Self { engine, tables: Vec::new(), folder, store }
    }

    /// A small shop: `Orders` and `customers`, whose names and columns are spelled in different ways.
    pub(crate) async fn shop() -> Self {
        let mut world = Self::new();
        let orders = [
            ("OrderID", ints([1, 2, 3, 4, 5])),
            ("CustomerID", ints([10, 20, 10, 30, 99])),
            ("Amount", Arc::new(Float64Array::from(vec![10.5, 20.0, 5.25, 40.0, 1.0])) as ArrayRef),
            ("Order Date", Arc::new(Date32Array::from(vec![19_000, 19_001, 19_002, 19_003, 19_004]))),
        ];
        world.put("Orders", &batch(&orders)).await;
        let customers = [
            ("customerid", ints([10, 20, 30])),
            ("Name", texts(["Ada", "Bob", "Cleo"])),
            ("city", texts(["Paris", "Rome", "Paris"])),
        ];
        world.put("customers", &batch(&customers)).await;
        world
    }

    /// Writes a table of one row group.
    pub(crate) async fn put(&mut self, name: &str, batch: &RecordBatch) {
        self.put_groups(name, std::slice::from_ref(batch), 1 << 20).await;
    }

    /// Writes a table from batches, a row group each so many rows.
    pub(crate) async fn put_groups(&mut self, name: &str, batches: &[RecordBatch], group_rows: usize) {
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group_rows)).build();
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batches[0].schema(), Some(properties)).expect("a Parquet writer");
        for batch in batches {
            writer.write(batch).expect("written");
        }
        writer.close().expect("closed");
        let object_key = format!("flyquery/t/w/d/tables/{}/0.parquet", self.tables.len());
        let table = PublishedTable {
            table_id: TableId(Uuid::from_u128(self.tables.len() as u128)),
            snapshot_id: SnapshotId(Uuid::from_u128(1)),
            name: name.to_owned(),
            schema: schema_of(&batches[0]),
            object_key: object_key.clone(),
            byte_size: bytes.len() as u64,
            n_rows: batches.iter().map(|batch| batch.num_rows() as u64).sum(),
        };
        self.store.put(&Path::from(object_key), bytes.into()).await.expect("stored");
        self.tables.push(table);
    }

    pub(crate) fn table(&self, name: &str) -> &PublishedTable {
        self.tables.iter().find(|table| table.name == name).expect("the table was put")
    }

    pub(crate) fn request(&self, sql: &str) -> SqlRequest {
        SqlRequest {
            sql: sql.to_owned(),
            tables: self.tables.clone(),
            dataset: Some("Shop".to_owned()),
            row_cap: 1_000,
            timeout: Duration::from_mins(1),
        }
    }

    pub(crate) async fn try_sql(&self, sql: &str) -> Result<SqlRows, SqlError> {
        self.engine.execute(self.request(sql)).await
    }

    pub(crate) async fn sql(&self, sql: &str) -> SqlRows {
        self.try_sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// The rows as a JSON list of lists.
    pub(crate) async fn rows(&self, sql: &str) -> Value {
        self.sql(sql).await.rows.into()
    }

    /// The names of the result's columns.
    pub(crate) async fn names(&self, sql: &str) -> Vec<String> {
        self.sql(sql).await.columns.into_iter().map(|column| column.name).collect()
    }

    /// The message of a statement that is wrong.
    pub(crate) async fn wrong(&self, sql: &str) -> String {
        match self.try_sql(sql).await {
            Err(SqlError::Wrong(message)) => message,
            other => panic!("{sql}: {other:?}"),
        }
    }
}

pub(crate) fn ints<const N: usize>(values: [i64; N]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

pub(crate) fn texts<const N: usize>(values: [&str; N]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

pub(crate) fn batch(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.iter().map(|(name, array)| (*name, array.clone(), true)))
        .expect("columns of one length")
}

/// Enough of a schema for tests: what no test looks at is text.
fn schema_of(batch: &RecordBatch) -> Schema {
    use datafusion::arrow::datatypes::DataType;
    fn sql_type(data_type: &DataType) -> SqlType {
        match data_type {
            DataType::Int64 => SqlType::BigInt,
            DataType::Float64 => SqlType::Double,
            DataType::Date32 => SqlType::Date,
            DataType::Struct(fields) => SqlType::Struct(
                fields
                    .iter()
                    .map(|f| Column { name: f.name().clone(), sql_type: sql_type(f.data_type()), nullable: true })
                    .collect(),
            ),
            DataType::List(item) => SqlType::List(Box::new(sql_type(item.data_type()))),
            _ => SqlType::Varchar,
        }
    }
    let schema = batch.schema();
    let columns = schema.fields().iter().map(|f| Column {
        name: f.name().clone(),
        sql_type: sql_type(f.data_type()),
        nullable: true,
    });
    Schema { columns: columns.collect() }
}
