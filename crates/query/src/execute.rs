//! Plans a statement, streams its rows and turns them into JSON until a cap is reached.

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::error::Result as PlanResult;
use datafusion::execution::context::{SQLOptions, SessionContext};
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_plan::execute_stream;
use datafusion::sql::parser::Statement as PlanStatement;
use datafusion::sql::sqlparser::ast::{ObjectName, Statement};
use domain::limits;
use domain::ports::sql::{SqlError, SqlRequest, SqlRows};
use domain::schema::Column;
use futures::StreamExt;
use serde_json::Value;

use crate::catalog;
use crate::names::Fold;
use crate::parse::{Ask, Parsed, parse};
use crate::problem;
use crate::runtime::Core;
use crate::show;
use crate::sql_type;
use crate::stop::{Stop, stoppable};
use crate::value::{self, Budget};

/// Runs one statement.
pub(crate) async fn execute(core: &Core, request: &SqlRequest, stop: &Stop) -> Result<SqlRows, SqlError> {
    let Parsed { ask, fold, labels, survey } = parse(&request.sql, &request.tables)?;
    let run = Run { core, request, stop, fold: &fold, relations: &survey.relations };
    let (statement, plan_only) = match ask {
        Ask::Tables => return Ok(show::tables(&request.tables, request.row_cap)),
        Ask::Columns(name) => {
            return show::columns(&request.tables, request.dataset.as_deref(), &name, &fold, request.row_cap);
        }
        Ask::Shape(statement) => {
            let (_, plan) = run.plan(*statement, &survey.ctes).await?;
            let columns: Vec<Column> = plan.schema().fields().iter().map(|field| sql_type::column(field)).collect();
            return Ok(show::shape(&columns, request.row_cap));
        }
        Ask::Rows(statement) => (statement, false),
        Ask::Plan(statement) => (statement, true),
    };
    let (state, plan) = run.plan(*statement, &survey.ctes).await?;
    let (plan, names) = if plan_only {
        let plan = LogicalPlanBuilder::from(plan).explain(false, false).and_then(LogicalPlanBuilder::build);
        (plan, vec!["plan_type".to_owned(), "plan".to_owned()])
    } else {
        let names = labels.names(plan.schema().fields().iter(), &fold);
        let capped = LogicalPlanBuilder::from(plan).limit(0, Some(request.row_cap.saturating_add(1)));
        (capped.and_then(LogicalPlanBuilder::build), names)
    };
    let plan = plan.map_err(|error| run.problem(&error))?;
    let fields = plan.schema().fields();
    let columns = fields.iter().zip(names).map(|(field, name)| Column { name, ..sql_type::column(field) }).collect();
    run.stream(&state, &plan, columns).await.map_err(|error| run.problem(&error))?
}

struct Run<'a> {
    core: &'a Core,
    request: &'a SqlRequest,
    stop: &'a Stop,
    fold: &'a Fold,
    relations: &'a [ObjectName],
}

impl Run<'_> {
    /// The plan of a query over the tables it names.
    async fn plan(
        &self,
        statement: Statement,
        ctes: &std::collections::HashSet<String>,
    ) -> Result<(SessionState, LogicalPlan), SqlError> {
        let planned = self.try_plan(statement).await;
        planned.map_err(|error| self.unknown_table(ctes).unwrap_or_else(|| self.problem(&error)))
    }

    async fn try_plan(&self, statement: Statement) -> PlanResult<(SessionState, LogicalPlan)> {
        let names: Vec<String> = self.relations.iter().filter_map(|name| show::parts(name).pop()).collect();
        let tables = catalog::catalog(self.core, self.request, self.fold, &names).await?;
        let session = SessionStateBuilder::new_from_existing(self.core.session.clone())
            .with_runtime_env(self.core.statement_env())
            .with_catalog_list(tables);
        // Through a context, because that sets the time that now() tells.
        let state = SessionContext::new_with_state(session.build()).state();
        let plan = state.statement_to_plan(PlanStatement::Statement(Box::new(statement))).await?;
        // The parser has refused all of this already; a second wall costs nothing.
        let reads = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        reads.verify_plan(&plan)?;
        Ok((state, plan))
    }

    /// Runs a plan and collects rows up to the cap. The outer error is DataFusion's, the inner one ours.
    async fn stream(
        &self,
        state: &SessionState,
        plan: &LogicalPlan,
        columns: Vec<Column>,
    ) -> PlanResult<Result<SqlRows, SqlError>> {
        let physical = stoppable(state.create_physical_plan(plan).await?, self.stop)?;
        let mut stream = execute_stream(physical, state.task_ctx())?;
        let mut rows = Rows::new(self.request.row_cap);
        while let Some(batch) = stream.next().await {
            match rows.add(&plain_columns(&batch?)?) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(SqlRows { columns, rows: rows.cells, truncated: rows.truncated }))
    }

    fn problem(&self, error: &datafusion::error::DataFusionError) -> SqlError {
        problem::sql_error(error, |folded| self.real(folded))
    }

    /// The spelling people know for a folded name.
    fn real(&self, folded: &str) -> String {
        let tables = &self.request.tables;
        let columns = tables.iter().flat_map(|table| &table.schema.columns).map(|column| &column.name);
        tables
            .iter()
            .map(|table| &table.name)
            .chain(columns)
            .find(|name| self.fold.word(name) == folded)
            .map_or_else(|| folded.to_owned(), Clone::clone)
    }

    /// The problem with the first relation that is no table, when there is one.
    fn unknown_table(&self, ctes: &std::collections::HashSet<String>) -> Option<SqlError> {
        self.relations.iter().find_map(|name| {
            let parts = show::parts(name);
            let is_cte = matches!(&*parts, [only] if ctes.contains(only));
            let found = show::find(&self.request.tables, self.request.dataset.as_deref(), &parts, self.fold);
            if is_cte { None } else { found.err() }
        })
    }
}

/// A batch's columns as [`value::cell`] takes them.
pub(crate) fn plain_columns(batch: &RecordBatch) -> PlanResult<Vec<ArrayRef>> {
    Ok(batch.columns().iter().map(value::plain).collect::<Result<_, _>>()?)
}

/// Rows of JSON up to a number and `limits::SQL_RESULT_BYTES`.
pub(crate) struct Rows {
    pub(crate) cells: Vec<Vec<Value>>,
    pub(crate) truncated: bool,
    cap: usize,
    budget: Budget,
}

impl Rows {
    pub(crate) fn new(cap: usize) -> Self {
        Self { cells: Vec::new(), truncated: false, cap, budget: Budget::new(limits::SQL_RESULT_BYTES) }
    }

    /// Adds the rows of a batch; whether more may follow.
    pub(crate) fn add(&mut self, columns: &[ArrayRef]) -> Result<bool, SqlError> {
        for row in 0..columns.first().map_or(0, Array::len) {
            if self.cells.len() == self.cap {
                self.truncated = true;
                return Ok(false);
            }
            let cells = columns.iter().map(|column| value::cell(&**column, row, &mut self.budget)).collect();
            if self.budget.is_spent() {
                if self.cells.is_empty() {
                    let bytes = limits::SQL_RESULT_BYTES;
                    return Err(SqlError::OutOfMemory(format!("one row is larger than {bytes} bytes of JSON")));
                }
                self.truncated = true;
                return Ok(false);
            }
            self.cells.push(cells);
        }
        Ok(true)
    }
}

/// Shared by the answers that are not computed.
pub(crate) fn capped(columns: Vec<Column>, mut rows: Vec<Vec<Value>>, cap: usize) -> SqlRows {
    let truncated = rows.len() > cap;
    rows.truncate(cap);
    SqlRows { columns, rows, truncated }
}
