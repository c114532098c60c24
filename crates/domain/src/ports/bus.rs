//! The event bus: it only wakes. A lost, doubled or late message costs latency, never correctness.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A message as subscribers see it. Delivered at least once; `id` is stable, to dedupe on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BusMessage {
    /// Id of the outbox row.
    pub id: Uuid,
    /// Destination, one of `event::topic`.
    pub topic: String,
    /// What happened.
    pub event_type: String,
    /// Its facts.
    pub payload: serde_json::Value,
}

/// The bus could not take or give a message; the outbox row stays and is sent later.
#[derive(Debug, thiserror::Error)]
#[error("event bus: {0}")]
pub struct BusError(pub String);

/// Publishing and subscribing.
#[async_trait]
pub trait EventBus: Send + Sync + 'static {
    /// Sends one message to every current subscriber of its topic.
    async fn publish(&self, message: BusMessage) -> Result<(), BusError>;
    /// Starts to listen; messages published before are not seen.
    async fn subscribe(&self, topic: &str) -> Result<Box<dyn Subscription>, BusError>;
}

/// A listener.
#[async_trait]
pub trait Subscription: Send {
    /// The next message; `Err` when the subscription is broken and must be made anew. A listener that was too slow
    /// simply misses messages: it polls anyway.
    async fn next(&mut self) -> Result<BusMessage, BusError>;
}
