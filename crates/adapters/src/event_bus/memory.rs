//! The bus of the embedded home: inside the process, bounded, forgetful. The outbox row is the truth, this only wakes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use domain::limits;
use domain::ports::bus::{BusError, BusMessage, EventBus, Subscription};
use tokio::sync::broadcast::{self, error::RecvError};

/// A bus inside one process. A message reaches whoever listens to its topic at that moment; a listener more than
/// `limits::BUS_BUFFER` messages behind misses the oldest ones.
#[derive(Debug, Default)]
pub struct MemoryBus {
    topics: Mutex<HashMap<String, broadcast::Sender<BusMessage>>>,
}

impl MemoryBus {
    /// A bus nobody listens to yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

#[async_trait]
impl EventBus for MemoryBus {
    async fn publish(&self, message: BusMessage) -> Result<(), BusError> {
        let topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = topics.get(&message.topic) {
            // An error here only says that the last listener has just gone.
            let _ = sender.send(message);
        }
        Ok(())
    }

    async fn subscribe(&self, topic: &str) -> Result<Box<dyn Subscription>, BusError> {
        let mut topics = self.topics.lock().unwrap_or_else(PoisonError::into_inner);
        // Topics whose listeners are all gone are dropped here, so the map never outgrows the live listeners.
        topics.retain(|name, sender| name == topic || sender.receiver_count() > 0);
        let sender = topics.entry(topic.to_owned()).or_insert_with(|| broadcast::channel(limits::BUS_BUFFER).0);
        Ok(Box::new(MemorySubscription { receiver: sender.subscribe() }))
    }
}

#[derive(Debug)]
struct MemorySubscription {
    receiver: broadcast::Receiver<BusMessage>,
}

#[async_trait]
impl Subscription for MemorySubscription {
    async fn next(&mut self) -> Result<BusMessage, BusError> {
        loop {
            match self.receiver.recv().await {
                Ok(message) => return Ok(message),
                Err(RecvError::Lagged(missed)) => tracing::debug!(missed, "a bus listener was too slow"),
                Err(RecvError::Closed) => return Err(BusError("the bus is gone".to_owned())),
            }
        }
    }
}
