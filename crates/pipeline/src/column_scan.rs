//! Reading a section's Parquet file back, column by column, on blocking threads in bounded memory.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, FieldRef, Schema};
use domain::Column;
use futures::StreamExt;
use object_store::path::Path;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, RowSelection, RowSelector};
use parquet::arrow::async_reader::ParquetRecordBatchStreamBuilder;
use parquet::errors::ParquetError;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::checkpoint::Section;
use crate::context::Context;
use crate::failure::{Stop, defect, store_failure};
use crate::stored_parquet::StoredParquet;

/// Rows per batch: large enough to amortise decoding, small enough to notice a cancel soon.
const BATCH: usize = 16_384;

/// Which rows a pass reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// All of them.
    All,
    /// `runs` runs of `length` rows, spread evenly from the first row to the last.
    Spread {
        /// Number of runs.
        runs: u64,
        /// Rows in each.
        length: u64,
    },
}

/// Something that takes the batches of one column.
pub trait Visitor: Send + 'static {
    /// Takes the next batch.
    fn visit(&mut self, array: &ArrayRef);
}

/// Runs one visitor over each of the columns at the given positions; gives the visitors back in that order.
pub async fn over_columns<V: Visitor>(
    ctx: &Context,
    section: &Section,
    columns: Vec<usize>,
    rows: Rows,
    make: impl Fn(&Column) -> V,
) -> Result<Vec<V>, Stop> {
    let pass = Arc::new(Pass::open(ctx, section, rows).await?);
    let mut todo: Vec<(usize, usize, V)> = columns
        .into_iter()
        .enumerate()
        .map(|(slot, column)| (slot, column, make(&section.schema.columns[column])))
        .collect();
    // The largest first, so that no thread is left alone with a large one at the end.
    let sizes = pass.sizes();
    todo.sort_by_key(|(_, column, _)| Reverse(sizes.get(*column).copied()));
    let todo = VecDeque::from(todo);
    let total = todo.len();
    let queue = Arc::new(Mutex::new(todo));
    let mut threads = JoinSet::new();
    for _ in 0..ctx.settings.threads.clamp(1, total.max(1)) {
        let (pass, queue) = (Arc::clone(&pass), Arc::clone(&queue));
        threads.spawn_blocking(move || pass.drain(&queue));
    }
    let mut done: Vec<Option<V>> = std::iter::repeat_with(|| None).take(total).collect();
    while let Some(joined) = threads.join_next().await {
        let finished = joined.map_err(|e| defect(format!("A reading thread ended early: {e}.")))??;
        for (slot, visitor) in finished {
            done[slot] = Some(visitor);
        }
    }
    Ok(done.into_iter().map(|v| v.expect("every queued column was drained by some thread")).collect())
}

struct Pass {
    ctx: Context,
    file: StoredParquet,
    metadata: ArrowReaderMetadata,
    selection: Option<RowSelection>,
    handle: Handle,
}

impl Pass {
    async fn open(ctx: &Context, section: &Section, rows: Rows) -> Result<Self, Stop> {
        let path = Path::from(section.object_key.as_str());
        let mut file = StoredParquet::new(Arc::clone(&ctx.ports.store), path, section.parquet_bytes);
        let metadata = ArrowReaderMetadata::load_async(&mut file, ArrowReaderOptions::new())
            .await
            .and_then(|metadata| texts_as_views(&metadata))
            .map_err(|e| parquet_stop(&e))?;
        let selection = match rows {
            Rows::All => None,
            Rows::Spread { runs, length } => spread(section.rows, runs, length),
        };
        Ok(Self { ctx: ctx.clone(), file, metadata, selection, handle: Handle::current() })
    }

    /// Bytes of each column once inflated.
    fn sizes(&self) -> Vec<i64> {
        let schema = self.metadata.parquet_schema();
        let mut sizes = vec![0; schema.root_schema().get_fields().len()];
        for group in self.metadata.metadata().row_groups() {
            for (leaf, chunk) in group.columns().iter().enumerate() {
                sizes[schema.get_column_root_idx(leaf)] += chunk.uncompressed_size();
            }
        }
        sizes
    }

    fn drain<V: Visitor>(&self, queue: &Mutex<VecDeque<(usize, usize, V)>>) -> Result<Vec<(usize, V)>, Stop> {
        let mut finished = Vec::new();
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some((slot, column, mut visitor)) = next else { return Ok(finished) };
            self.handle.block_on(self.read(column, &mut visitor))?;
            finished.push((slot, visitor));
        }
    }

    async fn read<V: Visitor>(&self, column: usize, visitor: &mut V) -> Result<(), Stop> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), [column]);
        let mut builder = ParquetRecordBatchStreamBuilder::new_with_metadata(self.file.clone(), self.metadata.clone())
            .with_projection(mask)
            .with_batch_size(BATCH);
        if let Some(selection) = &self.selection {
            builder = builder.with_row_selection(selection.clone());
        }
        let mut stream = builder.build().map_err(|e| parquet_stop(&e))?;
        while let Some(batch) = stream.next().await {
            self.ctx.check_halt()?;
            visitor.visit(batch.map_err(|e| parquet_stop(&e))?.column(0));
        }
        Ok(())
    }
}

/// Reads texts as views into the decoded pages, which spares copying each.
fn texts_as_views(metadata: &ArrowReaderMetadata) -> Result<ArrowReaderMetadata, ParquetError> {
    let view = |field: &FieldRef| {
        if *field.data_type() == DataType::Utf8 {
            Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View))
        } else {
            Arc::clone(field)
        }
    };
    let fields: Vec<FieldRef> = metadata.schema().fields().iter().map(view).collect();
    let schema = Schema::new(fields).with_metadata(metadata.schema().metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)
}

/// Evenly spread runs; `None` when they would cover everything anyway.
fn spread(total: u64, runs: u64, length: u64) -> Option<RowSelection> {
    if runs == 0 || total <= runs.saturating_mul(length) {
        return None;
    }
    let mut selectors = Vec::with_capacity(2 * runs as usize);
    let mut at = 0;
    for run in 0..runs {
        let start = if runs == 1 { 0 } else { run * (total - length) / (runs - 1) };
        if start > at {
            selectors.push(RowSelector::skip((start - at) as usize));
        }
        selectors.push(RowSelector::select(length as usize));
        at = start.max(at) + length;
    }
    Some(RowSelection::from(selectors))
}

fn parquet_stop(error: &ParquetError) -> Stop {
    let ParquetError::External(source) = error else {
        return Stop::Failed(defect(format!("A Parquet file of ours can't be read back: {error}.")));
    };
    match source.downcast_ref::<object_store::Error>() {
        Some(store) => Stop::Failed(store_failure(store)),
        None => Stop::Failed(defect(format!("A Parquet file of ours can't be read back: {error}."))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_spread_from_the_first_row_to_the_last() {
        let selection = spread(1_000, 4, 10).expect("a part of the rows");
        assert_eq!(selection.row_count(), 40);
        let selectors: Vec<RowSelector> = selection.into();
        assert!(!selectors[0].skip, "starts with the first row");
        let covered: usize = selectors.iter().map(|s| s.row_count).sum();
        assert_eq!(covered, 1_000, "ends with the last row");
    }

    #[test]
    fn a_small_table_is_read_whole() {
        assert!(spread(40, 4, 10).is_none());
        assert!(spread(0, 4, 10).is_none());
    }
}
