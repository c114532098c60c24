//! A page of a table in file order, read without the row groups before it.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::error::{DataFusionError, Result as PlanResult};
use datafusion::parquet::arrow::ParquetRecordBatchStreamBuilder;
use datafusion::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::errors::{ParquetError, Result as ParquetResult};
use datafusion::parquet::file::metadata::ParquetMetaData;
use domain::limits;
use domain::ports::sql::{SqlError, SqlRows};
use domain::table::PublishedTable;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, TryFutureExt};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};

use crate::catalog;
use crate::execute::Rows;
use crate::problem;
use crate::runtime::Core;
use crate::value;

/// Rows `offset..offset + limit` of a table's file. `truncated` says that the page was cut short by its bytes.
pub(crate) async fn page(core: &Core, table: &PublishedTable, offset: u64, limit: usize) -> Result<SqlRows, SqlError> {
    let rows = read(core, table, offset, limit).await.map_err(|e| problem::sql_error(&e, str::to_owned))??;
    Ok(SqlRows { columns: table.schema.columns.clone(), rows: rows.cells, truncated: rows.truncated })
}

async fn read(core: &Core, table: &PublishedTable, offset: u64, limit: usize) -> PlanResult<Result<Rows, SqlError>> {
    let mut rows = Rows::new(limit);
    let file = catalog::object(table);
    let metadata = catalog::metadata(core, &file).await?;
    let Some((groups, skip)) = row_groups(&metadata, offset, limit) else { return Ok(Ok(rows)) };
    let reader = ObjectReader { store: core.store.clone(), location: file.location, metadata: metadata.clone() };
    let builder = ParquetRecordBatchStreamBuilder::new_with_metadata(
        reader,
        ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new())?,
    );
    let mut stream = builder
        .with_row_groups(groups)
        .with_offset(skip)
        .with_limit(limit)
        .with_batch_size(limit.clamp(1, limits::BATCH_ROWS))
        .build()?;
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        let columns = table.schema.columns.iter().map(|column| match batch.column_by_name(&column.name) {
            Some(array) => Ok(value::plain(array)?),
            None => Err(DataFusionError::External(
                format!("the file of table \"{}\" has no column \"{}\"", table.name, column.name).into(),
            )),
        });
        match rows.add(&columns.collect::<PlanResult<Vec<_>>>()?) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(rows))
}

/// The row groups that hold a page, and how many rows of the first lie before it.
fn row_groups(metadata: &ParquetMetaData, offset: u64, limit: usize) -> Option<(Vec<usize>, usize)> {
    let end = offset.saturating_add(limit as u64);
    let mut first_row = 0_u64;
    let mut groups = Vec::new();
    let mut skip = 0;
    for (i, group) in metadata.row_groups().iter().enumerate() {
        let next = first_row + group.num_rows().unsigned_abs();
        if next > offset && first_row < end {
            if groups.is_empty() {
                skip = (offset - first_row) as usize;
            }
            groups.push(i);
        }
        first_row = next;
    }
    (!groups.is_empty()).then_some((groups, skip))
}

/// Reads ranges of one object whose footer is known.
struct ObjectReader {
    store: Arc<dyn ObjectStore>,
    location: Path,
    metadata: Arc<ParquetMetaData>,
}

impl AsyncFileReader for ObjectReader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        async move { self.store.get_range(&self.location, range).await }
            .map_err(|error| ParquetError::External(Box::new(error)))
            .boxed()
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        async move { self.store.get_ranges(&self.location, &ranges).await }
            .map_err(|error| ParquetError::External(Box::new(error)))
            .boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        _options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        let metadata = self.metadata.clone();
        async move { Ok(metadata) }.boxed()
    }
}
