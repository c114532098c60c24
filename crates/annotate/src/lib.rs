//! What can be said about a table without asking anyone: profiles, samples, semantic types, personal data, relations,
//! descriptions and embeddings. Pure functions over arrow arrays and names: no network, no files, no clock, no chance.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod describe;
pub mod embed;
mod hash;
pub mod pii;
pub mod profile;
pub mod relations;
pub mod sample;
pub mod semantic_type;
pub mod synonyms;
pub mod text;
mod words;

pub use describe::OfflineDescriber;
pub use embed::OfflineEmbedder;
pub use pii::{CustomPatterns, PatternError, RegexScanner};
pub use profile::{ColumnProfile, ColumnProfiler};
pub use relations::HeuristicProposer;
pub use sample::Sampler;
pub use synonyms::synonyms;
pub use text::cell_text;
