//! Where a name may point to: tables by what their rows are, keys by their names.

use std::collections::{HashMap, HashSet};

use domain::ports::relation_proposer::RelationTable;

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
}

/// A possible target.
pub(super) struct Target {
    pub(super) table: usize,
    pub(super) column: usize,
    pub(super) how: Link,
}

/// Tables and keys by name.
pub(super) struct Index {
    /// What the rows of a table are → tables, the whole name and each end of it.
    entities: HashMap<String, Vec<usize>>,
    /// The whole names of key columns → (table, column).
    keys: HashMap<String, Vec<(usize, usize)>>,
    /// Normalised names of the columns of each table → column.
    columns: Vec<HashMap<String, usize>>,
}

impl Index {
    pub(super) fn new(tables: &[RelationTable]) -> Self {
        let mut index =
            Self { entities: HashMap::new(), keys: HashMap::new(), columns: Vec::with_capacity(tables.len()) };
        for (at, table) in tables.iter().enumerate() {
            let entity = entity(&table.name);
            for start in 0..entity.len() {
                index.entities.entry(entity[start..].join("_")).or_default().push(at);
            }
            let mut columns = HashMap::new();
            for (column, field) in table.columns.iter().enumerate() {
                let Some(reference) = Reference::read(&field.name) else { continue };
                let matchable = !reference.key.is_empty()
                    && (!reference.stem.is_empty() || TELLING.contains(&reference.key.as_str()));
                if matchable {
                    index.keys.entry(reference.whole.clone()).or_default().push((at, column));
                }
                columns.entry(reference.whole).or_insert(column);
            }
            index.columns.push(columns);
        }
        index
    }

    /// Where a column of table `from` may point to, the likeliest kind first, no column twice.
    pub(super) fn targets(&self, tables: &[RelationTable], from: usize, reference: &Reference) -> Vec<Target> {
        let mut all = Vec::new();
        let own = entity(&tables[from].name);
        if reference.stem.len() == 1 && ITSELF.contains(&reference.stem[0].as_str()) {
            all.extend(self.key_of(from, &own.join("_"), reference).map(|column| Target {
                table: from,
                column,
                how: Link::Itself,
            }));
        }
        for start in 0..reference.stem.len() {
            let thing = reference.stem[start..].join("_");
            let how = if start == 0 { Link::NamesTable } else { Link::EndsWithTable };
            for &table in self.entities.get(&thing).into_iter().flatten() {
                let exact = how == Link::NamesTable && entity(&tables[table].name).join("_") == thing;
                let how = if exact { Link::NamesTable } else { Link::EndsWithTable };
                // A table's own key names its own table; only `parent_category_id` of categories points back.
                if table == from && start == 0 {
                    continue;
                }
                let how = if table == from { Link::Itself } else { how };
                all.extend(self.key_of(table, &thing, reference).map(|column| Target { table, column, how }));
            }
        }
        // A column that names its own table is that table's key, wherever else the name occurs.
        if !own.is_empty() && own == reference.stem {
            return Vec::new();
        }
        let namesakes = self.keys.get(&reference.whole).into_iter().flatten().filter(|(table, _)| *table != from);
        all.extend(namesakes.map(|&(table, column)| Target { table, column, how: Link::SameName }));
        let mut seen = HashSet::new();
        all.retain(|target| seen.insert((target.table, target.column)));
        all
    }

    /// The column of a table that a reference to `thing` would mean.
    fn key_of(&self, table: usize, thing: &str, reference: &Reference) -> Option<usize> {
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
