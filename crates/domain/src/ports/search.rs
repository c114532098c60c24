//! Search over tables and columns. Implemented by `pipeline`, whose stage 9 leaves what it reads; used by `api`.

use async_trait::async_trait;

use crate::id::{DatasetId, ObjectId, TableId};
use crate::scope::Scope;
use crate::table::ObjectKind;

/// What somebody looks for. Only objects of the current snapshots of active tables are found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchRequest {
    /// Whose objects.
    pub scope: Scope,
    /// Words, in any form; no syntax.
    pub q: String,
    /// Only this dataset.
    pub dataset: Option<DatasetId>,
    /// Only this table and its columns.
    pub table: Option<TableId>,
    /// Only tables, or only columns.
    pub kind: Option<ObjectKind>,
    /// Hits wanted.
    pub top_k: usize,
}

/// A table or column that fits.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchHit {
    /// The object.
    pub object: ObjectId,
    /// How well it fits: above 0, at most 1. Comparable within one answer only.
    pub score: f64,
    /// What it is found by, for people: a piece of its description or its names.
    pub snippet: String,
}

/// Why a search did not answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SearchError {
    /// Too many searches at once, or something it needs is away: worth another try.
    #[error("search is not available: {0}")]
    Unavailable(String),
    /// A defect.
    #[error("{0}")]
    Internal(String),
}

/// Finds tables and columns by words.
#[async_trait]
pub trait Search: Send + Sync + 'static {
    /// The best hits, best first.
    async fn search(&self, request: SearchRequest) -> Result<Vec<SearchHit>, SearchError>;
    /// Makes the vectors of objects anew whose words were changed. Words count from the change's own commit on; this
    /// lets misspelt ones count too. A failure is logged: the old vectors stay.
    async fn refresh(&self, scope: &Scope, objects: &[ObjectId]);
}
