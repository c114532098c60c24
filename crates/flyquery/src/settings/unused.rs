//! Variables of the contract that this version knows but does not use, each with the reason: set, they earn a warning.

/// A group of variables and why they have no effect.
pub struct Unused {
    /// Names without prefix.
    pub names: &'static [&'static str],
    /// Why.
    pub reason: &'static str,
}

const DUCKDB: &str = "SQL runs in DataFusion, which reads objects itself and needs no such cache";
const QUESTIONS: &str = "questions in plain language are not part of this service";
const LLM: &str = "this version describes columns and finds relations offline, by rules";
const EMBEDDINGS: &str = "this version embeds offline";
const CALLBACKS: &str = "this version sends no callbacks yet";
const RETENTION: &str = "this version keeps what it has; only leftovers of jobs are swept";
const BUS: &str = "this version wakes workers in memory and by polling";
const RESULTS: &str = "results of SQL are answered at once and not stored";
const PRESIDIO: &str = "personal data is found by built-in patterns";

/// The list.
pub const UNUSED: &[Unused] = &[
    Unused {
        names: &["DATABASE_URL_ADMIN", "DATABASE_URL_LISTEN"],
        reason: "this version uses one database role; FLYQUERY_DATABASE_URL is enough",
    },
    Unused {
        names: &["OBJECT_STORE_KMS_DEFAULT", "OBJECT_STORE_PRESIGN_TTL_S"],
        reason: "objects are kept in a local folder, which has neither keys nor signed links",
    },
    Unused { names: &["DUCKDB_HTTPFS", "DUCKDB_HTTPFS_METADATA_CACHE_MB"], reason: DUCKDB },
    Unused { names: &["RESULT_PREVIEW_MAX_BYTES", "RESULT_TTL_HOURS"], reason: RESULTS },
    Unused {
        names: &[
            "INGEST_TOPIC",
            "EDA_ADAPTER",
            "EDA_DESTINATIONS",
            "EDA_GROUP",
            "KAFKA_BOOTSTRAP_SERVERS",
            "REDIS_URL",
        ],
        reason: BUS,
    },
    Unused {
        names: &["INGEST_SECTION_CONCURRENCY"],
        reason: "sections of a file are read one after the other; their columns are encoded in parallel",
    },
    Unused {
        names: &[
            "RELATION_PROPOSER_ENABLED",
            "RELATION_PROPOSER_MAX_PER_PAIR",
            "RELATION_PROPOSER_MODEL",
            "DESCRIBE_MODEL",
            "RENAME_DETECT_MODEL",
            "FALLBACK_MODEL",
        ],
        reason: LLM,
    },
    Unused {
        names: &[
            "CALLBACK_POLL_INTERVAL_S",
            "CALLBACK_BATCH_SIZE",
            "CALLBACK_REQUEST_TIMEOUT_S",
            "CALLBACK_ALLOW_HTTP",
            "CALLBACK_ALLOW_HOSTS",
            "CALLBACK_ALLOW_NETS",
            "DEFAULT_CALLBACK_URL",
            "DEFAULT_CALLBACK_SECRET",
            "DEFAULT_CALLBACK_HEADERS",
            "SECRET_KEY",
        ],
        reason: CALLBACKS,
    },
    Unused {
        names: &[
            "RETENTION_INGEST_EVENTS_DAYS",
            "RETENTION_AUDIT_EVENTS_DAYS",
            "RETENTION_COST_EVENTS_DAYS",
            "DATASET_PURGE_TOMBSTONE_DAYS",
        ],
        reason: RETENTION,
    },
    Unused { names: &["PII_POLICY_RESULTS"], reason: "results of SQL are not searched for personal data" },
    Unused { names: &["PRESIDIO_SPACY_MODEL"], reason: PRESIDIO },
    Unused {
        names: &["RATE_LIMIT_BACKEND", "IDEMPOTENCY_BACKEND"],
        reason: "the database keeps what these backends would keep",
    },
    Unused { names: &["OTEL_ENDPOINT"], reason: "this version writes logs and /metrics but exports no traces yet" },
    Unused {
        names: &[
            "EMBEDDING_PROVIDER",
            "EMBEDDING_MODEL",
            "EMBEDDING_DIMENSIONS",
            "EMBEDDING_NATIVE_DIM",
            "EMBEDDING_BASE_URL",
            "EMBEDDING_RATE_LIMIT_RPM",
            "VECTOR_STORE",
        ],
        reason: EMBEDDINGS,
    },
    Unused {
        names: &[
            "GROUNDING_MODEL",
            "GENERATION_MODEL",
            "CRITIC_MODEL",
            "EXPLAINER_MODEL",
            "GENERATION_CANDIDATES",
            "MAX_REFINE_RETRIES",
            "EXPAND_ITERS",
            "GROUNDING_MIN_CONFIDENCE",
            "AGENT_MAX_OUTPUT_TOKENS",
            "TOP_K_SCHEMA",
            "TOP_K_EXAMPLES",
            "TOP_K_METRICS",
            "RRF_K",
            "RERANKER_MODEL",
            "RERANKER_TOP_N",
            "QUERY_EXPANSION_ENABLED",
            "CONV_TTL_DAYS",
            "CONV_HISTORY_TURNS",
            "CONV_SUMMARY_MAX_TOKENS",
            "CONV_SUMMARY_INTERVAL",
            "AUTOLEARN_ENABLED",
        ],
        reason: QUESTIONS,
    },
];

/// Why a variable has no effect; `None` when it is not in the list.
pub fn reason(name: &str) -> Option<&'static str> {
    UNUSED.iter().find(|group| group.names.contains(&name)).map(|group| group.reason)
}
