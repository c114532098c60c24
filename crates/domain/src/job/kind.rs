//! The five kinds of job.

use crate::closed::closed_list;
use crate::stage::Stage;

closed_list! {
    /// What a job does; decides which stages run.
    pub enum JobKind {
        /// All ten stages on a newly uploaded file.
        ParseAndIngest = "PARSE_AND_INGEST",
        /// All ten stages on the stored blob of an earlier upload; no new file row, no new blob.
        Reparse = "REPARSE",
        /// Stage 4 alone, on a table's current snapshot.
        SampleRefresh = "SAMPLE_REFRESH",
        /// Stage 7 alone, on every column of a dataset that has no description yet.
        DescribePass = "DESCRIBE_PASS",
        /// Stage 6 alone, over all tables of a dataset.
        RelationPass = "RELATION_PASS",
    }
}

impl JobKind {
    /// The stages a job of this kind runs, in order.
    pub const fn stages(self) -> &'static [Stage] {
        match self {
            Self::ParseAndIngest | Self::Reparse => Stage::ALL,
            Self::SampleRefresh => &[Stage::Sample],
            Self::DescribePass => &[Stage::Describe],
            Self::RelationPass => &[Stage::Relate],
        }
    }
}
