//! Binding domain values to placeholders: [`params!`](macro@crate::params) builds the list.

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
use sea_orm::Value;
use uuid::Uuid;

/// A value that can be bound to a placeholder. `Option<T>` binds a typed NULL, which Postgres insists on.
pub trait Bind: Sized {
    /// The value.
    fn bind(self) -> Value;
    /// NULL of this type.
    fn null() -> Value;
}

impl<T: Bind> Bind for Option<T> {
    fn bind(self) -> Value {
        self.map_or_else(T::null, T::bind)
    }
    fn null() -> Value {
        T::null()
    }
}

impl<T: Bind + Clone> Bind for &T {
    fn bind(self) -> Value {
        self.clone().bind()
    }
    fn null() -> Value {
        T::null()
    }
}

impl Bind for &str {
    fn bind(self) -> Value {
        Value::String(Some(self.to_owned()))
    }
    fn null() -> Value {
        Value::String(None)
    }
}

macro_rules! bind {
    ($($type:ty => $variant:ident |$value:ident| $expr:expr;)+) => {$(
        impl Bind for $type {
            fn bind(self) -> Value {
                let $value = self;
                Value::$variant(Some($expr))
            }
            fn null() -> Value {
                Value::$variant(None)
            }
        }
    )+};
}

bind! {
    String => String |v| v;
    bool => Bool |v| v;
    i64 => BigInt |v| v;
    i32 => BigInt |v| i64::from(v);
    u32 => BigInt |v| i64::from(v);
    u64 => BigInt |v| i64::try_from(v).unwrap_or(i64::MAX);
    usize => BigInt |v| i64::try_from(v).unwrap_or(i64::MAX);
    f64 => Double |v| v;
    Vec<u8> => Bytes |v| v;
    Uuid => Uuid |v| v;
    DateTime<Utc> => ChronoDateTimeUtc |v| v;
    serde_json::Value => Json |v| Box::new(v);
    ClaimToken => BigInt |v| v.0;
    EventId => BigInt |v| v.0;
    WorkerId => Uuid |v| v.0;
    TenantId => String |v| v.as_str().to_owned();
    Actor => String |v| v.0;
    Locale => String |v| v.as_str().to_owned();
    DriftPolicy => String |v| v.as_str().to_owned();
    PiiTag => String |v| v.to_string();
    ErrorCode => String |v| v.as_str().to_owned();
}

macro_rules! bind_ids {
    ($($id:ident),+) => { bind! { $($id => Uuid |v| v.0;)+ } };
}

macro_rules! bind_words {
    ($($word:ident),+) => { bind! { $($word => String |v| v.as_str().to_owned();)+ } };
}

bind_ids!(WorkspaceId, DatasetId, FileId, TableId, SnapshotId, ObjectId, ChangeId, RelationId, JobId);
bind_words!(
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
    RelationKind
);

impl Bind for Value {
    fn bind(self) -> Value {
        self
    }
    /// NULL of unknown type; Postgres takes it for text.
    fn null() -> Value {
        Value::String(None)
    }
}

/// The parameters of a statement: `params![scope.workspace, name, Some(3_i64)]`.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { ::std::vec![$($crate::Bind::bind($value)),*] };
}
