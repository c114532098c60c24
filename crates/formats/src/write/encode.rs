//! An encoder thread: turns its columns' arrays into column chunks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::ArrayRef;
use arrow::datatypes::SchemaRef;
use crossbeam_channel::{Receiver, Sender};
use domain::Failure;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, compute_leaves};

use crate::fault::bug;

/// What an encoder is told.
pub enum Order {
    /// A row group begins: the writers of the encoder's columns, by column.
    Open(Vec<(usize, ArrowColumnWriter)>),
    /// The next values of each of its columns.
    Write(Vec<ArrayRef>),
    /// The row group ends.
    Close(usize),
}

/// A finished column of a row group.
pub struct Chunk {
    /// Row group.
    pub group: usize,
    /// Column.
    pub column: usize,
    /// Its pages.
    pub pages: ArrowColumnChunk,
}

/// The state of an encoder thread.
pub struct Encoder {
    index: usize,
    schema: SchemaRef,
    chunks: Sender<Chunk>,
    buffered: Arc<Vec<AtomicUsize>>,
    writers: Vec<(usize, ArrowColumnWriter)>,
}

impl Encoder {
    /// An encoder that sends finished columns to `chunks` and tells in `buffered[index]` how much it holds.
    pub fn new(index: usize, schema: SchemaRef, chunks: Sender<Chunk>, buffered: Arc<Vec<AtomicUsize>>) -> Self {
        Self { index, schema, chunks, buffered, writers: Vec::new() }
    }

    /// Works until nobody sends orders or nobody takes chunks.
    pub fn run(mut self, orders: &Receiver<Order>) -> Result<(), Failure> {
        for order in orders {
            match order {
                Order::Open(writers) => self.writers = writers,
                Order::Write(arrays) => self.write(&arrays)?,
                Order::Close(group) => {
                    for (column, writer) in self.writers.drain(..) {
                        let pages = writer.close().map_err(|e| bug(format!("closing column {column}: {e}")))?;
                        if self.chunks.send(Chunk { group, column, pages }).is_err() {
                            return Ok(());
                        }
                    }
                    self.buffered[self.index].store(0, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, arrays: &[ArrayRef]) -> Result<(), Failure> {
        let mut held = 0;
        for ((column, writer), array) in self.writers.iter_mut().zip(arrays) {
            let leaves = compute_leaves(self.schema.field(*column), array)
                .map_err(|e| bug(format!("levels of column {column}: {e}")))?;
            for leaf in leaves {
                writer.write(&leaf).map_err(|e| bug(format!("encoding column {column}: {e}")))?;
            }
            held += writer.memory_size();
        }
        self.buffered[self.index].store(held, Ordering::Relaxed);
        Ok(())
    }
}
