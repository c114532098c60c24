//! The ten stages of an ingest, in their order, with what each may do.

use crate::closed::closed_list;

closed_list! {
    /// One of the ten stages. The word is the one used in `ingest_policy_json.skip_stages`, in checkpoints and metrics.
    pub enum Stage {
        /// 1: stream, hash, detect, store the original.
        Receive = "receive",
        /// 2: read the file, type it, write Parquet.
        Parse = "parse",
        /// 3: match sections to tables, write PARTIAL snapshots and the schema diff.
        Reconcile = "reconcile",
        /// 4: sample values per column.
        Sample = "sample",
        /// 5: profile columns.
        Profile = "profile",
        /// 6: propose relations between tables.
        Relate = "relate",
        /// 7: semantic types and descriptions.
        Describe = "describe",
        /// 8: tag personal data.
        TagPii = "tag_pii",
        /// 9: embeddings and the text index.
        Embed = "embed",
        /// 10: make the snapshots READY and current, in the transaction that ends the job.
        Publish = "publish",
    }
}

impl Stage {
    /// The stage's number, 1 to 10.
    pub fn number(self) -> u8 {
        1 + Self::ALL.iter().position(|s| *s == self).map_or(0, |p| p as u8)
    }

    /// The stage after this one; `None` after publish.
    pub fn next(self) -> Option<Self> {
        Self::ALL.get(usize::from(self.number())).copied()
    }

    /// Whether `ingest_policy_json` may skip it (stages 4 to 8).
    pub const fn can_skip(self) -> bool {
        match self {
            Self::Sample | Self::Profile | Self::Relate | Self::Describe | Self::TagPii => true,
            Self::Receive | Self::Parse | Self::Reconcile | Self::Embed | Self::Publish => false,
        }
    }

    /// Whether a cancel request is honoured before the stage starts (all but publish).
    pub const fn can_cancel(self) -> bool {
        !matches!(self, Self::Publish)
    }

    /// The name of the ledger event that the stage leaves.
    pub const fn event(self) -> &'static str {
        match self {
            Self::Receive => "received",
            Self::Parse => "parsed",
            Self::Reconcile => "reconciled",
            Self::Sample => "sampled",
            Self::Profile => "profiled",
            Self::Relate => "relations_proposed",
            Self::Describe => "described",
            Self::TagPii => "pii_tagged",
            Self::Embed => "embedded",
            Self::Publish => "published",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_stages_in_order() {
        assert_eq!(Stage::ALL.len(), 10);
        let numbers: Vec<u8> = Stage::ALL.iter().map(|s| s.number()).collect();
        assert_eq!(numbers, (1..=10).collect::<Vec<u8>>());
        assert_eq!(Stage::Receive.next(), Some(Stage::Parse));
        assert_eq!(Stage::Publish.next(), None);
        let skippable: Vec<u8> = Stage::ALL.iter().filter(|s| s.can_skip()).map(|s| s.number()).collect();
        assert_eq!(skippable, [4, 5, 6, 7, 8]);
    }
}
