//! Makes plans stoppable. A task of tokio can only be aborted where it yields, and DataFusion yields where data is
//! read. An operator that makes many rows out of few, a join above all, could otherwise compute for hours between two
//! reads, with nobody listening.
//!
//! So every such operator is made to yield now and then between its batches; and the filter of a join, which may turn
//! down billions of pairs without a single batch, looks at a flag.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, FieldRef, Schema};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::utils::JoinFilter;
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, NestedLoopJoinExecBuilder};

/// Set once to stop a statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The plan, stoppable.
pub(crate) fn stoppable(plan: Arc<dyn ExecutionPlan>, stop: &Stop) -> Result<Arc<dyn ExecutionPlan>> {
    let transformed = plan.transform_up(|node| {
        let name = node.name();
        if !name.contains("Join") && !name.contains("Unnest") {
            return Ok(Transformed::no(node));
        }
        let node = watched(&node, stop)?.unwrap_or(node);
        Ok(Transformed::yes(Arc::new(CooperativeExec::new(node)) as Arc<dyn ExecutionPlan>))
    });
    transformed.map(|transformed| transformed.data)
}

/// The join with its filter looking at the flag, when it has one.
fn watched(node: &Arc<dyn ExecutionPlan>, stop: &Stop) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let watch = |filter: &JoinFilter| {
        let expression = Watched { inner: filter.expression().clone(), stop: stop.clone() };
        JoinFilter::new(Arc::new(expression), filter.column_indices().to_vec(), filter.schema().clone())
    };
    if let Some(join) = node.downcast_ref::<HashJoinExec>()
        && let Some(filter) = join.filter()
    {
        return join.builder().with_filter(Some(watch(filter))).build_exec().map(Some);
    }
    if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>()
        && let Some(filter) = join.filter()
    {
        let builder = NestedLoopJoinExecBuilder::from(join).with_filter(Some(watch(filter)));
        return Ok(Some(Arc::new(builder.build()?)));
    }
    Ok(None)
}

/// An expression that fails once the flag is set.
#[derive(Debug)]
struct Watched {
    inner: Arc<dyn PhysicalExpr>,
    stop: Stop,
}

impl PartialEq for Watched {
    fn eq(&self, other: &Self) -> bool {
        self.inner.eq(&other.inner)
    }
}

impl Eq for Watched {}

impl std::hash::Hash for Watched {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl fmt::Display for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl PhysicalExpr for Watched {
    fn data_type(&self, input_schema: &Schema) -> Result<DataType> {
        self.inner.data_type(input_schema)
    }

    fn nullable(&self, input_schema: &Schema) -> Result<bool> {
        self.inner.nullable(input_schema)
    }

    fn return_field(&self, input_schema: &Schema) -> Result<FieldRef> {
        self.inner.return_field(input_schema)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        if self.stop.0.load(Ordering::Relaxed) {
            return Err(DataFusionError::Execution("the statement was stopped".to_owned()));
        }
        self.inner.evaluate(batch)
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.inner]
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn PhysicalExpr>>) -> Result<Arc<dyn PhysicalExpr>> {
        let inner = children.pop().unwrap_or_else(|| self.inner.clone());
        Ok(Arc::new(Self { inner, stop: self.stop.clone() }))
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt_sql(f)
    }
}
