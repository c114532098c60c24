//! Settings of the sweep that clears up behind jobs.

use super::declare::section;
use super::value::Seconds;

section! {
    /// Sweep
    pub struct Retention {
        /// Time between two sweeps; less than 60 is taken as 60.
        scan_interval: Seconds = Seconds(300.0), "RETENTION_SCAN_INTERVAL_S", in Seconds(0.0)..=Seconds(86_400.0);
        /// Age at which a job that nobody claimed is announced again.
        orphan_queued_grace: Seconds = Seconds(600.0), "ORPHAN_QUEUED_GRACE_S", in Seconds(1.0)..=Seconds(604_800.0);
    }
}
