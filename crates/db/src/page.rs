//! Pages of lists, and the WHERE clauses that filters become.

use sea_orm::Value;

use crate::dialect::Dialect;
use crate::error::DbError;
use crate::params::Bind;
use crate::row::Row;
use crate::tx::Tx;

/// Which part of a list. The caller bounds `limit`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// Items at most.
    pub limit: u64,
    /// Items passed over.
    pub offset: u64,
}

/// A part of a list.
#[derive(Clone, PartialEq, Debug)]
pub struct Paged<T> {
    /// The items of the page.
    pub items: Vec<T>,
    /// Items of the whole list.
    pub total: u64,
}

/// Conditions joined by AND, with their parameters in order.
pub(crate) struct Filter {
    sql: String,
    params: Vec<Value>,
    dialect: Dialect,
}

impl Filter {
    /// Tenant and workspace of the transaction.
    pub(crate) fn scoped(tx: &Tx) -> Result<Self, DbError> {
        Self::scoped_as(tx, "")
    }

    /// Tenant and workspace of the transaction, as columns of the table with that prefix (`"t."`).
    pub(crate) fn scoped_as(tx: &Tx, prefix: &str) -> Result<Self, DbError> {
        let scope = tx.scope()?;
        let mut filter = Self::fleet(tx);
        filter.eq(&format!("{prefix}tenant_id"), &scope.tenant);
        filter.eq(&format!("{prefix}workspace_id"), scope.workspace);
        Ok(filter)
    }

    /// The tenant of the transaction.
    pub(crate) fn tenant(tx: &Tx) -> Result<Self, DbError> {
        let mut filter = Self::fleet(tx);
        filter.eq("tenant_id", tx.tenant()?);
        Ok(filter)
    }

    /// No condition yet: for transactions of the fleet.
    pub(crate) fn fleet(tx: &Tx) -> Self {
        Self { sql: String::new(), params: Vec::new(), dialect: tx.dialect() }
    }

    /// Tenant and workspace when the transaction is bound to one, nothing in a fleet transaction.
    pub(crate) fn bound(tx: &Tx) -> Result<Self, DbError> {
        if tx.is_fleet() { Ok(Self::fleet(tx)) } else { Self::scoped(tx) }
    }

    /// Adds a condition without parameter.
    pub(crate) fn and(&mut self, condition: &str) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(condition);
    }

    /// `column = value`.
    pub(crate) fn eq(&mut self, column: &str, value: impl Bind) {
        self.compare(column, "=", value);
    }

    /// `column operator value`.
    pub(crate) fn compare(&mut self, column: &str, operator: &str, value: impl Bind) {
        let placeholder = self.bind(value);
        self.and(&format!("{column} {operator} {placeholder}"));
    }

    /// `column = value` when there is a value.
    pub(crate) fn eq_if(&mut self, column: &str, value: Option<impl Bind>) {
        if let Some(value) = value {
            self.eq(column, value);
        }
    }

    /// `from <= column < to`, as far as given.
    pub(crate) fn between(&mut self, column: &str, from: Option<impl Bind>, to: Option<impl Bind>) {
        if let Some(from) = from {
            self.compare(column, ">=", from);
        }
        if let Some(to) = to {
            self.compare(column, "<", to);
        }
    }

    /// `column` is one of the values; nothing when there are none.
    pub(crate) fn one_of<T: Bind>(&mut self, column: &str, values: impl IntoIterator<Item = T>) {
        let placeholders: Vec<String> = values.into_iter().map(|value| self.bind(value)).collect();
        if placeholders.is_empty() {
            self.and("1 = 0");
        } else {
            self.and(&format!("{column} IN ({})", placeholders.join(", ")));
        }
    }

    /// One of the columns contains the text, in any case, when there is a text.
    pub(crate) fn contains_if(&mut self, columns: &[&str], text: Option<&str>) {
        if let Some(text) = text {
            let placeholder = self.bind(Dialect::like_pattern(text));
            let any: Vec<String> = columns.iter().map(|column| self.dialect.contains(column, &placeholder)).collect();
            self.and(&format!("({})", any.join(" OR ")));
        }
    }

    /// Adds a parameter; its placeholder.
    pub(crate) fn bind(&mut self, value: impl Bind) -> String {
        self.params.push(value.bind());
        format!("${}", self.params.len())
    }

    /// The conditions.
    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }

    /// The parameters.
    pub(crate) fn into_params(self) -> Vec<Value> {
        self.params
    }
}

/// What a list reads: `SELECT columns FROM from WHERE filter ORDER BY order`.
pub(crate) struct Listing {
    pub(crate) columns: &'static str,
    pub(crate) from: &'static str,
    pub(crate) filter: Filter,
    pub(crate) order: &'static str,
}

impl Listing {
    /// Every item.
    pub(crate) async fn all<T>(self, tx: &Tx, read: impl Fn(&Row) -> Result<T, DbError>) -> Result<Vec<T>, DbError> {
        let sql = self.select();
        tx.rows(&sql, self.filter.params).await?.iter().map(read).collect()
    }

    /// The first item.
    pub(crate) async fn first<T>(
        self,
        tx: &Tx,
        read: impl Fn(&Row) -> Result<T, DbError>,
    ) -> Result<Option<T>, DbError> {
        let sql = self.select();
        tx.row(&sql, self.filter.params).await?.as_ref().map(read).transpose()
    }

    /// One page, and how many items there are in all.
    pub(crate) async fn page<T>(
        mut self,
        tx: &Tx,
        page: Page,
        read: impl Fn(&Row) -> Result<T, DbError>,
    ) -> Result<Paged<T>, DbError> {
        let count = format!("SELECT count(*) AS n FROM {} WHERE {}", self.from, self.filter.sql);
        let total = tx.row(&count, self.filter.params.clone()).await?.map_or(Ok(0), |row| row.get("n"))?;
        let limit = self.filter.bind(page.limit);
        let offset = self.filter.bind(page.offset);
        let sql = format!("{} LIMIT {limit} OFFSET {offset}", self.select());
        let items = tx.rows(&sql, self.filter.params).await?.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Paged { items, total })
    }

    fn select(&self) -> String {
        format!("SELECT {} FROM {} WHERE {} ORDER BY {}", self.columns, self.from, self.filter.sql, self.order)
    }
}
