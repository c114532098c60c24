//! Values of one place on their way into an arrow array.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray, NullBufferBuilder, StructArray};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;

use crate::readers::json::seen::Shape;
use crate::text::infer::Reading;
use crate::text::values::Values;
use crate::write::arrow_type;

/// What holds the values of a place; those of items and fields are held there.
#[derive(Debug)]
pub enum Out {
    /// Values are only counted.
    Off,
    /// Nulls of a place without values.
    Unknown(Values),
    /// Scalars.
    Scalar(Reading, Values),
    /// JSON texts.
    Json(Values),
    /// Lists: where each ends among the items.
    List(Vec<i32>, NullBufferBuilder),
    /// Objects.
    Struct(NullBufferBuilder),
}

impl Out {
    /// Room for values of a shape.
    pub fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Unknown => Self::Unknown(Values::of(Reading::Text)),
            Shape::Scalar(reading) => Self::Scalar(*reading, Values::of(*reading)),
            Shape::Json => Self::Json(Values::of(Reading::Text)),
            Shape::List(_) => Self::List(vec![0], NullBufferBuilder::new(0)),
            Shape::Struct(_) => Self::Struct(NullBufferBuilder::new(0)),
        }
    }

    /// A null of a place without items or fields; for those, its own part of it.
    pub fn push_null(&mut self) {
        match self {
            Self::Off => {}
            Self::Unknown(values) | Self::Scalar(_, values) | Self::Json(values) => values.push_null(),
            Self::List(ends, nulls) => {
                let end = ends.last().copied().unwrap_or(0);
                ends.push(end);
                nulls.append_null();
            }
            Self::Struct(nulls) => nulls.append_null(),
        }
    }

    /// The lists that waited, over their items.
    pub fn finish_list(ends: &mut Vec<i32>, nulls: &mut NullBufferBuilder, items: ArrayRef, item: &Shape) -> Made {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(ends, vec![0])));
        let DataType::List(field) = arrow_type(&Shape::List(Box::new(item.clone())).sql_type()) else {
            return Err(ArrowError::SchemaError("a list has a list's type".to_owned()));
        };
        Ok(Arc::new(ListArray::try_new(field, offsets, items, nulls.finish())?))
    }

    /// The objects that waited, over their fields.
    pub fn finish_struct(nulls: &mut NullBufferBuilder, arrays: Vec<ArrayRef>, shape: &Shape) -> Made {
        let DataType::Struct(fields) = arrow_type(&shape.sql_type()) else {
            return Err(ArrowError::SchemaError("an object has a struct's type".to_owned()));
        };
        let rows = arrays.first().map_or(0, Array::len);
        Ok(Arc::new(StructArray::try_new_with_length(fields, arrays, nulls.finish(), rows)?))
    }
}

/// An array, or why there is none.
pub type Made = Result<ArrayRef, ArrowError>;
