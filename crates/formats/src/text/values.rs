//! Values of a column on their way into an arrow array: flat buffers, no allocation per cell.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, NullBufferBuilder, StringArray,
    Time64MicrosecondArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow::error::ArrowError;
use domain::SqlType;

use crate::text::infer::Reading;

/// Values of a fixed width.
#[derive(Debug)]
pub struct Fixed<T> {
    values: Vec<T>,
    nulls: NullBufferBuilder,
}

impl<T: Copy + Default> Fixed<T> {
    fn new() -> Self {
        Self { values: Vec::new(), nulls: NullBufferBuilder::new(0) }
    }

    #[inline]
    pub fn push(&mut self, value: T) {
        self.values.push(value);
        self.nulls.append_non_null();
    }

    #[inline]
    pub fn push_null(&mut self) {
        self.values.push(T::default());
        self.nulls.append_null();
    }

    /// Values from an index on; nulls are the default value.
    pub fn since(&self, index: usize) -> &[T] {
        &self.values[index..]
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }
}

/// Texts.
#[derive(Debug)]
pub struct Texts {
    bytes: Vec<u8>,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl Texts {
    fn new() -> Self {
        Self { bytes: Vec::new(), offsets: vec![0], nulls: NullBufferBuilder::new(0) }
    }

    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.offsets.push(self.bytes.len() as i32);
        self.nulls.append_non_null();
    }

    /// Appends what `write` writes as one value.
    pub fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> &[u8] {
        let start = self.bytes.len();
        write(&mut self.bytes);
        self.offsets.push(self.bytes.len() as i32);
        self.nulls.append_non_null();
        &self.bytes[start..]
    }

    #[inline]
    pub fn push_null(&mut self) {
        self.offsets.push(self.bytes.len() as i32);
        self.nulls.append_null();
    }
}

/// Values of one column.
#[derive(Debug)]
pub enum Values {
    Text(Texts),
    Boolean(Fixed<bool>),
    BigInt(Fixed<i64>),
    UBigInt(Fixed<u64>),
    Double(Fixed<f64>),
    Decimal(Fixed<i128>),
    Date(Fixed<i32>),
    Time(Fixed<i64>),
    Stamp(Fixed<i64>),
}

impl Values {
    /// No values yet, of the type of a reading.
    pub fn of(reading: Reading) -> Self {
        match reading {
            Reading::Text => Self::Text(Texts::new()),
            Reading::Boolean => Self::Boolean(Fixed::new()),
            Reading::BigInt(_) => Self::BigInt(Fixed::new()),
            Reading::UBigInt(_) => Self::UBigInt(Fixed::new()),
            Reading::Double(_) => Self::Double(Fixed::new()),
            Reading::Decimal { .. } => Self::Decimal(Fixed::new()),
            Reading::Date(_) => Self::Date(Fixed::new()),
            Reading::Time => Self::Time(Fixed::new()),
            Reading::Stamp { .. } => Self::Stamp(Fixed::new()),
        }
    }

    /// Appends a null.
    pub fn push_null(&mut self) {
        match self {
            Self::Text(texts) => texts.push_null(),
            Self::Boolean(fixed) => fixed.push_null(),
            Self::Date(fixed) => fixed.push_null(),
            Self::BigInt(fixed) | Self::Time(fixed) | Self::Stamp(fixed) => fixed.push_null(),
            Self::UBigInt(fixed) => fixed.push_null(),
            Self::Double(fixed) => fixed.push_null(),
            Self::Decimal(fixed) => fixed.push_null(),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Text(texts) => texts.bytes.len() + 4 * texts.offsets.len(),
            Self::Boolean(fixed) => fixed.len(),
            Self::Date(fixed) => 4 * fixed.len(),
            Self::BigInt(fixed) | Self::Time(fixed) | Self::Stamp(fixed) => 8 * fixed.len(),
            Self::UBigInt(fixed) => 8 * fixed.len(),
            Self::Double(fixed) => 8 * fixed.len(),
            Self::Decimal(fixed) => 16 * fixed.len(),
        }
    }

    /// Forgets the values, keeping the room.
    pub fn clear(&mut self) {
        match self {
            Self::Text(texts) => {
                texts.bytes.clear();
                texts.offsets.truncate(1);
                texts.nulls = NullBufferBuilder::new(0);
            }
            Self::Boolean(fixed) => clear(fixed),
            Self::Date(fixed) => clear(fixed),
            Self::BigInt(fixed) | Self::Time(fixed) | Self::Stamp(fixed) => clear(fixed),
            Self::UBigInt(fixed) => clear(fixed),
            Self::Double(fixed) => clear(fixed),
            Self::Decimal(fixed) => clear(fixed),
        }
    }

    /// The values as an array; none are left here.
    pub fn finish(&mut self, sql_type: &SqlType) -> Result<ArrayRef, ArrowError> {
        let array: ArrayRef = match self {
            Self::Text(texts) => {
                let bytes = Buffer::from_vec(refill(&mut texts.bytes));
                let offsets = refill(&mut texts.offsets);
                texts.offsets.push(0);
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
                // Checks that the bytes are UTF-8, once for all of them.
                Arc::new(StringArray::try_new(offsets, bytes, texts.nulls.finish())?)
            }
            Self::Boolean(fixed) => {
                let nulls = fixed.nulls.finish();
                Arc::new(BooleanArray::new(refill(&mut fixed.values).into(), nulls))
            }
            Self::BigInt(fixed) => {
                let (values, nulls) = take(fixed);
                Arc::new(Int64Array::try_new(values, nulls)?)
            }
            Self::UBigInt(fixed) => {
                let (values, nulls) = take(fixed);
                Arc::new(UInt64Array::try_new(values, nulls)?)
            }
            Self::Double(fixed) => {
                let (values, nulls) = take(fixed);
                Arc::new(Float64Array::try_new(values, nulls)?)
            }
            Self::Decimal(fixed) => {
                let (values, nulls) = take(fixed);
                let SqlType::Decimal(precision, scale) = *sql_type else {
                    return Err(ArrowError::SchemaError("decimals need a decimal type".to_owned()));
                };
                let array = Decimal128Array::try_new(values, nulls)?;
                Arc::new(array.with_precision_and_scale(precision, scale.cast_signed())?)
            }
            Self::Date(fixed) => {
                let (values, nulls) = take(fixed);
                Arc::new(Date32Array::try_new(values, nulls)?)
            }
            Self::Time(fixed) => {
                let (values, nulls) = take(fixed);
                Arc::new(Time64MicrosecondArray::try_new(values, nulls)?)
            }
            Self::Stamp(fixed) => {
                let (values, nulls) = take(fixed);
                let array = TimestampMicrosecondArray::try_new(values, nulls)?;
                Arc::new(array.with_timezone_opt((*sql_type == SqlType::TimestampTz).then_some("UTC")))
            }
        };
        Ok(array)
    }
}

fn clear<T>(fixed: &mut Fixed<T>) {
    fixed.values.clear();
    fixed.nulls = NullBufferBuilder::new(0);
}

fn take<T: arrow::datatypes::ArrowNativeType>(
    fixed: &mut Fixed<T>,
) -> (ScalarBuffer<T>, Option<arrow::buffer::NullBuffer>) {
    (ScalarBuffer::from(refill(&mut fixed.values)), fixed.nulls.finish())
}

/// Takes a vector and leaves one with as much room, so that the next batch does not grow it step by step.
fn refill<T>(values: &mut Vec<T>) -> Vec<T> {
    let room = values.len();
    std::mem::replace(values, Vec::with_capacity(room))
}
