//! The operator `||` on text and bytes as a fenced function: as a plain operator nothing would bound its result.

use datafusion::arrow::compute::kernels::concat_elements::concat_elements_dyn;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    ColumnarValue, Expr, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use crate::functions::check;
use crate::growth::Growth;

/// Plans `||` as [`Concat`]. Lists are planned before it, by DataFusion's own planner.
#[derive(Debug)]
pub(crate) struct ConcatPlanner;

impl ExprPlanner for ConcatPlanner {
    fn plan_binary_op(&self, expr: RawBinaryExpr, _schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        if expr.op != BinaryOperator::StringConcat {
            return Ok(PlannerResult::Original(expr));
        }
        let function = ScalarUDF::new_from_impl(Concat::new()).into();
        let call = ScalarFunction::new_udf(function, vec![expr.left, expr.right]);
        Ok(PlannerResult::Planned(Expr::ScalarFunction(call)))
    }
}

/// Joins two texts or byte strings; no value when either is missing.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Concat {
    signature: Signature,
}

impl Concat {
    fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Concat {
    fn name(&self) -> &'static str {
        "||"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        BinaryTypeCoercer::new(&arg_types[0], &Operator::StringConcat, &arg_types[1]).get_result_type()
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        let coercer = BinaryTypeCoercer::new(&arg_types[0], &Operator::StringConcat, &arg_types[1]);
        let (left, right) = coercer.get_input_types()?;
        Ok(vec![left, right])
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        check("||", Growth::Concat, &args.args, args.number_rows)?;
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let joined = concat_elements_dyn(&arrays[0], &arrays[1])?;
        Ok(if constant {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&joined, 0)?)
        } else {
            ColumnarValue::Array(joined)
        })
    }
}
