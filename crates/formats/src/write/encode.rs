//! An encoder thread: turns its columns' arrays into column chunks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow::array::ArrayRef;
use arrow::datatypes::SchemaRef;
use crossbeam_channel::{Receiver, Sender};
use domain::Failure;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, compute_leaves};

use crate::convert::ColumnTap;
use crate::fault::bug;

/// What an encoder is told.
pub enum Order {
    /// A row group begins: the writers of the encoder's columns.
    Open(Vec<ColumnWriters>),
    /// The next values of each of its columns.
    Write(Vec<ArrayRef>),
    /// The row group ends.
    Close(usize),
}

/// The writers of one column of the table: one for each leaf, as nested columns have several.
pub struct ColumnWriters {
    /// The column.
    pub column: usize,
    /// The number of its first leaf among all leaves.
    pub first_leaf: usize,
    /// The writers of its leaves.
    pub leaves: Vec<ArrowColumnWriter>,
}

/// A finished leaf of a row group.
pub struct Chunk {
    /// Row group.
    pub group: usize,
    /// Leaf.
    pub leaf: usize,
    /// Its pages.
    pub pages: ArrowColumnChunk,
}

/// What looks at the columns of an encoder.
pub struct Taps {
    /// One for each of its columns, or none at all.
    pub taps: Vec<Box<dyn ColumnTap>>,
    /// Whether the file was ended, not abandoned; settled before the orders end.
    pub whole: Arc<AtomicBool>,
}

/// The state of an encoder thread.
pub struct Encoder {
    index: usize,
    schema: SchemaRef,
    chunks: Sender<Chunk>,
    buffered: Arc<Vec<AtomicUsize>>,
    writers: Vec<ColumnWriters>,
    taps: Taps,
}

impl Encoder {
    /// An encoder that sends finished columns to `chunks` and tells in `buffered[index]` how much it holds.
    pub fn new(
        index: usize,
        schema: SchemaRef,
        chunks: Sender<Chunk>,
        buffered: Arc<Vec<AtomicUsize>>,
        taps: Taps,
    ) -> Self {
        Self { index, schema, chunks, buffered, writers: Vec::new(), taps }
    }

    /// Works until nobody sends orders or nobody takes chunks.
    pub fn run(mut self, orders: &Receiver<Order>) -> Result<(), Failure> {
        for order in orders {
            match order {
                Order::Open(writers) => self.writers = writers,
                Order::Write(arrays) => self.write(&arrays)?,
                Order::Close(group) => {
                    for ColumnWriters { column, first_leaf, leaves } in self.writers.drain(..) {
                        for (i, writer) in leaves.into_iter().enumerate() {
                            let pages = writer.close().map_err(|e| bug(format!("closing column {column}: {e}")))?;
                            if self.chunks.send(Chunk { group, leaf: first_leaf + i, pages }).is_err() {
                                return Ok(());
                            }
                        }
                    }
                    self.buffered[self.index].store(0, Ordering::Relaxed);
                }
            }
        }
        if self.taps.whole.load(Ordering::Acquire) {
            self.taps.taps.into_iter().for_each(ColumnTap::end);
        }
        Ok(())
    }

    fn write(&mut self, arrays: &[ArrayRef]) -> Result<(), Failure> {
        let mut held = 0;
        self.taps.taps.iter_mut().zip(arrays).for_each(|(tap, array)| tap.values(array));
        for (ColumnWriters { column, leaves: writers, .. }, array) in self.writers.iter_mut().zip(arrays) {
            let leaves = compute_leaves(self.schema.field(*column), array)
                .map_err(|e| bug(format!("levels of column {column}: {e}")))?;
            for (leaf, writer) in leaves.iter().zip(writers) {
                writer.write(leaf).map_err(|e| bug(format!("encoding column {column}: {e}")))?;
                held += writer.memory_size();
            }
        }
        self.buffered[self.index].store(held, Ordering::Relaxed);
        Ok(())
    }
}
