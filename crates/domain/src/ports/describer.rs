//! Describing columns: semantic type and a sentence. The offline describer lives in `annotate`.

use async_trait::async_trait;

use crate::schema::SqlType;
use crate::semantic::{DescriptionSource, SemanticType};

/// Stands between what a column is and what its values look like, in a description made by rules. What comes after it
/// may name ranges and choices, which are values: search does not read on.
pub const FACTS: &str = "; ";

/// What a describer may know of a column.
#[derive(Clone, Debug)]
pub struct ColumnBrief {
    /// Table name.
    pub table: String,
    /// Column name.
    pub column: String,
    /// Type.
    pub sql_type: SqlType,
    /// Sample values as text; none of a column that holds personal data.
    pub samples: Vec<String>,
    /// Profile (contract 2.7), when there is one.
    pub profile: Option<serde_json::Value>,
}

/// A describer's word on a column.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnDescription {
    /// Semantic type.
    pub semantic_type: SemanticType,
    /// One plain sentence.
    pub description: String,
    /// Who says so.
    pub source: DescriptionSource,
}

/// A describer could not answer; the stage fails as transient.
#[derive(Debug, thiserror::Error)]
#[error("describer: {0}")]
pub struct DescribeError(pub String);

/// Describes columns in batches.
#[async_trait]
pub trait Describer: Send + Sync + 'static {
    /// One answer per brief, in order, and what the call cost in cents.
    async fn describe(&self, batch: &[ColumnBrief]) -> Result<(Vec<ColumnDescription>, f64), DescribeError>;
}
