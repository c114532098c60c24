//! What all statements share: the store, memory, spill, caches and the session they start from.

use std::io;
use std::path::Path;
use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::CacheManagerConfig;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::object_store::{ObjectStoreRegistry, ObjectStoreUrl};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use domain::limits;
use object_store::ObjectStore;
use url::Url;

use crate::engine::QuerySettings;
use crate::{catalog, functions};

/// The private scheme under which plans name the store. It leads nowhere else.
const STORE: &str = "flyquery://store/";
/// Folders that DataFusion makes for spilled data start like this.
const SPILL_FOLDER: &str = "datafusion-";
/// Part of a statement's memory that its sorts together keep back for merging what they spilled.
const MERGE_PART: usize = 3;
/// Most that one sort needs to keep back.
const MERGE_BYTES: usize = 32 << 20;

/// What all statements share.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) url: ObjectStoreUrl,
    pub(crate) env: Arc<RuntimeEnv>,
    pub(crate) session: SessionState,
    share: usize,
}

impl Core {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, settings: &QuerySettings) -> io::Result<Self> {
        std::fs::create_dir_all(&settings.spill_dir)?;
        clean_spill(&settings.spill_dir)?;
        Self::build(store, settings).map_err(io::Error::other)
    }

    fn build(store: Arc<dyn ObjectStore>, settings: &QuerySettings) -> Result<Self> {
        let share = settings.memory_bytes / limits::SQL_CONCURRENT;
        let spill = DiskManagerBuilder::default()
            .with_mode(DiskManagerMode::Directories(vec![settings.spill_dir.clone()]))
            .with_max_temp_directory_size(limits::SQL_SPILL_BYTES);
        let env = RuntimeEnvBuilder::new()
            .with_disk_manager_builder(spill)
            .with_cache_manager(CacheManagerConfig::default())
            .with_metadata_cache_limit(limits::SQL_METADATA_CACHE_BYTES)
            .with_object_store_registry(Arc::new(OneStore(store.clone())))
            .build_arc()?;
        let mut session = SessionStateBuilder::new()
            .with_config(config(settings.threads, share))
            .with_runtime_env(env.clone())
            .with_default_features()
            // Nothing can make a table out of a file, and nothing can be written.
            .with_table_factories(std::collections::HashMap::new())
            .with_file_formats(Vec::new())
            .build();
        functions::guard(&mut session)?;
        Ok(Self { store, url: ObjectStoreUrl::parse(STORE)?, env, session, share })
    }

    /// The environment of one statement: everything shared but memory, of which each has an equal part of its own, so
    /// that whether it answers never depends on what else runs.
    pub(crate) fn statement_env(&self) -> Arc<RuntimeEnv> {
        let memory_pool = Arc::new(FairSpillPool::new(self.share));
        Arc::new(RuntimeEnv { memory_pool, ..RuntimeEnv::clone(&self.env) })
    }
}

fn config(threads: usize, share: usize) -> SessionConfig {
    let mut config = SessionConfig::new()
        .with_target_partitions(threads)
        .with_batch_size(limits::BATCH_ROWS)
        .with_sort_spill_reservation_bytes((share / MERGE_PART / threads).min(MERGE_BYTES))
        .with_default_catalog_and_schema(catalog::CATALOG, catalog::SCHEMA)
        .with_create_default_catalog_and_schema(false)
        .with_information_schema(false);
    let options = config.options_mut();
    // Names arrive folded.
    options.sql_parser.enable_ident_normalization = false;
    // The physical plan would show where objects are.
    options.explain.logical_plan_only = true;
    config
}

/// Removes what statements of a process that crashed had spilled.
fn clean_spill(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && entry.file_name().to_string_lossy().starts_with(SPILL_FOLDER) {
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Knows one store. DataFusion's own registry would add the local file system.
#[derive(Debug)]
struct OneStore(Arc<dyn ObjectStore>);

impl ObjectStoreRegistry for OneStore {
    fn register_store(&self, _url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        // Nothing registers stores; a statement cannot.
        Some(store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if url.scheme() == "flyquery" {
            Ok(self.0.clone())
        } else {
            Err(DataFusionError::Plan(format!("there is no store {}", url.scheme())))
        }
    }
}
