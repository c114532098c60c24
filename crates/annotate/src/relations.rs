//! Proposing relations between tables by rules: a column named after another table (`customer_id` → `customers.id`), of the same
//! kind of type, to a column whose values are distinct and among which its own are found.
//!
//! Tables and keys are looked up by name in an index and a column is compared with a bounded number of them, so the work
//! grows with the columns and not with the pairs of them.

mod evidence;
mod index;
mod need;

use std::collections::HashSet;

use async_trait::async_trait;
use domain::Column;
use domain::id::TableId;
use domain::ports::relation_proposer::{
    ProposeError, RelationColumn, RelationProposal, RelationProposer, RelationTable,
};
use domain::semantic::RelationKind;

use self::evidence::weigh;
use self::index::{Index, Link, Reference};
use crate::profile::ColumnProfile;

/// What a heuristic is at most sure of: that a person agrees is another matter.
const MOST_SURE: f64 = 0.95;

/// Proposes relations from names, types and profiles.
#[derive(Debug, Default, Clone, Copy)]
pub struct HeuristicProposer;

impl HeuristicProposer {
    /// The proposer.
    pub fn new() -> Self {
        Self
    }
}

#[async_trait]
impl RelationProposer for HeuristicProposer {
    fn needs(&self, tables: &[RelationTable], fresh: &[TableId]) -> Vec<Vec<usize>> {
        let fresh: HashSet<TableId> = fresh.iter().copied().collect();
        let fresh: HashSet<usize> = (0..tables.len()).filter(|at| fresh.contains(&tables[*at].id)).collect();
        need::columns(tables, &fresh)
    }

    async fn propose(
        &self,
        tables: &[RelationTable],
        fresh: &[TableId],
    ) -> Result<Vec<RelationProposal>, ProposeError> {
        let fresh: HashSet<TableId> = fresh.iter().copied().collect();
        let index = Index::new(tables);
        let mut proposals = Vec::new();
        for (at, table) in tables.iter().enumerate() {
            for column in &table.columns {
                if let Some(proposal) = best(tables, &index, at, column)
                    && (fresh.contains(&table.id) || fresh.contains(&proposal.to_table))
                {
                    proposals.push(proposal);
                }
            }
        }
        Ok(proposals)
    }
}

/// The likeliest target of one column. A column refers to one table; the first by name wins among equals.
fn best(tables: &[RelationTable], index: &Index, at: usize, column: &RelationColumn) -> Option<RelationProposal> {
    let reference = Reference::read(&column.name)?;
    let mut found: Option<RelationProposal> = None;
    for link in index.targets(at, &reference) {
        let target = &tables[link.table];
        let key = &target.columns[link.column];
        let Some(weight) = weigh(column, key, link.how) else { continue };
        let confidence = weight.confidence.clamp(0.0, MOST_SURE);
        let better = found.as_ref().is_none_or(|best| confidence > best.confidence + 1e-9);
        if better {
            found = Some(RelationProposal {
                from_table: tables[at].id,
                from_column: column.name.clone(),
                to_table: target.id,
                to_column: key.name.clone(),
                confidence: (confidence * 100.0).round() / 100.0,
                reason: reason(&tables[at], column, target, key, link.how, &weight.facts),
                kind: RelationKind::Heuristic,
            });
        }
    }
    found
}

/// Why, by names and facts; never by a cell's text.
fn reason(
    from: &RelationTable,
    column: &RelationColumn,
    target: &RelationTable,
    key: &RelationColumn,
    how: Link,
    facts: &[&str],
) -> String {
    let (source, goal) = (format!("{}.{}", from.name, column.name), format!("{}.{}", target.name, key.name));
    let named = match how {
        Link::NamesTable => format!("{source} is named after the table {} and its column {}", target.name, key.name),
        Link::EndsWithTable => {
            format!("the name of {source} ends with that of the table {} and its column {}", target.name, key.name)
        }
        Link::SameName => format!("{source} has the same name as {goal}"),
        Link::Itself => format!("{source} is named like a reference to another row of its own table"),
    };
    let facts: Vec<String> = facts.iter().map(|fact| fact.replace("{key}", &goal)).collect();
    std::iter::once(named).chain(facts).collect::<Vec<_>>().join("; ")
}

/// What the proposer may know of a column, from its profile.
pub fn relation_column(column: &Column, profile: Option<&ColumnProfile>) -> RelationColumn {
    RelationColumn {
        name: column.name.clone(),
        sql_type: column.sql_type.clone(),
        non_null: profile.map(ColumnProfile::non_null),
        distinct: profile.map(|p| p.distinct_estimate),
        min: profile.and_then(|p| p.min.clone()),
        max: profile.and_then(|p| p.max.clone()),
        lowest_hashes: profile.map(|p| p.lowest_hashes.clone()).unwrap_or_default(),
    }
}
