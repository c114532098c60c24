//! Settings of uploads and of the jobs that turn files into tables.

use domain::Locale;

use super::declare::section;
use super::value::Seconds;

section! {
    /// Ingest
    pub struct Ingest {
        /// Largest upload, in MiB; fractions allowed.
        max_file_mb: f64 = 2048.0, "MAX_FILE_MB", in 0.001..=1_048_576.0;
        /// What one workspace may hold, originals and current tables together, in GiB; fractions allowed.
        max_workspace_gb: f64 = 200.0, "MAX_WORKSPACE_GB", in 0.0..=1_048_576.0;
        /// Jobs a process runs at once.
        concurrency: usize = 4, "INGEST_WORKER_CONCURRENCY", in 1..=256;
        /// How long one attempt of a job may take.
        handler_timeout: Seconds = Seconds(600.0), "INGEST_HANDLER_TIMEOUT_S", in Seconds(0.1)..=Seconds(604_800.0);
        /// How long running jobs may go on after the process was asked to stop; what is left then goes back to the queue
        /// uncharged.
        shutdown_grace: Seconds = Seconds(30.0), "INGEST_SHUTDOWN_GRACE_S", in Seconds(0.0)..=Seconds(86_400.0);
        /// Time between two heartbeats of a process; a job whose process missed three is taken over. A process with
        /// running jobs beats at least every 2 s.
        heartbeat: Seconds = Seconds(30.0), "INGEST_HEARTBEAT_S", in Seconds(0.05)..=Seconds(3_600.0);
        /// Attempts a job has before it is given up.
        max_attempts: u32 = 3, "INGEST_MAX_ATTEMPTS", in 1..=100;
        /// Outer bound of one attempt, counted from its start, whatever its heartbeats say. Must exceed
        /// `FLYQUERY_INGEST_HANDLER_TIMEOUT_S` plus `FLYQUERY_INGEST_SHUTDOWN_GRACE_S`.
        processing_lease: Seconds = Seconds(1800.0), "PROCESSING_LEASE_S", in Seconds(0.1)..=Seconds(1_209_600.0);
        /// Title rows that may stand above a table's header.
        max_title_rows: u32 = 3, "MAX_TITLE_ROWS", in 0..=1000;
        /// Rows from which a column's type is proposed; the whole file decides.
        type_infer_sample_rows: usize = 8192, "TYPE_INFER_SAMPLE_ROWS", in 1..=1_000_000;
        /// Locale in which dates and numbers are read when neither dataset nor workspace names one.
        default_locale: Locale = Locale::default(), "DEFAULT_LOCALE";
    }
}
