//! Proposing relations between tables. The heuristic proposer lives in `annotate`.

use async_trait::async_trait;

use crate::id::TableId;
use crate::schema::SqlType;
use crate::semantic::RelationKind;

/// What a proposer may know of a column.
#[derive(Clone, Debug)]
pub struct RelationColumn {
    /// Name.
    pub name: String,
    /// Type.
    pub sql_type: SqlType,
    /// Rows with a value, when profiled.
    pub non_null: Option<u64>,
    /// Distinct values, when profiled (an estimate).
    pub distinct: Option<u64>,
    /// Smallest value as text, when profiled.
    pub min: Option<String>,
    /// Largest value as text, when profiled.
    pub max: Option<String>,
    /// The smallest hashes of its distinct values, ascending, when profiled: a sketch by which columns are compared.
    pub lowest_hashes: Vec<u32>,
}

/// A table with its columns.
#[derive(Clone, Debug)]
pub struct RelationTable {
    /// The table.
    pub id: TableId,
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<RelationColumn>,
}

/// A proposed link: `from` holds the reference, `to` the key.
#[derive(Clone, PartialEq, Debug)]
pub struct RelationProposal {
    /// Referring table.
    pub from_table: TableId,
    /// Referring column.
    pub from_column: String,
    /// Referred table.
    pub to_table: TableId,
    /// Referred column.
    pub to_column: String,
    /// 0.0 to 1.0.
    pub confidence: f64,
    /// Why.
    pub reason: String,
    /// Who says so.
    pub kind: RelationKind,
}

/// A proposer could not answer; the stage fails as transient.
#[derive(Debug, thiserror::Error)]
#[error("relation proposer: {0}")]
pub struct ProposeError(pub String);

/// Proposes relations.
#[async_trait]
pub trait RelationProposer: Send + Sync + 'static {
    /// For each table, the columns whose profiles it wants to know to propose links of `fresh` tables. The tables come
    /// with names and types alone.
    fn needs(&self, tables: &[RelationTable], fresh: &[TableId]) -> Vec<Vec<usize>>;

    /// Links in which at least one side is one of the `fresh` tables.
    async fn propose(&self, tables: &[RelationTable], fresh: &[TableId])
    -> Result<Vec<RelationProposal>, ProposeError>;
}
