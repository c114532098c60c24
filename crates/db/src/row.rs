//! A row of a result, read by column name into domain values.

use chrono::{DateTime, Utc};
use domain::drift::ChangeKind;
use domain::event::{EventStage, EventStatus};
use domain::job::WorkerId;
use domain::semantic::{DescriptionSource, PiiSource, PiiTag, RelationKind, RelationStatus};
use domain::table::{ObjectKind, SnapshotStatus, TableKind, TriggeredBy};
use domain::{
    Actor, ChangeId, ClaimToken, Compression, DatasetId, DriftPolicy, ErrorCode, EventId, FileFormat, FileId,
    FileStatus, JobId, JobKind, JobState, Lifecycle, Locale, ObjectId, RelationId, SnapshotId, Stage, TableId,
    TenantId, WorkspaceId,
};
use sea_orm::sqlx::Row as _;
use sea_orm::sqlx::postgres::PgRow;
use sea_orm::sqlx::sqlite::SqliteRow;
use uuid::Uuid;

use crate::error::DbError;

/// A row of a result.
pub struct Row(pub(crate) Raw);

pub(crate) enum Raw {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    /// The value of a column. `Option<T>` reads NULL as `None`; everything else refuses NULL.
    pub fn get<T: FromColumn>(&self, column: &str) -> Result<T, DbError> {
        T::from_column(self, column)?.ok_or_else(|| DbError::Bug(format!("column {column} is NULL")))
    }
}

impl std::fmt::Debug for Row {
    /// Never shows values.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Row")
    }
}

/// A type that a column can be read as.
pub trait FromColumn: Sized {
    /// The value; `None` for NULL.
    fn from_column(row: &Row, column: &str) -> Result<Option<Self>, DbError>;
}

impl<T: FromColumn> FromColumn for Option<T> {
    fn from_column(row: &Row, column: &str) -> Result<Option<Self>, DbError> {
        Ok(Some(T::from_column(row, column)?))
    }
}

macro_rules! plain {
    ($($type:ty),+) => {$(
        impl FromColumn for $type {
            fn from_column(row: &Row, column: &str) -> Result<Option<Self>, DbError> {
                Ok(match &row.0 {
                    Raw::Sqlite(row) => row.try_get::<Option<$type>, _>(column)?,
                    Raw::Postgres(row) => row.try_get::<Option<$type>, _>(column)?,
                })
            }
        }
    )+};
}

plain!(String, bool, f64, Vec<u8>, Uuid, DateTime<Utc>, serde_json::Value);

impl FromColumn for i64 {
    /// Postgres gives bare literals as 32 bits.
    fn from_column(row: &Row, column: &str) -> Result<Option<Self>, DbError> {
        Ok(match &row.0 {
            Raw::Sqlite(row) => row.try_get::<Option<i64>, _>(column)?,
            Raw::Postgres(row) => match row.try_get::<Option<i64>, _>(column) {
                Ok(value) => value,
                Err(_) => row.try_get::<Option<i32>, _>(column)?.map(i64::from),
            },
        })
    }
}

macro_rules! through {
    ($($type:ty: $base:ty, |$value:ident| $expr:expr;)+) => {$(
        impl FromColumn for $type {
            fn from_column(row: &Row, column: &str) -> Result<Option<Self>, DbError> {
                let Some($value) = <$base>::from_column(row, column)? else { return Ok(None) };
                match $expr {
                    Ok(value) => Ok(Some(value)),
                    // the error may quote the value: name only the column
                    Err(_) => Err(DbError::Bug(format!(
                        concat!("column {} does not hold a ", stringify!($type)), column
                    ))),
                }
            }
        }
    )+};
}

type Sure<T> = Result<T, std::convert::Infallible>;

through! {
    i32: i64, |v| i32::try_from(v);
    u32: i64, |v| u32::try_from(v);
    u64: i64, |v| u64::try_from(v);
    usize: i64, |v| usize::try_from(v);
    ClaimToken: i64, |v| Sure::Ok(ClaimToken(v));
    EventId: i64, |v| Sure::Ok(EventId(v));
    WorkerId: Uuid, |v| Sure::Ok(WorkerId(v));
    TenantId: String, |v| TenantId::new(&v);
    Actor: String, |v| Sure::Ok(Actor(v));
    Locale: String, |v| Sure::Ok(Locale::new(v));
}

macro_rules! ids {
    ($($id:ident),+) => { through! { $($id: Uuid, |v| Sure::Ok($id(v));)+ } };
}

macro_rules! words {
    ($($word:ident),+) => { through! { $($word: String, |v| v.parse::<$word>();)+ } };
}

ids!(WorkspaceId, DatasetId, FileId, TableId, SnapshotId, ObjectId, ChangeId, RelationId, JobId);
words!(
    FileStatus,
    FileFormat,
    Compression,
    TableKind,
    SnapshotStatus,
    TriggeredBy,
    ObjectKind,
    ChangeKind,
    EventStage,
    EventStatus,
    JobKind,
    JobState,
    Lifecycle,
    Stage,
    PiiSource,
    DescriptionSource,
    RelationStatus,
    RelationKind,
    DriftPolicy,
    PiiTag,
    ErrorCode
);
