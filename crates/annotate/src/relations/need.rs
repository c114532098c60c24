//! Which columns a proposer must know more of than their names: those whose names can be part of a relation at all. In a
//! dataset of thousands of tables they are few, and only their profiles are read.

use std::collections::{BTreeSet, HashSet};

use domain::ports::relation_proposer::RelationTable;

use super::index::{Index, Reference};

/// For each table, the columns that may refer to a key or be one, in a relation with one of the fresh tables.
pub(super) fn columns(tables: &[RelationTable], fresh: &HashSet<usize>) -> Vec<Vec<usize>> {
    let index = Index::new(tables);
    let mut need = Need::new(tables, fresh, &index);
    for (at, table) in tables.iter().enumerate() {
        for (column, field) in table.columns.iter().enumerate() {
            if let Some(reference) = Reference::read(&field.name) {
                need.by_entity(at, column, &reference);
                need.by_name(at, column, &reference);
            }
        }
    }
    need.columns.into_iter().map(|columns| columns.into_iter().collect()).collect()
}

struct Need<'a> {
    fresh: &'a HashSet<usize>,
    index: &'a Index,
    columns: Vec<BTreeSet<usize>>,
    /// What fresh tables may be called.
    fresh_things: HashSet<String>,
    /// Names of columns of fresh tables.
    fresh_names: HashSet<String>,
    /// What was answered already, so that many columns of one name take the time of one.
    answered: HashSet<(String, String, bool)>,
}

impl<'a> Need<'a> {
    fn new(tables: &[RelationTable], fresh: &'a HashSet<usize>, index: &'a Index) -> Self {
        let (mut fresh_things, mut fresh_names) = (HashSet::new(), HashSet::new());
        for &at in fresh {
            let mut entity = index.entity(at);
            fresh_things.insert(entity.to_owned());
            while let Some((_, end)) = entity.split_once('_') {
                fresh_things.insert(end.to_owned());
                entity = end;
            }
            let references = tables[at].columns.iter().filter_map(|column| Reference::read(&column.name));
            fresh_names.extend(references.map(|reference| reference.whole().to_owned()));
        }
        let columns = vec![BTreeSet::new(); tables.len()];
        Self { fresh, index, columns, fresh_things, fresh_names, answered: HashSet::new() }
    }

    /// A column named after a table, and the keys of the tables so named.
    fn by_entity(&mut self, at: usize, column: usize, reference: &Reference) {
        let is_fresh = self.fresh.contains(&at);
        if is_fresh && reference.is_to_itself() {
            self.columns[at].insert(column);
            self.columns[at].extend(self.index.key_of(at, self.index.entity(at), reference));
        }
        for thing in reference.things() {
            let relevant =
                if is_fresh { self.index.named(&thing).next().is_some() } else { self.fresh_things.contains(&thing) };
            if !relevant {
                continue;
            }
            self.columns[at].insert(column);
            if !self.answered.insert((thing.clone(), reference.key().to_owned(), is_fresh)) {
                continue;
            }
            for (table, _) in self.index.named(&thing).filter(|(table, _)| is_fresh || self.fresh.contains(table)) {
                self.columns[table].extend(self.index.key_of(table, &thing, reference));
            }
        }
    }

    /// A column that shares its name with what may be a key elsewhere.
    fn by_name(&mut self, at: usize, column: usize, reference: &Reference) {
        let is_fresh = self.fresh.contains(&at);
        let namesakes = self.index.namesakes(reference);
        if namesakes.len() < 2 || !(is_fresh || self.fresh_names.contains(reference.whole())) {
            return;
        }
        self.columns[at].insert(column);
        if is_fresh && self.answered.insert((String::new(), reference.whole().to_owned(), true)) {
            for &(table, column) in namesakes {
                self.columns[table].insert(column);
            }
        }
    }
}
