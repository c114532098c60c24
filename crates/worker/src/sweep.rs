//! Removes objects that no commit named: what a crash, a cancel or a failure left in the store.

use std::sync::Arc;
use std::time::Duration;

use db::{Db, DbError};
use domain::limits;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::metric;

/// What a sweep did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SweepReport {
    /// Objects removed.
    pub removed: u64,
    /// Objects that could not be removed now; a later sweep tries again.
    pub failed: u64,
}

/// Sweeps the store of one home.
pub struct Sweeper {
    db: Db,
    store: Arc<dyn ObjectStore>,
    dead_after: Duration,
}

impl Sweeper {
    /// `dead_after`: how long objects of an ended job are left alone, so that a worker that has not noticed yet can't
    /// write behind the sweep; zero where no other process can be writing.
    pub fn new(db: Db, store: Arc<dyn ObjectStore>, dead_after: Duration) -> Self {
        Self { db, store, dead_after }
    }

    /// Sweeps until nothing is left. `unclaimed_after` is the age from which an upload without a job counts as dead.
    pub async fn sweep(&self, unclaimed_after: Duration) -> Result<SweepReport, DbError> {
        let mut report = SweepReport::default();
        loop {
            let tx = self.db.fleet().await?;
            let stale =
                db::pending_objects::claim_stale(&tx, unclaimed_after, self.dead_after, limits::SWEEP_BATCH).await?;
            tx.commit().await?;
            if stale.is_empty() {
                return Ok(report);
            }
            let mut gone = Vec::with_capacity(stale.len());
            for object in stale {
                match self.store.delete(&Path::from(object.object_key.as_str())).await {
                    Ok(()) | Err(object_store::Error::NotFound { .. }) => gone.push(object.object_key),
                    Err(error) => {
                        report.failed += 1;
                        tracing::warn!(%error, key = object.object_key, "an object could not be swept");
                    }
                }
            }
            report.removed += gone.len() as u64;
            metrics::counter!(metric::SWEPT_OBJECTS).increment(gone.len() as u64);
            let tx = self.db.fleet().await?;
            db::pending_objects::forget(&tx, &gone).await?;
            tx.commit().await?;
        }
    }

    /// Sweeps when a job has ended without effect, and every `interval`.
    pub async fn run(self, wake: Arc<Notify>, interval: Duration, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = wake.notified() => {}
                () = tokio::time::sleep(interval) => {}
            }
            match self.sweep(limits::PENDING_OBJECT_GRACE).await {
                Ok(SweepReport { removed: 0, failed: 0 }) => {}
                Ok(report) => tracing::info!(report.removed, report.failed, "swept objects that no commit named"),
                Err(error) => tracing::warn!(%error, "the sweep is tried again later"),
            }
        }
    }
}
