//! Sends outbox events to the bus after their transaction committed. At least once: a crash between sending and
//! marking sends an event again, under the same id.

use std::sync::Arc;
use std::time::Duration;

use db::{Db, DbError};
use domain::limits;
use domain::ports::bus::{BusMessage, EventBus};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::metric;

/// Events claimed at once.
const BATCH: u64 = 100;
/// How long a claimed event is left to the relay that claimed it.
const LEASE: Duration = Duration::from_secs(30);

/// The relay of one process. Any number of processes may run one.
pub struct Relay {
    db: Db,
    bus: Arc<dyn EventBus>,
    wake: Arc<Notify>,
}

impl Relay {
    /// `wake` is notified after every commit of this process that wrote an event.
    pub fn new(db: Db, bus: Arc<dyn EventBus>, wake: Arc<Notify>) -> Self {
        Self { db, bus, wake }
    }

    /// Runs until `stop`; sends what is left before it ends.
    pub async fn run(self, stop: CancellationToken) {
        loop {
            if let Err(error) = self.drain().await {
                tracing::warn!(%error, "events wait in the outbox until the next try");
            }
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.wake.notified() => {}
                () = tokio::time::sleep(limits::POLL_IDLE) => {}
            }
        }
        if let Err(error) = self.drain().await {
            tracing::warn!(%error, "events stay in the outbox until the next start");
        }
    }

    /// Sends everything that waits.
    async fn drain(&self) -> Result<(), DbError> {
        loop {
            let reading = self.db.fleet_read().await?;
            let waiting = db::outbox::has_unsent(&reading).await?;
            reading.rollback().await?;
            if !waiting || !self.send_batch().await? {
                return Ok(());
            }
        }
    }

    /// Sends one batch; false when nothing could be sent.
    async fn send_batch(&self) -> Result<bool, DbError> {
        let tx = self.db.fleet().await?;
        let claimed = db::outbox::claim(&tx, BATCH, LEASE).await?;
        tx.commit().await?;
        let mut sent = Vec::with_capacity(claimed.len());
        for event in claimed {
            let id = event.id;
            let message = BusMessage { id, topic: event.topic, event_type: event.event_type, payload: event.payload };
            match self.bus.publish(message).await {
                Ok(()) => sent.push(id),
                Err(error) => tracing::warn!(%error, event = %id, "the bus did not take an event"),
            }
        }
        if sent.is_empty() {
            return Ok(false);
        }
        let tx = self.db.fleet().await?;
        db::outbox::mark_sent(&tx, &sent).await?;
        tx.commit().await?;
        metrics::counter!(metric::RELAYED_EVENTS).increment(sent.len() as u64);
        Ok(true)
    }
}
