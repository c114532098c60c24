//! Functions that can make much out of little, fenced; and those that tell of files, removed.
//!
//! DataFusion's memory pool does not see what a scalar function allocates, so `repeat('x', 2000000000)` or
//! `range(0, 10000000000)` would take the whole process with it. Each such function is wrapped: it works out how large
//! its result can get from the arguments and refuses past a bound, before anything is allocated.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::FunctionRegistry;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{
    AggregateUDF, ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature,
};

use crate::checked::CheckedArithmetic;
use crate::concat::ConcatPlanner;
use crate::growth::{self, Growth};
use crate::sum::CheckedSum;

/// Functions that would show object keys or positions in files, or attach hidden marks to columns.
const REMOVED: &[&str] = &["input_file_name", "file_row_index", "arrow_metadata", "with_metadata"];

/// Functions whose result can be far larger than their arguments.
const GROWING: &[(&str, Growth)] = &[
    ("repeat", Growth::Repeat),
    ("lpad", Growth::Pad),
    ("rpad", Growth::Pad),
    ("replace", Growth::Replace),
    ("regexp_replace", Growth::RegexReplace),
    ("concat", Growth::Concat),
    ("concat_ws", Growth::ConcatWith),
    ("array_to_string", Growth::ListToText),
    ("range", Growth::Series),
    ("generate_series", Growth::Series),
    ("array_repeat", Growth::ListRepeat),
    ("array_resize", Growth::ListResize),
    ("array_concat", Growth::ListConcat),
    ("array_append", Growth::ListConcat),
    ("array_prepend", Growth::ListConcat),
    ("make_array", Growth::ListConcat),
    ("levenshtein", Growth::Work),
];

/// Fences the functions of a session, and has integers computed without wrapping around.
pub(crate) fn guard(session: &mut SessionState) -> Result<()> {
    for name in REMOVED {
        session.deregister_udf(name)?;
    }
    for (name, growth) in GROWING {
        let inner = session.udf(name)?;
        session.register_udf(Arc::new(ScalarUDF::new_from_impl(Fenced { inner, growth: *growth })))?;
    }
    session.register_udaf(Arc::new(AggregateUDF::new_from_impl(CheckedSum::default())))?;
    session.register_function_rewrite(Arc::new(CheckedArithmetic))?;
    session.register_expr_planner(Arc::new(ConcatPlanner))
}

/// A function that checks the size of its result before it makes it.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Fenced {
    inner: Arc<ScalarUDF>,
    growth: Growth,
}

impl ScalarUDFImpl for Fenced {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arg_types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(arg_types)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        check(self.name(), self.growth, &args.args, args.number_rows)?;
        self.inner.inner().invoke_with_args(args)
    }

    // `simplify` is not passed on: it would put calls of the unfenced function in place of this one.
}

/// Refuses a call whose result would pass the bound.
pub(crate) fn check(name: &str, growth: Growth, args: &[ColumnarValue], rows: usize) -> Result<()> {
    let constant = args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
    let (bytes, bound) = growth::estimate(growth, args, if constant { 1 } else { rows }, constant)?;
    if bytes <= bound {
        return Ok(());
    }
    if growth == Growth::Work {
        return Err(DataFusionError::ResourcesExhausted(format!("{name}() of such long texts takes too long")));
    }
    let help = if growth == Growth::Series { "; select FROM generate_series(…) instead" } else { "" };
    Err(DataFusionError::ResourcesExhausted(format!("{name}() may make up to {bound} bytes at once{help}")))
}
