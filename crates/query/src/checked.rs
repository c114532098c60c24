//! Integer arithmetic that refuses a result past its type: DataFusion's own operators wrap around without a word.

use std::sync::Arc;

use datafusion::arrow::compute::kernels::numeric::{add, mul, neg, sub};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::arrow::error::ArrowError;
use datafusion::common::DFSchema;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable, Operator, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility, cast,
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
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Minus, right })
                if is_date(&left, schema) && is_date(&right, schema) =>
            {
                Ok(Transformed::yes(Checked::call(Operation::Subtract, vec![day_number(*left), day_number(*right)])))
            }
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                let checked = Operation::of(op).filter(|_| takes_integers(&left, op, &right, schema));
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

fn is_date(expr: &Expr, schema: &DFSchema) -> bool {
    expr.get_type(schema).is_ok_and(|found| found == DataType::Date32)
}

/// A date as days since 1970-01-01. DataFusion subtracts dates as durations and calls the difference an integer: its
/// analysis of filters compares one with the other and fails.
fn day_number(date: Expr) -> Expr {
    cast(cast(date, DataType::Int32), DataType::Int64)
}

/// Whether an operator computes with integers. Its result does not tell: the days between two dates are an integer,
/// too. Where the types are not known, the planner says so later.
fn takes_integers(left: &Expr, op: Operator, right: &Expr, schema: &DFSchema) -> bool {
    let (Ok(left), Ok(right)) = (left.get_type(schema), right.get_type(schema)) else {
        return false;
    };
    let operands = BinaryTypeCoercer::new(&left, &op, &right).get_input_types();
    operands.is_ok_and(|(left, right)| left.is_integer() && right.is_integer())
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

    fn compute(&self, operands: &[ColumnarValue]) -> Result<ColumnarValue> {
        match (self.operation, operands) {
            (Operation::Add, [left, right]) => apply(left, right, add),
            (Operation::Subtract, [left, right]) => apply(left, right, sub),
            (Operation::Multiply, [left, right]) => apply(left, right, mul),
            (_, [ColumnarValue::Array(array)]) => Ok(ColumnarValue::Array(neg(array)?)),
            (_, operands) => {
                let array = neg(&operands[0].to_array(1)?)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?))
            }
        }
    }
}

/// Whether the kernel met a result past its type.
fn is_overflow(error: &DataFusionError) -> bool {
    match error.find_root() {
        DataFusionError::ArrowError(arrow, _) => matches!(**arrow, ArrowError::ArithmeticOverflow(_)),
        _ => false,
    }
}

/// The problem of a result past its type. The kernel's own words quote the operands, which may be cells.
fn overflow(operator: &str, result: &DataType) -> DataFusionError {
    let sign = if result.is_unsigned_integer() { "an unsigned" } else { "a signed" };
    let bits = result.primitive_width().map_or(64, |bytes| bytes * 8);
    DataFusionError::Execution(format!(
        "a result of {operator} is past {sign} {bits}-bit integer; cast an operand to DECIMAL(38,0) or DOUBLE first"
    ))
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

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let arg_types: Vec<DataType> = args.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        let nullable = args.arg_fields.iter().any(|field| field.is_nullable());
        Ok(Arc::new(Field::new(self.name(), self.return_type(&arg_types)?, nullable)))
    }

    fn is_strict(&self) -> bool {
        // Like the operators: it is how the optimizer sees that a filter needs no more than an inner join.
        true
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
        match self.compute(&args.args) {
            Err(error) if is_overflow(&error) => Err(overflow(self.name(), args.return_field.data_type())),
            computed => computed,
        }
    }
}
