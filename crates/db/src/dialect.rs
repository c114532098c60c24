//! The only SQL that differs between the two databases.

pub(crate) mod postgres;
pub(crate) mod sqlite;

use std::fmt::Write as _;

use domain::search::Term;

/// The parts of a statement that asks the text index.
pub(crate) struct TextSearch {
    pub(crate) from: &'static str,
    pub(crate) matches: String,
    /// Best first.
    pub(crate) order: String,
}

/// Which database a transaction speaks to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// SQLite 3.35 or newer.
    Sqlite,
    /// Postgres 13 or newer.
    Postgres,
}

impl Dialect {
    /// Expression: the database's time, moved by `seconds`. A timestamp column takes it as it stands.
    pub(crate) fn now_plus(self, seconds: f64) -> String {
        let seconds = if seconds.is_finite() { seconds.clamp(-1e10, 1e10) } else { 0.0 };
        match self {
            Self::Sqlite => sqlite::now_plus(seconds),
            Self::Postgres => postgres::now_plus(seconds),
        }
    }

    /// Expression: `time` (a timestamp expression) moved by the seconds (f64) bound to `placeholder`.
    pub(crate) fn now_plus_bound(self, offset: f64, placeholder: &str) -> String {
        match self {
            Self::Sqlite => sqlite::now_plus_bound(offset, placeholder),
            Self::Postgres => postgres::now_plus_bound(offset, placeholder),
        }
    }

    /// Expression: a decimal number from the text bound to `placeholder` (`cost_cents` and the like).
    pub fn decimal(self, placeholder: &str) -> String {
        match self {
            Self::Sqlite => format!("CAST({placeholder} AS text)"),
            Self::Postgres => format!("CAST({placeholder} AS numeric)"),
        }
    }

    /// Expression: `column` as decimal text, to be read as `String`.
    pub fn decimal_text(self, column: &str) -> String {
        format!("CAST({column} AS text)")
    }

    /// Expression: sum of a decimal column as decimal text; `0` when there is no row. Exact to nine decimals on
    /// SQLite, which has no decimal type.
    pub fn decimal_sum(self, column: &str) -> String {
        match self {
            Self::Sqlite => format!("printf('%.9f', COALESCE(SUM(CAST({column} AS real)), 0))"),
            Self::Postgres => format!("CAST(COALESCE(SUM({column}), 0) AS text)"),
        }
    }

    /// Expression: the JSON object in `column`, or `{}` for NULL, with `key` set to the text of `expression`.
    pub(crate) fn json_with_text(self, column: &str, key: &str, expression: &str) -> String {
        match self {
            Self::Sqlite => format!("json_set(COALESCE({column}, '{{}}'), '$.{key}', {expression})"),
            Self::Postgres => {
                format!("COALESCE({column}, '{{}}'::jsonb) || jsonb_build_object('{key}', {expression})")
            }
        }
    }

    /// Expression: the text under `key` of the JSON object in `column`; NULL when there is none.
    pub(crate) fn json_text(self, column: &str, key: &str) -> String {
        match self {
            Self::Sqlite => format!("json_extract({column}, '$.{key}')"),
            Self::Postgres => format!("({column} ->> '{key}')"),
        }
    }

    /// Expression: the JSON object in `column` without those keys.
    pub(crate) fn json_without(self, column: &str, keys: &[&str]) -> String {
        match self {
            Self::Sqlite => {
                let paths: Vec<String> = keys.iter().map(|key| format!("'$.{key}'")).collect();
                format!("json_remove({column}, {})", paths.join(", "))
            }
            Self::Postgres => {
                let names: Vec<String> = keys.iter().map(|key| format!("'{key}'")).collect();
                format!("({column} - {})", names.join(" - "))
            }
        }
    }

    /// Expression: false.
    pub(crate) fn falsehood(self) -> &'static str {
        match self {
            Self::Sqlite => "0",
            Self::Postgres => "false",
        }
    }

    /// Expression: an empty JSON list.
    pub(crate) fn empty_list(self) -> &'static str {
        match self {
            Self::Sqlite => "'[]'",
            Self::Postgres => "'[]'::jsonb",
        }
    }

    /// Clause for a claim: rows that another transaction holds are passed over. Empty on SQLite, whose one writer
    /// holds the whole database.
    pub fn skip_locked(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR UPDATE SKIP LOCKED",
        }
    }

    /// Clause that locks the rows read until the transaction ends. Empty on SQLite.
    pub fn for_update(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR UPDATE",
        }
    }

    /// Condition: `column` contains the text bound to `placeholder`, in any case. Bind [`Dialect::like_pattern`].
    pub fn contains(self, column: &str, placeholder: &str) -> String {
        match self {
            Self::Sqlite => format!("{column} LIKE {placeholder} ESCAPE '\\'"),
            Self::Postgres => format!("{column} ILIKE {placeholder} ESCAPE '\\'"),
        }
    }

    /// The pattern to bind for [`Dialect::contains`]: `%` and `_` of the text stand for themselves.
    pub fn like_pattern(text: &str) -> String {
        let mut pattern = String::with_capacity(text.len() + 2);
        pattern.push('%');
        for c in text.chars() {
            if matches!(c, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        pattern.push('%');
        pattern
    }

    /// The text to bind for a [`TextSearch`]: any of the words.
    pub(crate) fn text_query(self, terms: &[Term]) -> String {
        match self {
            Self::Sqlite => sqlite::text_query(terms),
            Self::Postgres => postgres::text_query(terms),
        }
    }

    /// How the text index of schema objects (`o`) is asked with the query bound to `placeholder`. A word in the names
    /// weighs more than one in the text.
    pub(crate) fn text_search(self, placeholder: &str) -> TextSearch {
        match self {
            // CROSS: the index is asked once and leads to the objects, never the other way
            Self::Sqlite => TextSearch {
                from: "flyquery_schema_search CROSS JOIN flyquery_schema_objects o \
                       ON o.row_no = flyquery_schema_search.rowid",
                matches: format!("flyquery_schema_search MATCH {placeholder}"),
                order: "bm25(flyquery_schema_search, 4.0, 1.0)".to_owned(),
            },
            Self::Postgres => {
                let query = format!("to_tsquery('pg_catalog.english', {placeholder})");
                TextSearch {
                    from: "flyquery_schema_objects o",
                    matches: format!("o.search_words @@ {query}"),
                    order: format!("ts_rank(o.search_words, {query}) DESC"),
                }
            }
        }
    }

    /// `($1, $2), ($3, $4)`: placeholders of `rows` rows of `columns` values, counted from `first`.
    pub fn values(first: usize, rows: usize, columns: usize) -> String {
        let mut sql = String::new();
        for row in 0..rows {
            sql.push_str(if row == 0 { "(" } else { ", (" });
            for column in 0..columns {
                let separator = if column == 0 { "" } else { ", " };
                let _ = write!(sql, "{separator}${}", first + row * columns + column);
            }
            sql.push(')');
        }
        sql
    }

    /// `$3, $4, $5`: placeholders of a list of `count` values, counted from `first`.
    pub fn list(first: usize, count: usize) -> String {
        let mut sql = String::new();
        for i in 0..count {
            let _ = write!(sql, "{}${}", if i == 0 { "" } else { ", " }, first + i);
        }
        sql
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_of_a_search_text_stand_for_themselves() {
        assert_eq!(Dialect::like_pattern("50%_\\"), "%50\\%\\_\\\\%");
    }

    #[test]
    fn words_of_a_search_are_quoted() {
        let term = |word: &str, prefix| Term { word: word.to_owned(), prefix };
        let terms = [term("or", false), term("mail", true)];
        assert_eq!(Dialect::Sqlite.text_query(&terms), r#""or" OR "mail"*"#);
        assert_eq!(Dialect::Postgres.text_query(&terms), "'or' | 'mail':*");
    }

    #[test]
    fn placeholders_are_counted() {
        assert_eq!(Dialect::values(3, 2, 2), "($3, $4), ($5, $6)");
        assert_eq!(Dialect::list(2, 3), "$2, $3, $4");
        assert_eq!(Dialect::list(1, 0), "");
    }

    #[test]
    fn time_expressions_never_hold_an_exponent() {
        assert!(!Dialect::Sqlite.now_plus(1e-9).contains("e-"));
        assert_eq!(Dialect::Postgres.now_plus(f64::NAN), "now()");
    }
}
