//! Walks a parsed statement once: refuses what does not only read, measures it, and notes the tables it names.

use std::collections::HashSet;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Expr, ObjectName, Query, Select, Statement, TableFactor, Visit, Visitor};
use domain::limits;
use domain::ports::sql::SqlError;

use crate::expansion::Expansion;

/// What a statement names and how large it is.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Names in the place of a table, as the statement gives them; table functions are not among them.
    pub(crate) relations: Vec<ObjectName>,
    /// Names of common table expressions, wherever they hold.
    pub(crate) ctes: HashSet<String>,
    depth: usize,
    statements: usize,
    factors: usize,
    selects: usize,
    expansion: Expansion,
}

impl Survey {
    /// Surveys a statement; an error says why it is refused.
    pub(crate) fn of(statement: &Statement) -> Result<Self, SqlError> {
        let mut survey = Self::default();
        match statement.visit(&mut survey) {
            ControlFlow::Continue(()) => Ok(survey),
            ControlFlow::Break(error) => Err(error),
        }
    }

    fn deeper(&mut self) -> ControlFlow<SqlError> {
        self.depth += 1;
        check(self.depth <= limits::SQL_DEPTH, || {
            format!("the statement is nested more than {} levels deep; use IN (…) for long chains", limits::SQL_DEPTH)
        })
    }
}

fn check(fine: bool, problem: impl FnOnce() -> String) -> ControlFlow<SqlError> {
    if fine { ControlFlow::Continue(()) } else { ControlFlow::Break(SqlError::Wrong(problem())) }
}

fn refuse(what: &str) -> ControlFlow<SqlError> {
    ControlFlow::Break(SqlError::Refused(format!("{what}; only statements that read are allowed")))
}

impl Visitor for Survey {
    type Break = SqlError;

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<SqlError> {
        self.statements += 1;
        let reads = matches!(
            statement,
            Statement::Query(_)
                | Statement::Explain { .. }
                | Statement::ExplainTable { .. }
                | Statement::ShowTables { .. }
                | Statement::ShowColumns { .. }
        );
        // Inside, only the query of an EXPLAIN or DESCRIBE may stand: INSERT and its like also hide in a WITH.
        let inside = self.statements > 1 && !matches!(statement, Statement::Query(_));
        if reads && !inside {
            return ControlFlow::Continue(());
        }
        let text = statement.to_string();
        let word = text.split_whitespace().next().unwrap_or_default().to_uppercase();
        refuse(&format!("{word} is not allowed"))
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<SqlError> {
        if !query.locks.is_empty() {
            return refuse("FOR UPDATE and FOR SHARE are not allowed");
        }
        if query.for_clause.is_some() || query.settings.is_some() || query.format_clause.is_some() {
            return refuse("FOR, SETTINGS and FORMAT clauses are not allowed");
        }
        if let Some(with) = &query.with {
            self.ctes.extend(with.cte_tables.iter().map(|cte| cte.alias.name.value.clone()));
        }
        self.expansion.enter(query);
        self.deeper()
    }

    fn post_visit_query(&mut self, _query: &Query) -> ControlFlow<SqlError> {
        self.depth -= 1;
        check(self.expansion.leave() <= limits::SQL_EXPANDED_RELATIONS, || {
            let most = limits::SQL_EXPANDED_RELATIONS;
            format!("the statement reads more than {most} tables once its WITH queries are written out at each use")
        })
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<SqlError> {
        if select.into.is_some() {
            return refuse("SELECT INTO is not allowed");
        }
        self.selects += 1;
        check(self.selects <= limits::SQL_SET_OPERATIONS + limits::SQL_RELATIONS, || {
            format!("the statement has more than {} SELECTs", limits::SQL_SET_OPERATIONS + limits::SQL_RELATIONS)
        })
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<SqlError> {
        self.factors += 1;
        if let TableFactor::Table { name, args: None, .. } = factor {
            self.relations.push(name.clone());
            self.expansion.read(name);
        }
        check(self.factors <= limits::SQL_RELATIONS, || {
            format!("the statement names more than {} tables", limits::SQL_RELATIONS)
        })
    }

    fn pre_visit_expr(&mut self, _expr: &Expr) -> ControlFlow<SqlError> {
        self.deeper()
    }

    fn post_visit_expr(&mut self, _expr: &Expr) -> ControlFlow<SqlError> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }
}
