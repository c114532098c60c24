//! Integer arithmetic that refuses a result past its type: DataFusion's own operators wrap around without a word.

use std::sync::Arc;

use datafusion::arrow::compute::kernels::numeric::{add, mul, neg, sub};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use datafusion::physical_expr_common::datum::apply;
use datafusion::scalar::ScalarValue;

/// Puts [`Checked`] in place of the operators on integers, wherever in a plan they stand and before constants are
/// folded.
#[derive(Debug)]
pub(crate) struct CheckedArithmetic;

impl FunctionRewrite for CheckedArithmetic {
    fn name(&self) -> &'static str {
        "checked_arithmetic"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _config: &ConfigOptions) -> Result<Transformed<Expr>> {
        match expr {
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                let checked = Operation::of(op).filter(|_| makes_integers(&left, op, &right, schema));
                Ok(match checked {
                    Some(operation) => Transformed::yes(Checked::call(operation, vec![*left, *right])),
                    None => Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })),
                })
            }
            Expr::Negative(inner) if inner.get_type(schema).is_ok_and(|t| t.is_signed_integer()) => {
                Ok(Transformed::yes(Checked::call(Operation::Negate, vec![*inner])))
            }
            other => Ok(Transformed::no(other)),
        }
    }
}

/// Whether an operator makes integers of its operands; where their types are not known, the planner says so later.
fn makes_integers(left: &Expr, op: Operator, right: &Expr, schema: &DFSchema) -> bool {
    let (Ok(left), Ok(right)) = (left.get_type(schema), right.get_type(schema)) else {
        return false;
    };
    BinaryTypeCoercer::new(&left, &op, &right).get_result_type().is_ok_and(|result| result.is_integer())
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Negate,
}

impl Operation {
    const fn of(operator: Operator) -> Option<Self> {
        match operator {
            Operator::Plus => Some(Self::Add),
            Operator::Minus => Some(Self::Subtract),
            Operator::Multiply => Some(Self::Multiply),
            _ => None,
        }
    }

    const fn operator(self) -> Operator {
        match self {
            Self::Add => Operator::Plus,
            Self::Subtract | Self::Negate => Operator::Minus,
            Self::Multiply => Operator::Multiply,
        }
    }
}

/// An operation on integers as a function.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Checked {
    operation: Operation,
    signature: Signature,
}

impl Checked {
    fn call(operation: Operation, args: Vec<Expr>) -> Expr {
        let signature = Signature::user_defined(Volatility::Immutable);
        let function = Arc::new(ScalarUDF::new_from_impl(Self { operation, signature }));
        Expr::ScalarFunction(ScalarFunction::new_udf(function, args))
    }
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &'static str {
        match self.operation {
            Operation::Add => "+",
            Operation::Subtract | Operation::Negate => "-",
            Operation::Multiply => "*",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        match arg_types {
            [left, right] => BinaryTypeCoercer::new(left, &self.operation.operator(), right).get_result_type(),
            _ => Ok(arg_types[0].clone()),
        }
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        match arg_types {
            [left, right] => {
                let operator = self.operation.operator();
                let coercer = BinaryTypeCoercer::new(left, &operator, right);
                let (left, right) = coercer.get_input_types()?;
                Ok(vec![left, right])
            }
            _ => Ok(arg_types.to_vec()),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match (self.operation, args.args.as_slice()) {
            (Operation::Add, [left, right]) => apply(left, right, add),
            (Operation::Subtract, [left, right]) => apply(left, right, sub),
            (Operation::Multiply, [left, right]) => apply(left, right, mul),
            (_, [ColumnarValue::Array(array)]) => Ok(ColumnarValue::Array(neg(array)?)),
            (_, args) => {
                let array = neg(&args[0].to_array(1)?)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?))
            }
        }
    }
}
