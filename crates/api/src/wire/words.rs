//! The closed lists of `domain` as schemas of the API document.

use std::borrow::Cow;

use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema, openapi::RefOr};

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $list:ty;)+) => {$(
        $(#[$doc])*
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(SchemaType::new(Type::String))
                    .enum_values(Some(<$list>::ALL.iter().map(|word| word.as_str())))
                    .into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    )+};
}

words! {
    /// Words of a job's kind.
    JobKind = domain::JobKind;
    /// Words of a job's state.
    JobStatus = domain::JobState;
    /// Words of a ledger event's stage.
    EventStage = domain::event::EventStage;
    /// Words of a ledger event's status.
    EventStatus = domain::event::EventStatus;
    /// Words of a snapshot's status.
    SnapshotStatus = domain::table::SnapshotStatus;
    /// Words of a snapshot's cause.
    TriggeredBy = domain::table::TriggeredBy;
    /// Words of a table's kind.
    TableKind = domain::table::TableKind;
    /// Words of a schema object's kind.
    ObjectKind = domain::table::ObjectKind;
    /// Words of a schema change.
    ChangeKind = domain::drift::ChangeKind;
    /// Words of who found a relation.
    RelationKind = domain::semantic::RelationKind;
    /// Words of what people decided on a relation.
    RelationStatus = domain::semantic::RelationStatus;
    /// Words of a statement's kind.
    StatementKind = domain::ports::sql::StatementKind;
    /// Words of a stage.
    StageName = domain::Stage;
    /// Words of a stage's end.
    StageOutcome = domain::report::StageOutcome;
    /// Words of a warning.
    WarningCode = domain::WarningCode;
}
