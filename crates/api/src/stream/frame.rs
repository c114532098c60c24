//! Frames: what a stream says.

use axum::response::sse::Event;
use domain::event::{EventStage, Progress};
use jobs::EventRow;

use crate::wire::job::StreamEvent;

/// The first bytes of every stream.
pub fn hello() -> Event {
    Event::default().comment("connected")
}

/// The client's last event id is not one of this job's ledger: what follows is the whole ledger.
pub fn reset(last: &str) -> Event {
    let reason = format!("Event '{last}' is not in this job's ledger; everything is sent again.");
    Event::default().event("reset").data(serde_json::json!({ "reason": reason }).to_string())
}

/// A ledger event.
pub fn ledger(event: &EventRow) -> Event {
    let data = serde_json::to_string(&StreamEvent::from(event)).expect("an event has only string keys");
    Event::default().id(event.id.0.to_string()).event(event.stage.as_str()).data(data)
}

/// Progress inside a long stage; not stored, so without an id.
pub fn progress(progress: &Progress) -> Event {
    let data = serde_json::to_string(progress).expect("progress has only string keys");
    Event::default().event("progress").data(data)
}

/// Whether a ledger event is a job's last.
pub fn is_last(event: &EventRow) -> bool {
    matches!(event.stage, EventStage::Final | EventStage::Error)
}
