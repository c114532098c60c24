//! What the stages hand on: typed by the stage that made it, and stored as the job's checkpoint.

use std::marker::PhantomData;

use domain::semantic::PiiTag;
use domain::table::PublishedTable;
use domain::{
    Column, Compression, DatasetId, FileFormat, FileId, Schema, SnapshotId, Stage, StageReport, TableId, Warning,
};
use serde::{Deserialize, Serialize};

use crate::stages::describe::Tally;

/// Version of the checkpoint's layout. A checkpoint of another version is not resumed: the job starts over.
const VERSION: u32 = 1;

/// Everything known of a job's work so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// The uploaded file.
    pub file: FileFacts,
    /// The dataset it belongs to.
    pub dataset: DatasetId,
    /// Name of the dataset, for qualified names.
    pub dataset_name: String,
    /// One entry per table found, in the file's order.
    pub sections: Vec<Section>,
    /// What a user could dispute.
    pub warnings: Vec<Warning>,
    /// Stages done so far.
    pub stages: Vec<StageReport>,
    /// How far describing came.
    pub tally: Tally,
}

/// The uploaded file, as stage 1 knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Its row.
    pub id: FileId,
    /// Where the original is.
    pub object_key: String,
    /// Name as its sender calls it.
    pub name: String,
    /// Format of the content.
    pub format: FileFormat,
    /// Wrapper around it.
    pub compression: Compression,
    /// Bytes of the original.
    pub size: u64,
    /// How tables are found, when the sender said so.
    pub extraction_rules: Option<serde_json::Value>,
}

/// One table on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Name of the table.
    pub name: String,
    /// Where in the file it stands; `None` for one-table files.
    pub path: Option<String>,
    /// Its columns.
    pub schema: Schema,
    /// Its rows.
    pub rows: u64,
    /// Key of the Parquet file.
    pub object_key: String,
    /// Size of the Parquet file.
    pub parquet_bytes: u64,
    /// Set by reconcile.
    pub target: Option<Target>,
    /// Position of each covered column with what it holds of personal data, once a stage has looked.
    pub verdicts: Option<Vec<(usize, PiiTag)>>,
}

/// The rows of the catalogue that a section became.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The table.
    pub table: TableId,
    /// The PARTIAL snapshot.
    pub snapshot: SnapshotId,
    /// The snapshot that was current when the schemas were compared.
    pub previous: Option<SnapshotId>,
}

/// What is published already, read as a stage reads its own.
impl From<PublishedTable> for Section {
    fn from(table: PublishedTable) -> Self {
        Self {
            name: table.name,
            path: None,
            schema: table.schema,
            rows: table.n_rows,
            object_key: table.object_key,
            parquet_bytes: table.byte_size,
            target: Some(Target { table: table.table_id, snapshot: table.snapshot_id, previous: None }),
            verdicts: None,
        }
    }
}

impl Section {
    /// The catalogue rows; reconcile has run before anything asks.
    pub fn target(&self) -> &Target {
        self.target.as_ref().expect("stages after reconcile see only reconciled sections")
    }

    /// `<dataset>.<table>`.
    pub fn qualified_name(&self, dataset: &str) -> String {
        format!("{dataset}.{}", self.name)
    }

    /// The columns that a policy lets be annotated, with their positions.
    pub fn covered<'a>(&'a self, policy: &'a domain::IngestPolicy) -> impl Iterator<Item = (usize, &'a Column)> {
        self.schema.columns.iter().enumerate().filter(|(_, c)| policy.covers(&self.name, &c.name))
    }
}

/// Names a stage in the type of what it hands on.
pub trait Marker {
    /// The stage.
    const STAGE: Stage;
}

macro_rules! markers {
    ($($name:ident),+) => {
        /// One empty type per stage.
        pub mod after {
            $(
                #[doc = concat!("After `", stringify!($name), "`.")]
                #[derive(Clone, Copy, Debug)]
                pub struct $name;
                impl super::Marker for $name {
                    const STAGE: domain::Stage = domain::Stage::$name;
                }
            )+
        }
    };
}
markers!(Receive, Parse, Reconcile, Sample, Profile, Relate, Describe, TagPii, Embed, Publish);

/// Work that has passed stage `S`. Only `step` makes one.
#[derive(Debug)]
pub struct After<S: Marker> {
    work: Work,
    stage: PhantomData<S>,
}

impl<S: Marker> After<S> {
    pub(crate) fn new(work: Work) -> Self {
        Self { work, stage: PhantomData }
    }

    /// The work itself.
    pub fn work(&self) -> &Work {
        &self.work
    }

    pub(crate) fn into_work(self) -> Work {
        self.work
    }
}

#[derive(Serialize, Deserialize)]
struct Stored<W> {
    version: u32,
    stage: Stage,
    work: W,
}

/// The checkpoint to store after `stage`.
pub fn store(stage: Stage, work: &Work) -> serde_json::Value {
    serde_json::to_value(Stored { version: VERSION, stage, work })
        .expect("work holds only strings, numbers and lists, which JSON can hold")
}

/// The last committed stage and its work; `None` when there is none or it is of another version.
pub fn load(json: &serde_json::Value) -> Option<(Stage, Work)> {
    let version = json.get("version")?.as_u64()?;
    if version != u64::from(VERSION) {
        return None;
    }
    let stored: Stored<Work> = serde_json::from_value(json.clone()).ok()?;
    Some((stored.stage, stored.work))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::SqlType;

    fn work() -> Work {
        Work {
            file: FileFacts {
                id: FileId(uuid::Uuid::nil()),
                object_key: "k".into(),
                name: "a.csv".into(),
                format: FileFormat::Csv,
                compression: Compression::None,
                size: 3,
                extraction_rules: None,
            },
            dataset: DatasetId(uuid::Uuid::nil()),
            dataset_name: "d".into(),
            sections: vec![Section {
                name: "a".into(),
                path: None,
                schema: Schema {
                    columns: vec![Column { name: "x".into(), sql_type: SqlType::Decimal(10, 2), nullable: true }],
                },
                rows: 1,
                object_key: "p".into(),
                parquet_bytes: 9,
                target: None,
                verdicts: Some(vec![(0, PiiTag::Email)]),
            }],
            warnings: vec![],
            stages: vec![],
            tally: Tally { described: 0, deferred: 1, spent_cents: 0.25 },
        }
    }

    #[test]
    fn a_checkpoint_round_trips() {
        let json = store(Stage::Parse, &work());
        assert_eq!(load(&json), Some((Stage::Parse, work())));
    }

    #[test]
    fn another_version_starts_over() {
        let mut json = store(Stage::Parse, &work());
        json["version"] = 99.into();
        assert_eq!(load(&json), None);
        assert_eq!(load(&serde_json::Value::Null), None);
    }
}
