//! What search reads: the text index and the vectors of the objects that can be found, which are those of the current
//! READY snapshots of active tables.

use domain::search::Term;
use domain::table::ObjectKind;
use domain::{DatasetId, ObjectId, TableId};

use crate::error::DbError;
use crate::page::Filter;
use crate::tx::Tx;

/// Narrows a search; `None` lets everything pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchFilter {
    /// Of this dataset.
    pub dataset: Option<DatasetId>,
    /// This table and its columns.
    pub table: Option<TableId>,
    /// Tables or columns.
    pub kind: Option<ObjectKind>,
}

/// The objects that hold one of the words, best first, at most `limit`. None without words.
pub async fn by_words(tx: &Tx, wanted: &SearchFilter, terms: &[Term], limit: usize) -> Result<Vec<ObjectId>, DbError> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let mut filter = found(tx, wanted)?;
    let query = filter.bind(tx.dialect().text_query(terms));
    let search = tx.dialect().text_search(&query);
    filter.and(&search.matches);
    let limit = filter.bind(limit);
    let sql = format!(
        "SELECT o.id AS id FROM {}{JOINS} WHERE {} ORDER BY {}, o.id LIMIT {limit}",
        search.from,
        filter.sql(),
        search.order
    );
    tx.rows(&sql, filter.into_params()).await?.iter().map(|row| row.get("id")).collect()
}

/// Whether any object holds the word.
pub async fn knows(tx: &Tx, term: &Term) -> Result<bool, DbError> {
    let mut filter = found(tx, &SearchFilter::default())?;
    let query = filter.bind(tx.dialect().text_query(std::slice::from_ref(term)));
    let search = tx.dialect().text_search(&query);
    filter.and(&search.matches);
    let sql = format!("SELECT 1 AS one FROM {}{JOINS} WHERE {} LIMIT 1", search.from, filter.sql());
    Ok(tx.row(&sql, filter.into_params()).await?.is_some())
}

/// Hands over the words of each object's names, separated by blanks.
pub async fn each_names(tx: &Tx, mut see: impl FnMut(&str) + Send) -> Result<(), DbError> {
    let mut filter = found(tx, &SearchFilter::default())?;
    filter.and("o.content_names IS NOT NULL");
    let sql = format!("SELECT o.content_names AS names FROM flyquery_schema_objects o{JOINS} WHERE {}", filter.sql());
    tx.each(&sql, filter.into_params(), |row| {
        see(&row.get::<String>("names")?);
        Ok(())
    })
    .await
}

/// Hands over the vectors of that model one by one, as they are stored: 32-bit floats, little endian.
pub async fn each_vector(
    tx: &Tx,
    wanted: &SearchFilter,
    model: &str,
    mut see: impl FnMut(ObjectId, &[u8]) + Send,
) -> Result<(), DbError> {
    let mut filter = found(tx, wanted)?;
    filter.eq("o.embedding_model", model);
    filter.and("o.embedding IS NOT NULL");
    let sql = format!(
        "SELECT o.id AS id, o.embedding AS embedding FROM flyquery_schema_objects o{JOINS} WHERE {}",
        filter.sql()
    );
    tx.each(&sql, filter.into_params(), |row| {
        see(row.get("id")?, &row.get::<Vec<u8>>("embedding")?);
        Ok(())
    })
    .await
}

const JOINS: &str = " JOIN flyquery_tables t ON t.id = o.table_id AND t.current_snapshot_id = o.snapshot_id \
    JOIN flyquery_schema_snapshots s ON s.id = o.snapshot_id JOIN flyquery_datasets d ON d.id = t.dataset_id";

/// The objects that can be found, in a statement with [`JOINS`].
fn found(tx: &Tx, wanted: &SearchFilter) -> Result<Filter, DbError> {
    let mut filter = Filter::scoped_as(tx, "o.")?;
    // said of the table as well, so that its index leads to the objects
    let scope = tx.scope()?;
    filter.eq("t.tenant_id", &scope.tenant);
    filter.eq("t.workspace_id", scope.workspace);
    filter.and("o.is_active AND t.is_active AND s.status = 'READY' AND d.status = 'ACTIVE'");
    filter.eq_if("t.dataset_id", wanted.dataset);
    filter.eq_if("o.table_id", wanted.table);
    filter.eq_if("o.kind", wanted.kind);
    Ok(filter)
}
