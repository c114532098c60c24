//! `sum` of integers, added up in 128 bits and refused where the sum is past 64: DataFusion's own wraps around.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, BooleanArray};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, Decimal128Type, FieldRef};
use datafusion::error::{DataFusionError, Result};
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, EmitTo, GroupsAccumulator, ReversedUDAF, SetMonotonicity, Signature,
};
use datafusion::scalar::ScalarValue;

/// Holds the sum of as many 64-bit integers as there can be rows.
const WIDE: DataType = DataType::Decimal128(DIGITS, 0);
/// Digits of [`WIDE`].
const DIGITS: u8 = 38;

/// `sum` whose integer results are right or refused; of everything else, DataFusion's.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CheckedSum {
    inner: Sum,
}

/// The same arguments for a sum of wide decimals.
fn widened<'a>(args: &AccumulatorArgs<'a>) -> AccumulatorArgs<'a> {
    let field = args.return_field.as_ref().clone().with_data_type(WIDE);
    AccumulatorArgs { return_field: Arc::new(field), ..args.clone() }
}

impl AggregateUDFImpl for CheckedSum {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arg_types)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let result = args.return_type().clone();
        if !result.is_integer() {
            return self.inner.accumulator(args);
        }
        Ok(Box::new(Wide { inner: self.inner.accumulator(widened(&args))?, result }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        if !args.return_type().is_integer() {
            return self.inner.state_fields(args);
        }
        let field = args.return_field.as_ref().clone().with_data_type(WIDE);
        self.inner.state_fields(StateFieldsArgs { return_field: Arc::new(field), ..args })
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        let result = args.return_type().clone();
        if !result.is_integer() {
            return self.inner.create_groups_accumulator(args);
        }
        Ok(Box::new(WideGroups { inner: self.inner.create_groups_accumulator(widened(&args))?, result }))
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let result = args.return_type().clone();
        if !result.is_integer() {
            return self.inner.create_sliding_accumulator(args);
        }
        let inner: Box<dyn Accumulator> = if args.is_distinct {
            // DataFusion knows this one only in 64 bits, where it wraps around.
            Box::<SlidingDistinct>::default()
        } else {
            self.inner.create_sliding_accumulator(widened(&args))?
        };
        Ok(Box::new(Wide { inner, result }))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.inner.order_sensitivity()
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.inner.reverse_expr()
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.inner.set_monotonicity(data_type)
    }

    // Neither `value_from_stats` nor `simplify_expr_op_literal` is passed on: both compute in 64 bits.
}

fn wide(values: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
    values.iter().map(|array| cast(array, &WIDE)).collect()
}

fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    Ok(cast_with_options(array, to, &CastOptions { safe: false, ..CastOptions::default() })?)
}

/// A sum in 64 bits; fails where one does not fit.
fn narrow(sums: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    cast(sums, to).map_err(|_| {
        DataFusionError::Execution(
            "a sum is too large for a 64-bit integer; write sum(cast(… as DECIMAL(38,0))) or sum(cast(… as DOUBLE))"
                .to_owned(),
        )
    })
}

/// One sum.
#[derive(Debug)]
struct Wide {
    inner: Box<dyn Accumulator>,
    result: DataType,
}

impl Accumulator for Wide {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.update_batch(&wide(values)?)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = self.inner.evaluate()?.to_array()?;
        ScalarValue::try_from_array(&narrow(&sum, &self.result)?, 0)
    }

    fn size(&self) -> usize {
        self.inner.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.inner.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.inner.merge_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.inner.retract_batch(&wide(values)?)
    }

    fn supports_retract_batch(&self) -> bool {
        self.inner.supports_retract_batch()
    }
}

/// The sum of the different wide values in a frame that moves.
#[derive(Debug, Default)]
struct SlidingDistinct {
    /// How many rows of the frame hold each value.
    rows: HashMap<i128, u64>,
    sum: i128,
}

impl Accumulator for SlidingDistinct {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in values[0].as_primitive::<Decimal128Type>().iter().flatten() {
            let rows = self.rows.entry(value).or_insert(0);
            if *rows == 0 {
                self.sum += value;
            }
            *rows += 1;
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = (!self.rows.is_empty()).then_some(self.sum);
        Ok(ScalarValue::Decimal128(sum, DIGITS, 0))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.rows.capacity() * size_of::<(i128, u64)>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let values: Vec<ScalarValue> =
            self.rows.keys().map(|value| ScalarValue::Decimal128(Some(*value), DIGITS, 0)).collect();
        Ok(vec![ScalarValue::List(ScalarValue::new_list_nullable(&values, &WIDE))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        states[0].as_list::<i32>().iter().flatten().try_for_each(|values| self.update_batch(&[values]))
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in values[0].as_primitive::<Decimal128Type>().iter().flatten() {
            if let Entry::Occupied(mut rows) = self.rows.entry(value) {
                *rows.get_mut() -= 1;
                if *rows.get() == 0 {
                    rows.remove();
                    self.sum -= value;
                }
            }
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }
}

/// A sum per group.
struct WideGroups {
    inner: Box<dyn GroupsAccumulator>,
    result: DataType,
}

impl GroupsAccumulator for WideGroups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        opt_filter: Option<&BooleanArray>,
        total_num_groups: usize,
    ) -> Result<()> {
        self.inner.update_batch(&wide(values)?, group_indices, opt_filter, total_num_groups)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        narrow(&self.inner.evaluate(emit_to)?, &self.result)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        self.inner.state(emit_to)
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], total_num_groups: usize) -> Result<()> {
        self.inner.merge_batch(values, group_indices, total_num_groups)
    }

    fn convert_to_state(&self, values: &[ArrayRef], opt_filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        self.inner.convert_to_state(&wide(values)?, opt_filter)
    }

    fn size(&self) -> usize {
        self.inner.size()
    }
}
