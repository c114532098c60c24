//! What every stage may use: the job, the database, the store, the ports and the policy.

use std::sync::Arc;

use db::Db;
use domain::job::Claim;
use domain::ports::clock::{Clock, Entropy};
use domain::ports::describer::Describer;
use domain::ports::embedder::Embedder;
use domain::ports::pii_scanner::PiiScanner;
use domain::ports::relation_proposer::RelationProposer;
use domain::table::TriggeredBy;
use domain::{Actor, DatasetId, DriftPolicy, FileId, IngestPolicy, Locale, PiiPolicy, Scope, TableId};
use object_store::ObjectStore;

use crate::blobs::Blobs;
use crate::failure::Stop;
use crate::fence::Fence;
use crate::first_look::FirstLook;

/// The outside, as the stages see it.
#[derive(Clone)]
pub struct Ports {
    /// The catalogue.
    pub db: Db,
    /// Originals and Parquet files.
    pub store: Arc<dyn ObjectStore>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids and randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Stage 7.
    pub describer: Arc<dyn Describer>,
    /// Stage 9.
    pub embedder: Arc<dyn Embedder>,
    /// Stages 4 and 8; `None` when the settings switch it off.
    pub scanner: Option<Arc<dyn PiiScanner>>,
    /// Stage 6.
    pub proposer: Arc<dyn RelationProposer>,
}

/// Settings of the stages.
#[derive(Clone, Debug)]
pub struct PipelineSettings {
    /// Sample values per column (`FLYQUERY_SAMPLE_N`).
    pub sample_n: usize,
    /// Rows above which a table is not profiled (`FLYQUERY_PROFILE_ROW_THRESHOLD`).
    pub profile_row_threshold: u64,
    /// Rows read to propose types (`FLYQUERY_TYPE_INFER_SAMPLE_ROWS`).
    pub infer_sample_rows: usize,
    /// Title rows that may stand above a header (`FLYQUERY_MAX_TITLE_ROWS`).
    pub max_title_rows: u32,
    /// Budget of a describe run in cents (`FLYQUERY_DESCRIBE_BUDGET_CENTS_PER_RUN`).
    pub describe_budget_cents: u64,
    /// Columns per call of the describer (`FLYQUERY_DESCRIBE_BATCH`).
    pub describe_batch: usize,
    /// Relations below it are not proposed (`FLYQUERY_RELATION_HEURISTIC_MIN_CONFIDENCE`).
    pub relation_min_confidence: f64,
    /// What happens to samples that hold personal data (`FLYQUERY_PII_POLICY_SAMPLES`).
    pub pii_policy_samples: PiiPolicy,
    /// Locale where neither dataset nor workspace names one (`FLYQUERY_DEFAULT_LOCALE`).
    pub default_locale: Locale,
    /// Threads that read columns at once in stages 4, 5 and 8.
    pub threads: usize,
}

impl Default for PipelineSettings {
    fn default() -> Self {
        Self {
            sample_n: 8,
            profile_row_threshold: 10_000_000,
            infer_sample_rows: 8_192,
            max_title_rows: 3,
            describe_budget_cents: 200,
            describe_batch: 20,
            relation_min_confidence: 0.5,
            pii_policy_samples: PiiPolicy::Redact,
            default_locale: Locale::default(),
            threads: 2,
        }
    }
}

/// The job a run belongs to.
#[derive(Clone, Debug)]
pub struct JobFacts {
    /// Tenant and workspace.
    pub scope: Scope,
    /// Job and token.
    pub claim: Claim,
    /// The dataset.
    pub dataset: DatasetId,
    /// The file, for the kinds that read one.
    pub file: Option<FileId>,
    /// The table, for the kinds that are about one and for a file that is a new version of one.
    pub table: Option<TableId>,
    /// Who asked.
    pub actor: Actor,
    /// What the snapshots say about their cause.
    pub triggered_by: TriggeredBy,
    /// Checkpoint of an earlier attempt.
    pub checkpoint: Option<serde_json::Value>,
}

/// Everything a stage may use.
#[derive(Clone)]
pub struct Context {
    /// The outside.
    pub ports: Ports,
    /// Settings.
    pub settings: Arc<PipelineSettings>,
    /// The job.
    pub job: Arc<JobFacts>,
    /// The dataset's policy.
    pub policy: Arc<IngestPolicy>,
    /// Who confirms renames.
    pub drift: DriftPolicy,
    /// The locale numbers and dates are read by.
    pub locale: Locale,
    /// Name of the dataset.
    pub dataset_name: String,
    /// The job's fence.
    pub fence: Arc<dyn Fence>,
    /// What this run learned of the tables while it wrote them.
    pub first_look: FirstLook,
}

impl Context {
    /// Loads dataset and policy for a job.
    pub async fn load(
        ports: Ports,
        settings: Arc<PipelineSettings>,
        job: JobFacts,
        fence: Arc<dyn Fence>,
    ) -> Result<Self, Stop> {
        let tx = ports.db.scope_read(&job.scope).await?;
        let dataset = db::datasets::get(&tx, job.dataset)
            .await?
            .ok_or_else(|| domain::Failure::new(domain::ErrorCode::ResourceNotFound, "The job's dataset is gone."))?;
        let workspace = db::workspaces::get(&tx, job.scope.workspace).await?;
        tx.rollback().await?;
        let policy = IngestPolicy::parse(&dataset.ingest_policy)
            .map_err(|e| crate::failure::defect(format!("A policy that can't be read was stored: {e}.")))?;
        let locale = dataset
            .default_locale
            .or_else(|| workspace.map(|w| w.default_locale))
            .unwrap_or_else(|| settings.default_locale.clone());
        Ok(Self {
            drift: dataset.drift_policy,
            dataset_name: dataset.name,
            policy: Arc::new(policy),
            locale,
            job: Arc::new(job),
            ports,
            settings,
            fence,
            first_look: FirstLook::default(),
        })
    }

    /// The store with its intent rows.
    pub fn blobs(&self) -> Blobs {
        Blobs::new(self.ports.db.clone(), Arc::clone(&self.ports.store))
    }

    /// The policy for samples that hold personal data.
    pub fn pii_policy(&self) -> PiiPolicy {
        self.policy.pii_policy_samples.unwrap_or(self.settings.pii_policy_samples)
    }

    /// Whether the policy keeps personal data out of what is written about a table.
    pub fn hides_personal_data(&self) -> bool {
        self.pii_policy() != PiiPolicy::Warn
    }

    /// The recogniser, unless settings or policy switch it off.
    pub fn scanner(&self) -> Option<&Arc<dyn PiiScanner>> {
        match self.policy.pii_scanner {
            Some(domain::policy::PiiScannerKind::Disabled) => None,
            Some(domain::policy::PiiScannerKind::Regex) | None => self.ports.scanner.as_ref(),
        }
    }

    /// Ends the run when the fence knows a reason to.
    pub fn check_halt(&self) -> Result<(), Stop> {
        match self.fence.halted() {
            Some(halt) => Err(Stop::Halted(halt)),
            None => Ok(()),
        }
    }
}
