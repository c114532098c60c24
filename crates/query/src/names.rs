//! Names without regard to case (decision 48), by folding every name of a statement and of its tables the same way.
//!
//! A folded word is its lower-case form, so `Orders`, `ORDERS` and `"orders"` meet the table `Orders`, and aliases
//! meet their uses. Two kinds of words are not lowered. Where two names differ only by case (columns `id` and `ID` of a
//! table, tables `t` and `T`), case decides: each spelling stays as it is, and only the exact one finds its column. And
//! the fields of a STRUCT keep their spelling, because it is part of the type: every spelling is folded to theirs.

use std::collections::{HashMap, HashSet};

use datafusion::sql::sqlparser::ast::{Expr, Query, SelectItem, SetExpr, Statement};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Word};
use domain::schema::{Column, SqlType};
use domain::table::PublishedTable;

use crate::sql_type::real_name;

/// How a word that is not simply lowered is folded.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Spelling {
    /// To this spelling.
    Fixed(String),
    /// Not at all: case decides.
    Exact,
}

/// The folding of one statement over its tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fold {
    special: HashMap<String, Spelling>,
}

impl Fold {
    /// The folding for a statement that contains `words` (lower-case) over `tables`.
    pub(crate) fn new<'a>(tables: impl IntoIterator<Item = &'a PublishedTable>, words: &HashSet<String>) -> Self {
        let mut fold = Self::default();
        let mentioned: Vec<_> = tables.into_iter().filter(|table| words.contains(&lower(&table.name))).collect();
        // First the fixed spellings: a clash of names, found later, overrules them.
        for table in &mentioned {
            for column in &table.schema.columns {
                fold.fix_fields(&column.sql_type);
            }
        }
        fold.separate(mentioned.iter().map(|table| table.name.as_str()));
        for table in &mentioned {
            fold.separate(table.schema.columns.iter().map(|column| column.name.as_str()));
        }
        fold
    }

    /// Fixes the spelling of every struct field inside a type.
    fn fix_fields(&mut self, sql_type: &SqlType) {
        if let SqlType::List(item) = sql_type {
            self.fix_fields(item);
        } else if let SqlType::Struct(fields) = sql_type {
            for Column { name, sql_type, .. } in fields {
                let spelling = match self.special.get(&lower(name)) {
                    Some(Spelling::Fixed(other)) if other != name => Spelling::Exact,
                    Some(Spelling::Exact) => Spelling::Exact,
                    _ => Spelling::Fixed(name.clone()),
                };
                self.special.insert(lower(name), spelling);
                self.fix_fields(sql_type);
            }
        }
    }

    /// Makes case decide where names of one list differ only by it.
    fn separate<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        let mut seen = HashSet::new();
        for name in names {
            let lowered = lower(name);
            if !seen.insert(lowered.clone()) {
                self.special.insert(lowered, Spelling::Exact);
            }
        }
    }

    /// The word, folded.
    pub(crate) fn word(&self, word: &str) -> String {
        let lowered = lower(word);
        match self.special.get(&lowered) {
            None => lowered,
            Some(Spelling::Fixed(spelling)) => spelling.clone(),
            Some(Spelling::Exact) => word.to_owned(),
        }
    }

    /// The statement's tokens with every word folded. The name of a function is always lowered.
    pub(crate) fn tokens(&self, tokens: &[TokenWithSpan]) -> Vec<TokenWithSpan> {
        let mut folded = tokens.to_vec();
        let mut before_parenthesis = false;
        for token in folded.iter_mut().rev() {
            match &mut token.token {
                Token::Word(Word { value, quote_style, .. }) => {
                    let function = before_parenthesis && quote_style.is_none();
                    *value = if function { lower(value) } else { self.word(value) };
                    before_parenthesis = false;
                }
                Token::Whitespace(_) => {}
                other => before_parenthesis = *other == Token::LParen,
            }
        }
        folded
    }
}

/// The lower-case form of a name.
pub(crate) fn lower(name: &str) -> String {
    name.to_lowercase()
}

/// What a statement calls one of its result columns.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Label {
    /// This, by an alias or as the text of an expression.
    Given(String),
    /// The column that was written like this.
    Column(String),
    /// Whatever `*` stands for.
    Star,
}

/// What a statement calls its result columns, in its own spelling.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    labels: Vec<Label>,
    /// Folded words of the statement and how they were written first.
    written: HashMap<String, String>,
}

impl Labels {
    /// The labels of a statement as it was written.
    pub(crate) fn of(statement: &Statement, tokens: &[TokenWithSpan], fold: &Fold) -> Self {
        let labels = match statement {
            Statement::Query(query) => labels(query),
            _ => Vec::new(),
        };
        let mut written = HashMap::new();
        for token in tokens {
            if let Token::Word(word) = &token.token {
                written.entry(fold.word(&word.value)).or_insert_with(|| word.value.clone());
            }
        }
        Self { labels, written }
    }

    /// Names for the columns of the result, each unique: as aliases were written, as files spell their columns.
    pub(crate) fn names<'a>(
        &self,
        fields: impl ExactSizeIterator<Item = &'a datafusion::arrow::datatypes::FieldRef>,
        fold: &Fold,
    ) -> Vec<String> {
        let count = fields.len();
        let mut seen = HashSet::new();
        fields
            .enumerate()
            .map(|(i, field)| {
                let real = real_name(field).filter(|real| fold.word(real) == *field.name());
                let written = || self.written.get(field.name()).unwrap_or(field.name());
                let name = match self.label(i, count) {
                    Some(Label::Given(name)) => name,
                    Some(Label::Column(name)) => real.unwrap_or(name),
                    Some(Label::Star) | None => real.unwrap_or_else(|| written()),
                };
                unique(name, &mut seen)
            })
            .collect()
    }

    /// The label of the `i`th of `count` columns: counted from the front before the first `*`, from the back after the
    /// last one.
    fn label(&self, i: usize, count: usize) -> Option<&Label> {
        let stars = |label: &Label| *label == Label::Star;
        match self.labels.iter().position(stars) {
            None => (self.labels.len() == count).then(|| &self.labels[i]),
            Some(first) if i < first => self.labels.get(i),
            Some(_) => {
                let last = self.labels.iter().rposition(stars)?;
                let from_back = count - i;
                (from_back < self.labels.len() - last).then(|| &self.labels[self.labels.len() - from_back])
            }
        }
    }
}

fn unique(name: &str, seen: &mut HashSet<String>) -> String {
    let mut candidate = name.to_owned();
    let mut n = 2;
    while !seen.insert(candidate.clone()) {
        candidate = format!("{name}_{n}");
        n += 1;
    }
    candidate
}

fn labels(query: &Query) -> Vec<Label> {
    // The first SELECT of a set operation names the columns of all.
    let mut body = &*query.body;
    loop {
        match body {
            SetExpr::Select(select) => return select.projection.iter().map(label).collect(),
            SetExpr::Query(query) => body = &query.body,
            SetExpr::SetOperation { left, .. } => body = left,
            _ => return Vec::new(),
        }
    }
}

fn label(item: &SelectItem) -> Label {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Label::Given(alias.value.clone()),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Label::Column(name.value.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
            parts.last().map_or(Label::Star, |name| Label::Column(name.value.clone()))
        }
        SelectItem::UnnamedExpr(expr) => {
            Label::Given(expr.to_string().chars().take(domain::limits::COLUMN_NAME_CHARS).collect())
        }
        SelectItem::ExprWithAliases { .. } | SelectItem::QualifiedWildcard(..) | SelectItem::Wildcard(_) => Label::Star,
    }
}
