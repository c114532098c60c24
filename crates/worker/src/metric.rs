//! Names of the metrics this crate records; `docs/operations.md` lists them.

/// Counter: bytes of originals stored.
pub const UPLOADED_BYTES: &str = "flyquery_uploaded_bytes_total";
/// Counter: objects removed by the sweep.
pub const SWEPT_OBJECTS: &str = "flyquery_swept_objects_total";
/// Counter: outbox events sent to the bus.
pub const RELAYED_EVENTS: &str = "flyquery_relayed_events_total";
