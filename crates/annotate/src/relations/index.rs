//! Where a name may point to: tables by what their rows are, keys by their names.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use domain::ports::relation_proposer::RelationTable;

use super::evidence::is_unique;
use crate::words::{singular, words};

/// Words that end the name of a key or of a reference to one.
const KEY_WORDS: &[&str] = &[
    "id", "key", "code", "uuid", "guid", "no", "nr", "number", "ref", "sku", "isbn", "ean", "upc", "gtin", "iata",
    "icao",
];
/// Key words that say enough to be matched by themselves across tables.
const TELLING: &[&str] = &["sku", "isbn", "ean", "upc", "gtin", "iata", "icao"];
/// Key words that mean the one key of a table, whichever of them it is called by.
const SURROGATES: &[&str] = &["id", "key", "uuid", "guid"];
/// Words in names of tables that say how the table was made, not what its rows are.
const AFFIXES: &[&str] = &["dim", "fact", "fct", "tbl", "stg", "raw", "table", "data", "export", "list", "master"];
/// References to another row of the same table.
const ITSELF: &[&str] = &["parent", "manager", "supervisor", "predecessor"];

/// How a column points to a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Link {
    /// `customer_id` → `customers.id`.
    NamesTable,
    /// `billing_customer_id` → `customers.id`.
    EndsWithTable,
    /// `batch_code` → `lots.batch_code`.
    SameName,
    /// `parent_id` → `id` of the same table.
    Itself,
}

/// Possible targets that are weighed for one column. Where more tables than that have names that fit, no name tells which
/// of them is meant.
const TARGETS: usize = 64;

/// A column that may hold references, taken apart.
pub(super) struct Reference {
    /// All words, in the singular, joined by `_`.
    whole: String,
    /// The words before the key word, in the singular: what is referred to.
    stem: Vec<String>,
    /// The key word; empty when the column is named after a thing alone.
    key: String,
}

impl Reference {
    /// Takes a name apart; `None` when it has no words.
    pub(super) fn read(name: &str) -> Option<Self> {
        let mut stem: Vec<String> = words(name).iter().map(|word| singular(word)).collect();
        if stem.len() > 1 && stem[0] == "fk" {
            stem.remove(0);
        }
        if stem.len() > 1 && stem.last().is_some_and(|word| word == "fk") {
            stem.pop();
        }
        let whole = stem.join("_");
        let last = stem.last()?;
        let key = if KEY_WORDS.contains(&last.as_str()) { stem.pop()? } else { String::new() };
        Some(Self { whole, stem, key })
    }

    /// All of the name.
    pub(super) fn whole(&self) -> &str {
        &self.whole
    }

    /// The word that says that it is a key.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// What it may refer to: all words before the key word, then each end of them.
    pub(super) fn things(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.stem.len()).map(|start| self.stem[start..].join("_"))
    }

    /// Whether it is named like a reference to another row of its own table.
    pub(super) fn is_to_itself(&self) -> bool {
        self.stem.len() == 1 && ITSELF.contains(&self.stem[0].as_str())
    }

    /// Whether tables may share the name without one being named after the other.
    fn is_matchable(&self) -> bool {
        !self.key.is_empty() && (!self.stem.is_empty() || TELLING.contains(&self.key.as_str()))
    }
}

/// A possible target.
pub(super) struct Target {
    pub(super) table: usize,
    pub(super) column: usize,
    pub(super) how: Link,
}

/// Tables by the name of what their rows are.
#[derive(Default)]
struct Named {
    /// Tables whose whole name it is.
    exactly: Vec<usize>,
    /// Tables whose name ends with it.
    at_the_end: Vec<usize>,
}

/// Tables and keys by name.
pub(super) struct Index {
    /// What the rows of each table are.
    entities: Vec<String>,
    /// What the rows of a table are → tables.
    tables: HashMap<String, Named>,
    /// The whole names of columns that may be keys → (table, column), the ones with most values first.
    keys: HashMap<String, Vec<(usize, usize)>>,
    /// Normalised names of the columns of each table → column.
    columns: Vec<HashMap<String, usize>>,
}

impl Index {
    pub(super) fn new(tables: &[RelationTable]) -> Self {
        let mut index = Self {
            entities: Vec::with_capacity(tables.len()),
            tables: HashMap::new(),
            keys: HashMap::new(),
            columns: Vec::with_capacity(tables.len()),
        };
        for (at, table) in tables.iter().enumerate() {
            let entity = entity(&table.name);
            for start in 0..entity.len() {
                let named = index.tables.entry(entity[start..].join("_")).or_default();
                if start == 0 { named.exactly.push(at) } else { named.at_the_end.push(at) }
            }
            let mut columns = HashMap::new();
            for (column, field) in table.columns.iter().enumerate() {
                let Some(reference) = Reference::read(&field.name) else { continue };
                if reference.is_matchable() && is_unique(field) != Some(false) {
                    index.keys.entry(reference.whole.clone()).or_default().push((at, column));
                }
                columns.entry(reference.whole).or_insert(column);
            }
            index.entities.push(entity.join("_"));
            index.columns.push(columns);
        }
        let size = |&(table, column): &(usize, usize)| Reverse(tables[table].columns[column].distinct);
        index.keys.values_mut().for_each(|keys| keys.sort_by_key(size));
        index
    }

    /// Where a column of table `from` may point to, the likeliest kind first, no column twice.
    pub(super) fn targets(&self, from: usize, reference: &Reference) -> Vec<Target> {
        let mut all = Vec::new();
        let own = &self.entities[from];
        if reference.is_to_itself() {
            all.extend(self.key_of(from, own, reference).map(|column| Target {
                table: from,
                column,
                how: Link::Itself,
            }));
        }
        for (nth, thing) in reference.things().enumerate() {
            let exact = if nth == 0 { Link::NamesTable } else { Link::EndsWithTable };
            for (table, how) in
                self.named(&thing).map(|(table, exactly)| (table, if exactly { exact } else { Link::EndsWithTable }))
            {
                // A table's own key names its own table; only `parent_category_id` of categories points back.
                if table == from && nth == 0 {
                    continue;
                }
                let how = if table == from { Link::Itself } else { how };
                all.extend(self.key_of(table, &thing, reference).map(|column| Target { table, column, how }));
                if all.len() >= TARGETS {
                    break;
                }
            }
        }
        // A column that names its own table is that table's key, wherever else the name occurs.
        if !own.is_empty() && reference.things().next().as_ref() == Some(own) {
            return Vec::new();
        }
        let namesakes = self.namesakes(reference).iter().filter(|(table, _)| *table != from).take(TARGETS);
        all.extend(namesakes.map(|&(table, column)| Target { table, column, how: Link::SameName }));
        let mut seen = HashSet::new();
        all.retain(|target| seen.insert((target.table, target.column)));
        all
    }

    /// The tables whose rows are such things, each with whether that is its whole name; those first.
    pub(super) fn named(&self, thing: &str) -> impl Iterator<Item = (usize, bool)> + '_ {
        let named = self.tables.get(thing);
        let exactly = named.into_iter().flat_map(|named| named.exactly.iter().map(|table| (*table, true)));
        exactly.chain(named.into_iter().flat_map(|named| named.at_the_end.iter().map(|table| (*table, false))))
    }

    /// What the rows of a table are.
    pub(super) fn entity(&self, table: usize) -> &str {
        &self.entities[table]
    }

    /// Columns of that name that may be keys.
    pub(super) fn namesakes(&self, reference: &Reference) -> &[(usize, usize)] {
        if reference.is_matchable() { self.keys.get(&reference.whole).map_or(&[], Vec::as_slice) } else { &[] }
    }

    /// The column of a table that a reference to `thing` would mean.
    pub(super) fn key_of(&self, table: usize, thing: &str, reference: &Reference) -> Option<usize> {
        let columns = &self.columns[table];
        let find = |name: &str| columns.get(name).copied();
        if reference.key.is_empty() {
            return find("id").or_else(|| find(&format!("{thing}_id")));
        }
        let key = &reference.key;
        let named = find(key).or_else(|| find(&format!("{thing}_{key}"))).or_else(|| find(&reference.whole));
        if named.is_some() || !SURROGATES.contains(&key.as_str()) {
            return named;
        }
        SURROGATES.iter().find_map(|other| find(other).or_else(|| find(&format!("{thing}_{other}"))))
    }
}

/// What the rows of a table are, as words in the singular: `dim_customers` → `customer`.
fn entity(table: &str) -> Vec<String> {
    let all: Vec<String> = words(table).iter().map(|word| singular(word)).collect();
    let telling: Vec<String> =
        all.iter().filter(|w| !AFFIXES.contains(&w.as_str()) && w.parse::<u64>().is_err()).cloned().collect();
    if telling.is_empty() { all } else { telling }
}
