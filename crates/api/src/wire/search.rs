//! Answers of `:search`.

use serde::Serialize;
use utoipa::ToSchema;

use super::schema_object::SchemaObjectRead;

/// What was found, best first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchResults {
    /// The hits.
    pub items: Vec<SearchItem>,
}

/// A table or column that fits.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchItem {
    /// The object.
    pub object: SchemaObjectRead,
    /// How well it fits: above 0, at most 1. Comparable within one answer only.
    #[schema(minimum = 0, maximum = 1)]
    pub score: f64,
    /// What it was found by, for people: a piece of its description or its names.
    pub snippet: String,
}
