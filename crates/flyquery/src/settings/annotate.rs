//! Settings of what flyquery learns about columns: samples, profiles, relations, descriptions, personal data.

use std::path::PathBuf;

use domain::PiiPolicy;
use domain::policy::PiiScannerKind;

use super::declare::section;

section! {
    /// Annotation
    pub struct Annotate {
        /// Sample values kept per column.
        sample_n: usize = 8, "SAMPLE_N", in 0..=1000;
        /// Tables with more rows are not profiled.
        profile_row_threshold: u64 = 10_000_000, "PROFILE_ROW_THRESHOLD";
        /// What describing one file's columns may cost, in cents; the offline describer costs nothing.
        describe_budget_cents: u64 = 200, "DESCRIBE_BUDGET_CENTS_PER_RUN";
        /// Columns described at once.
        describe_batch: u32 = 20, "DESCRIBE_BATCH", in 1..=1000;
        /// Least confidence at which a relation found by rules is proposed.
        relation_min_confidence: f64 = 0.5, "RELATION_HEURISTIC_MIN_CONFIDENCE", in 0.0..=1.0;
        /// Which recogniser looks for personal data.
        pii_scanner: PiiScannerKind = PiiScannerKind::Regex, "PII_SCANNER";
        /// TOML file with patterns of your own for personal data, each a line `name = 'regular expression'`; a column or
        /// value that one matches is tagged CUSTOM:name.
        pii_patterns: Option<PathBuf> = None, "PII_REGEX_PATTERNS_PATH", by default "none";
        /// What happens to samples of columns that hold personal data.
        pii_policy_samples: PiiPolicy = PiiPolicy::Redact, "PII_POLICY_SAMPLES";
    }
}
