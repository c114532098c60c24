//! From text to one read-only statement with folded names, whatever the text is.
//!
//! Parsing, walking and dropping a syntax tree recurse, and a chain like `1+1+1+…` of 64 KiB makes a tree thirty
//! thousand levels deep. So all of it happens on a thread with a stack of its own that is large enough for any text of
//! `limits::SQL_CHARS`; what leaves this module is at most `limits::SQL_DEPTH` levels deep.

use std::collections::HashSet;

use datafusion::sql::sqlparser::ast::{DescribeAlias, ObjectName, Query, SetExpr, Statement};
use datafusion::sql::sqlparser::dialect::DuckDbDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};
use domain::limits;
use domain::ports::sql::{SqlError, StatementKind};
use domain::table::PublishedTable;

use crate::names::{Fold, Labels, lower};
use crate::problem;
use crate::survey::Survey;

/// Stack of the parsing thread: address space, of which only what is used becomes memory.
const STACK: usize = 128 << 20;
/// Levels of nesting that the parser itself follows.
const PARSER_DEPTH: usize = 64;
/// Opening parentheses in a row. The parser tries each of them in several ways, so they multiply.
const PARENTHESES: usize = 12;

/// What a statement asks for.
#[derive(Debug)]
pub(crate) enum Ask {
    /// The rows of a query.
    Rows(Box<Statement>),
    /// The plan of a query.
    Plan(Box<Statement>),
    /// The columns a query would have.
    Shape(Box<Statement>),
    /// The columns of a table.
    Columns(ObjectName),
    /// The tables.
    Tables,
}

/// A statement that may run. Every name in it is folded.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) ask: Ask,
    pub(crate) fold: Fold,
    pub(crate) labels: Labels,
    pub(crate) survey: Survey,
}

/// Reads one statement over tables.
pub(crate) fn parse(sql: &str, tables: &[PublishedTable]) -> Result<Parsed, SqlError> {
    on_large_stack(|| {
        let tokens = tokenize(sql)?;
        let written = single(statements(&tokens)?)?;
        Survey::of(&written)?;
        let words: HashSet<String> = tokens.iter().filter_map(|token| word(&token.token)).map(lower).collect();
        let fold = Fold::new(tables, &words);
        let folded = single(statements(&fold.tokens(&tokens))?)?;
        let labels = Labels::of(&written, &tokens, &fold);
        let survey = Survey::of(&folded)?;
        Ok(Parsed { ask: ask(folded)?, fold, labels, survey })
    })
}

/// The kind of a statement; of several, the first that does not only read.
pub(crate) fn classify(sql: &str) -> StatementKind {
    let kind = on_large_stack(|| {
        let statements = statements(&tokenize(sql)?)?;
        let mut kinds = statements.iter().map(kind);
        let first = kinds.next().unwrap_or(StatementKind::Unknown);
        Ok(kinds.fold(first, |kind, next| if kind == StatementKind::Select { next } else { kind }))
    });
    kind.unwrap_or(StatementKind::Unknown)
}

fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, SqlError> + Send) -> Result<T, SqlError> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("sql-parse".to_owned()).stack_size(STACK);
        match thread.spawn_scoped(scope, work).map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(SqlError::Internal("the parser met a defect in this statement".to_owned())),
            Err(error) => Err(SqlError::Internal(format!("no thread to parse on: {error}"))),
        }
    })
}

fn word(token: &Token) -> Option<&str> {
    if let Token::Word(word) = token { Some(&word.value) } else { None }
}

fn tokenize(sql: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    if sql.chars().take(limits::SQL_CHARS + 1).count() > limits::SQL_CHARS {
        return Err(SqlError::Wrong(format!("the statement is longer than {} characters", limits::SQL_CHARS)));
    }
    let tokens = Tokenizer::new(&DuckDbDialect {}, sql)
        .tokenize_with_location()
        .map_err(|error| problem::syntax(&ParserError::from(error)))?;
    let mut in_a_row = 0;
    let mut set_operations = 0;
    for token in &tokens {
        match &token.token {
            Token::LParen => in_a_row += 1,
            Token::Whitespace(_) => {}
            Token::Word(word) => {
                in_a_row = 0;
                set_operations += usize::from(matches!(
                    word.keyword,
                    Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT | Keyword::MINUS
                ));
            }
            _ => in_a_row = 0,
        }
        if in_a_row > PARENTHESES {
            return Err(SqlError::Wrong(format!("more than {PARENTHESES} opening parentheses in a row")));
        }
        if set_operations > limits::SQL_SET_OPERATIONS {
            return Err(SqlError::Wrong(format!("more than {} set operations", limits::SQL_SET_OPERATIONS)));
        }
    }
    Ok(tokens)
}

fn statements(tokens: &[TokenWithSpan]) -> Result<Vec<Statement>, SqlError> {
    Parser::new(&DuckDbDialect {})
        .with_recursion_limit(PARSER_DEPTH)
        .with_tokens_with_locations(tokens.to_vec())
        .parse_statements()
        .map_err(|error| problem::syntax(&error))
}

fn single(mut statements: Vec<Statement>) -> Result<Statement, SqlError> {
    match (statements.pop(), statements.len()) {
        (None, _) => Err(SqlError::Wrong("the statement is empty".to_owned())),
        (Some(statement), 0) => Ok(statement),
        (Some(_), others) => Err(SqlError::Refused(format!("{} statements at once; send them one by one", others + 1))),
    }
}

fn ask(statement: Statement) -> Result<Ask, SqlError> {
    let refused = |what: &str| Err(SqlError::Refused(format!("{what} is not supported")));
    match statement {
        Statement::Query(_) => Ok(Ask::Rows(Box::new(statement))),
        Statement::ExplainTable { table_name, .. } => Ok(Ask::Columns(table_name)),
        Statement::Explain { analyze: true, .. } => refused("EXPLAIN ANALYZE"),
        Statement::Explain { options: Some(_), .. } => refused("EXPLAIN with options"),
        Statement::Explain { format: Some(_), .. } => refused("EXPLAIN FORMAT"),
        Statement::Explain { describe_alias, statement, .. } => match describe_alias {
            DescribeAlias::Explain => Ok(Ask::Plan(statement)),
            DescribeAlias::Describe | DescribeAlias::Desc => Ok(Ask::Shape(statement)),
        },
        Statement::ShowTables { show_options, .. } => {
            if show_options.filter_position.is_some() || show_options.show_in.is_some() {
                return refused("SHOW TABLES with a filter");
            }
            Ok(Ask::Tables)
        }
        Statement::ShowColumns { show_options, .. } => {
            if show_options.filter_position.is_some() {
                return refused("SHOW COLUMNS with a filter");
            }
            match show_options.show_in.and_then(|place| place.parent_name) {
                Some(table) => Ok(Ask::Columns(table)),
                None => Err(SqlError::Wrong("SHOW COLUMNS needs FROM and a table".to_owned())),
            }
        }
        _ => refused("this statement"),
    }
}

fn kind(statement: &Statement) -> StatementKind {
    match statement {
        Statement::Query(query) => query_kind(query),
        Statement::Explain { statement, .. } => kind(statement),
        Statement::ExplainTable { .. } | Statement::ShowTables { .. } | Statement::ShowColumns { .. } => {
            StatementKind::Select
        }
        Statement::Insert(_) => StatementKind::Insert,
        Statement::Update(_) | Statement::Merge(_) => StatementKind::Update,
        Statement::Delete(_) | Statement::Truncate(_) => StatementKind::Delete,
        _ => StatementKind::Ddl,
    }
}

fn query_kind(query: &Query) -> StatementKind {
    let inner = query.with.iter().flat_map(|with| &with.cte_tables).map(|cte| query_kind(&cte.query));
    let writes = inner.chain([body_kind(&query.body)]).find(|kind| *kind != StatementKind::Select);
    writes.unwrap_or(StatementKind::Select)
}

fn body_kind(body: &SetExpr) -> StatementKind {
    match body {
        SetExpr::Insert(_) => StatementKind::Insert,
        SetExpr::Update(_) | SetExpr::Merge(_) => StatementKind::Update,
        SetExpr::Delete(_) => StatementKind::Delete,
        SetExpr::Select(select) if select.into.is_some() => StatementKind::Ddl,
        SetExpr::Query(query) => query_kind(query),
        SetExpr::SetOperation { left, right, .. } => match body_kind(left) {
            StatementKind::Select => body_kind(right),
            writes @ (StatementKind::Insert
            | StatementKind::Update
            | StatementKind::Delete
            | StatementKind::Ddl
            | StatementKind::Unknown) => writes,
        },
        SetExpr::Select(_) | SetExpr::Values(_) | SetExpr::Table(_) => StatementKind::Select,
    }
}
