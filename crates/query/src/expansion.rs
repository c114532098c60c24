//! How many tables a statement reads once every common table expression is written out where it is used. The planner
//! copies them, so twenty that each use the one before twice would become a million.

use datafusion::sql::sqlparser::ast::{ObjectName, Query};

/// A query being walked.
#[derive(Debug)]
struct Frame {
    /// Names of its common table expressions, in their order.
    names: Vec<String>,
    /// Tables that those walked so far read.
    sizes: Vec<usize>,
    /// Tables that the query itself reads so far.
    tables: usize,
}

/// Counts along a walk that visits the queries of a WITH before the body they belong to.
#[derive(Debug, Default)]
pub(crate) struct Expansion(Vec<Frame>);

impl Expansion {
    /// A query begins.
    pub(crate) fn enter(&mut self, query: &Query) {
        let ctes = query.with.iter().flat_map(|with| &with.cte_tables);
        let names = ctes.map(|cte| cte.alias.name.value.clone()).collect();
        self.0.push(Frame { names, sizes: Vec::new(), tables: 0 });
    }

    /// A table or common table expression is read.
    pub(crate) fn read(&mut self, name: &ObjectName) {
        let tables = match name.0.as_slice() {
            [part] => part.as_ident().and_then(|ident| self.size_of(&ident.value)).unwrap_or(1),
            _ => 1,
        };
        if let Some(frame) = self.0.last_mut() {
            frame.tables = frame.tables.saturating_add(tables);
        }
    }

    /// A query ends; how many tables it reads.
    pub(crate) fn leave(&mut self) -> usize {
        let tables = self.0.pop().map_or(0, |frame| frame.tables);
        if let Some(outer) = self.0.last_mut() {
            if outer.sizes.len() < outer.names.len() {
                outer.sizes.push(tables);
            } else {
                outer.tables = outer.tables.saturating_add(tables);
            }
        }
        tables
    }

    /// The innermost expression of that name that has been walked; itself, where it is recursive, counts as a table.
    fn size_of(&self, name: &str) -> Option<usize> {
        self.0.iter().rev().find_map(|frame| {
            let place = frame.names.iter().position(|known| known == name)?;
            frame.sizes.get(place).copied()
        })
    }
}
