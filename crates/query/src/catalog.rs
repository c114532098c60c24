//! The catalogue of one statement: exactly the tables it names among those handed over, each one Parquet object.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, MemoryCatalogProvider, MemoryCatalogProviderList, MemorySchemaProvider,
    SchemaProvider, Session,
};
use datafusion::common::{Column, Statistics, TableReference};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::CachedParquetFileReaderFactory;
use datafusion::datasource::physical_plan::parquet::metadata::DFParquetMetadata;
use datafusion::datasource::physical_plan::{FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::{TableProvider, TableType, ViewTable, provider_as_source};
use datafusion::error::Result;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, TableProviderFilterPushDown};
use datafusion::parquet::arrow::parquet_to_arrow_schema;
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion::physical_plan::ExecutionPlan;
use domain::ports::sql::SqlRequest;
use domain::table::PublishedTable;
use object_store::ObjectMeta;
use object_store::path::Path;

use crate::names::Fold;
use crate::runtime::Core;
use crate::sql_type;

/// Name of the only catalogue.
pub(crate) const CATALOG: &str = "flyquery";
/// Name of the schema that unqualified names are looked up in.
pub(crate) const SCHEMA: &str = "main";

/// The Parquet object of a table, as the store would describe it. Objects never change, so neither does this.
pub(crate) fn object(table: &PublishedTable) -> ObjectMeta {
    ObjectMeta {
        location: Path::from(table.object_key.as_str()),
        last_modified: chrono::DateTime::UNIX_EPOCH,
        size: table.byte_size,
        e_tag: None,
        version: None,
    }
}

/// Opens the tables named in `relations` (folded) and hangs them into a catalogue of their own, under their folded
/// names, with and without the dataset's name before them.
pub(crate) async fn catalog(
    core: &Core,
    request: &SqlRequest,
    fold: &Fold,
    relations: &[String],
) -> Result<Arc<dyn CatalogProviderList>> {
    let schema = Arc::new(MemorySchemaProvider::new());
    for table in &request.tables {
        let name = fold.word(&table.name);
        if relations.contains(&name) && !schema.table_exist(&name) {
            schema.register_table(name, open(core, table, fold).await?)?;
        }
    }
    let catalog = MemoryCatalogProvider::new();
    if let Some(dataset) = &request.dataset {
        catalog.register_schema(&fold.word(dataset), schema.clone())?;
    }
    catalog.register_schema(SCHEMA, schema)?;
    let list = MemoryCatalogProviderList::new();
    list.register_catalog(CATALOG.to_owned(), Arc::new(catalog));
    Ok(Arc::new(list))
}

/// The footer of a Parquet object with its page index where there is one, from the cache after the first time.
pub(crate) async fn metadata(core: &Core, file: &ObjectMeta) -> Result<Arc<ParquetMetaData>> {
    let cache = core.env.cache_manager.get_file_metadata_cache();
    DFParquetMetadata::new(&*core.store, file).with_file_metadata_cache(Some(cache)).fetch_metadata().await
}

/// A table with folded column names.
async fn open(core: &Core, table: &PublishedTable, fold: &Fold) -> Result<Arc<dyn TableProvider>> {
    let file = object(table);
    let metadata = metadata(core, &file).await?;
    let parquet = metadata.file_metadata();
    let written = parquet_to_arrow_schema(parquet.schema_descr(), parquet.key_value_metadata())?;
    let schema = Arc::new(sql_type::table_schema(&written, &table.schema.columns));
    let statistics = DFParquetMetadata::statistics_from_parquet_metadata(&metadata, &schema)?;
    let snapshot = Arc::new(Snapshot { schema: schema.clone(), file, statistics, core_store: core.url.clone() });

    let folded: Vec<String> = schema.fields().iter().map(|field| fold.word(field.name())).collect();
    if folded.iter().zip(schema.fields()).all(|(folded, field)| folded == field.name()) {
        return Ok(snapshot);
    }
    // Other spellings: a projection over the snapshot, through which the optimizer pushes whatever it can.
    let qualifier = TableReference::bare(table.name.as_str());
    let columns = schema.fields().iter().zip(folded).map(|(field, folded)| {
        // Qualified, because an alias and a column of one name confuse the optimizer.
        let column = Expr::Column(Column::new(Some(qualifier.clone()), field.name()));
        if folded == *field.name() { column } else { column.alias_qualified(Some(qualifier.clone()), folded) }
    });
    let plan = LogicalPlanBuilder::scan(qualifier.clone(), provider_as_source(snapshot), None)?
        .project(columns.collect::<Vec<_>>())?
        .build()?;
    Ok(Arc::new(ViewTable::new(plan, None)))
}

/// One published snapshot.
#[derive(Debug)]
struct Snapshot {
    schema: SchemaRef,
    file: ObjectMeta,
    statistics: Statistics,
    core_store: ObjectStoreUrl,
}

#[async_trait]
impl TableProvider for Snapshot {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn statistics(&self) -> Option<Statistics> {
        Some(self.statistics.clone())
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        // The filter stays in the plan and is handed to the scan later, to skip row groups and pages with.
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let env = state.runtime_env();
        let readers = CachedParquetFileReaderFactory::new(
            env.object_store(&self.core_store)?,
            env.cache_manager.get_file_metadata_cache(),
        );
        let source = ParquetSource::new(self.schema.clone())
            .with_table_parquet_options(state.table_options().parquet.clone())
            .with_parquet_file_reader_factory(Arc::new(readers));
        let scan = FileScanConfigBuilder::new(self.core_store.clone(), Arc::new(source))
            .with_file(PartitionedFile::new_from_meta(self.file.clone()))
            .with_statistics(self.statistics.clone())
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(scan))
    }
}
