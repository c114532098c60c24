CREATE TABLE flyquery_workspaces (
    id {uuid_pk},
    tenant_id text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    kms_key_uri text,
    retention_days {int},
    allow_direct_sql {bool} NOT NULL DEFAULT {false},
    default_locale text NOT NULL DEFAULT 'en-US',
    storage_used_bytes {int} NOT NULL DEFAULT 0,
    status text NOT NULL DEFAULT 'ACTIVE',
    created_at {time_now},
    updated_at {time_now},
    metadata_json {json} NOT NULL DEFAULT '{}',
    CONSTRAINT flyquery_workspaces_status CHECK (status IN ('ACTIVE', 'ARCHIVED', 'PURGING')),
    CONSTRAINT flyquery_workspaces_storage CHECK (storage_used_bytes >= 0),
    CONSTRAINT flyquery_workspaces_slug UNIQUE (tenant_id, slug)
){strict};
CREATE INDEX flyquery_workspaces_tenant ON flyquery_workspaces (tenant_id);

CREATE TABLE flyquery_datasets (
    id {uuid_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL REFERENCES flyquery_workspaces (id) ON DELETE CASCADE,
    name text NOT NULL,
    description text,
    drift_policy text NOT NULL DEFAULT 'AUTO',
    default_locale text,
    ingest_policy_json {json} NOT NULL DEFAULT '{}',
    status text NOT NULL DEFAULT 'ACTIVE',
    created_at {time_now},
    updated_at {time_now},
    metadata_json {json} NOT NULL DEFAULT '{}'
){strict};
-- an archived or purging dataset frees its name (decision 47)
CREATE UNIQUE INDEX flyquery_datasets_live_name ON flyquery_datasets (workspace_id, name) WHERE status = 'ACTIVE';
CREATE INDEX flyquery_datasets_scope ON flyquery_datasets (tenant_id, workspace_id);

-- accepted_seq: the order in which files were accepted (decision 40). A counter, not a time: two uploads in one
-- microsecond, or a clock that was set back, still have an order.
CREATE TABLE flyquery_files (
    id {uuid_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    dataset_id {uuid} NOT NULL REFERENCES flyquery_datasets (id) ON DELETE CASCADE,
    original_filename text NOT NULL,
    file_format text,
    compression text NOT NULL DEFAULT 'none',
    size_bytes {int} NOT NULL,
    content_hash_sha256 text NOT NULL,
    object_store_key text NOT NULL,
    table_extraction_rules_json {json} NOT NULL DEFAULT '{}',
    uploaded_at {time_now},
    uploaded_by text NOT NULL,
    status text NOT NULL DEFAULT 'RECEIVED',
    error_json {json},
    accepted_seq {identity},
    CONSTRAINT flyquery_files_format CHECK (file_format IN ('csv', 'tsv', 'xlsx', 'xls', 'ods', 'json', 'jsonl', 'parquet', 'avro', 'orc', 'arrow', 'feather')),
    CONSTRAINT flyquery_files_compression CHECK (compression IN ('none', 'gz', 'zip', 'bz2')),
    CONSTRAINT flyquery_files_status CHECK (status IN ('RECEIVED', 'PARSED', 'FAILED', 'DELETED')),
    CONSTRAINT flyquery_files_hash CHECK (length(content_hash_sha256) = 64)
){strict};
CREATE INDEX flyquery_files_scope ON flyquery_files (tenant_id, workspace_id);
CREATE INDEX flyquery_files_dataset ON flyquery_files (dataset_id);
CREATE UNIQUE INDEX flyquery_files_accepted ON flyquery_files (accepted_seq);

-- created_by_job: the job that made the row; a table without any snapshot goes away with the job that failed to fill it
CREATE TABLE flyquery_tables (
    id {uuid_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    dataset_id {uuid} NOT NULL REFERENCES flyquery_datasets (id) ON DELETE CASCADE,
    source_file_id {uuid} REFERENCES flyquery_files (id) ON DELETE SET NULL,
    name text NOT NULL,
    qualified_name text NOT NULL,
    kind text NOT NULL DEFAULT 'UPLOADED',
    sheet_or_json_path text,
    current_snapshot_id {uuid},
    description text,
    description_source text,
    business_owner text,
    governance_json {json},
    locale_override text,
    is_active {bool} NOT NULL DEFAULT {true},
    created_at {time_now},
    updated_at {time_now},
    archived_at {time},
    created_by_job {uuid},
    CONSTRAINT flyquery_tables_kind CHECK (kind IN ('UPLOADED', 'DERIVED')),
    CONSTRAINT flyquery_tables_name UNIQUE (dataset_id, name)
){strict};
CREATE INDEX flyquery_tables_scope ON flyquery_tables (tenant_id, workspace_id);
CREATE INDEX flyquery_tables_source ON flyquery_tables (source_file_id);
CREATE INDEX flyquery_tables_job ON flyquery_tables (created_by_job) WHERE current_snapshot_id IS NULL;

-- accepted_seq is the file's; schema_json holds the columns in their order with their full types
CREATE TABLE flyquery_schema_snapshots (
    id {uuid_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    dataset_id {uuid} NOT NULL,
    table_id {uuid} NOT NULL REFERENCES flyquery_tables (id) ON DELETE CASCADE,
    taken_at {time_now},
    snapshot_hash text NOT NULL,
    n_columns {int} NOT NULL,
    n_rows_estimate {int},
    n_rows_actual {int},
    parquet_object_key text,
    parquet_byte_size {int},
    status text NOT NULL DEFAULT 'PARTIAL',
    failure_json {json},
    triggered_by text NOT NULL,
    created_by text NOT NULL,
    schema_json {json} NOT NULL,
    file_id {uuid},
    accepted_seq {int},
    job_id {uuid},
    claim_token {int},
    CONSTRAINT flyquery_schema_snapshots_status CHECK (status IN ('PARTIAL', 'READY', 'FAILED')),
    CONSTRAINT flyquery_schema_snapshots_trigger CHECK (triggered_by IN ('USER', 'AGENT', 'SCHEDULED', 'REPARSE'))
){strict};
CREATE INDEX flyquery_schema_snapshots_table ON flyquery_schema_snapshots (table_id, taken_at);
CREATE INDEX flyquery_schema_snapshots_dataset ON flyquery_schema_snapshots (dataset_id);
CREATE INDEX flyquery_schema_snapshots_job ON flyquery_schema_snapshots (job_id);

CREATE TABLE flyquery_schema_changes (
    id {uuid_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    table_id {uuid} NOT NULL REFERENCES flyquery_tables (id) ON DELETE CASCADE,
    prev_snapshot_id {uuid} REFERENCES flyquery_schema_snapshots (id) ON DELETE SET NULL,
    next_snapshot_id {uuid} NOT NULL REFERENCES flyquery_schema_snapshots (id) ON DELETE CASCADE,
    ordinal {int} NOT NULL DEFAULT 0,
    column_name text NOT NULL,
    change text NOT NULL,
    before_json {json},
    after_json {json},
    llm_rationale text,
    approved_by text,
    approved_at {time},
    created_at {time_now},
    CONSTRAINT flyquery_schema_changes_change CHECK (change IN ('ADDED', 'REMOVED', 'TYPE_CHANGED', 'RENAMED', 'RENAMED_CANDIDATE'))
){strict};
CREATE INDEX flyquery_schema_changes_table ON flyquery_schema_changes (table_id, created_at);
CREATE INDEX flyquery_schema_changes_prev ON flyquery_schema_changes (prev_snapshot_id);
CREATE INDEX flyquery_schema_changes_next ON flyquery_schema_changes (next_snapshot_id);

-- embedding: 32-bit floats, little endian, one after the other; content_names and content_text are what the text index
-- covers, NULL until stage 9
CREATE TABLE flyquery_schema_objects (
    id {uuid_pk_numbered},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    table_id {uuid} NOT NULL REFERENCES flyquery_tables (id) ON DELETE CASCADE,
    snapshot_id {uuid} NOT NULL REFERENCES flyquery_schema_snapshots (id) ON DELETE CASCADE,
    kind text NOT NULL,
    parent_id {uuid} REFERENCES flyquery_schema_objects (id) ON DELETE CASCADE,
    name text NOT NULL,
    qualified_name text NOT NULL,
    ordinal {int} NOT NULL DEFAULT 0,
    data_type text,
    is_nullable {bool},
    description text,
    description_source text,
    synonyms_json {json},
    pii_tag text,
    pii_source text,
    business_owner text,
    governance_json {json},
    sample_values_json {json},
    sample_taken_at {time},
    profile_json {json},
    embedding {bytes},
    embedding_model text,
    content_names text,
    content_text text,
    source_hash text NOT NULL DEFAULT '',
    is_active {bool} NOT NULL DEFAULT {true},
    created_at {time_now},
    last_seen_at {time_now},
    last_changed_at {time_now},
    CONSTRAINT flyquery_schema_objects_kind CHECK (kind IN ('TABLE', 'COLUMN'))
){strict};
CREATE INDEX flyquery_schema_objects_table ON flyquery_schema_objects (table_id);
CREATE UNIQUE INDEX flyquery_schema_objects_name ON flyquery_schema_objects (snapshot_id, kind, name);
CREATE INDEX flyquery_schema_objects_parent ON flyquery_schema_objects (parent_id);
-- The database itself keeps the text index in step: whoever writes, deletes or cascades, in the same transaction.
{text_index}

CREATE TABLE flyquery_relations (
    id {uuid_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    dataset_id {uuid} NOT NULL REFERENCES flyquery_datasets (id) ON DELETE CASCADE,
    from_table_id {uuid} NOT NULL REFERENCES flyquery_tables (id) ON DELETE CASCADE,
    from_column_name text NOT NULL,
    to_table_id {uuid} NOT NULL REFERENCES flyquery_tables (id) ON DELETE CASCADE,
    to_column_name text NOT NULL,
    condition text,
    kind text NOT NULL,
    confidence {real} NOT NULL DEFAULT 0,
    reason text,
    status text NOT NULL DEFAULT 'PROPOSED',
    approved_by text,
    created_at {time_now},
    updated_at {time_now},
    CONSTRAINT flyquery_relations_kind CHECK (kind IN ('HEURISTIC', 'AGENT_PROPOSED', 'MANUAL')),
    CONSTRAINT flyquery_relations_status CHECK (status IN ('PROPOSED', 'APPROVED', 'REJECTED')),
    CONSTRAINT flyquery_relations_ends UNIQUE (from_table_id, from_column_name, to_table_id, to_column_name)
){strict};
CREATE INDEX flyquery_relations_dataset ON flyquery_relations (dataset_id);
CREATE INDEX flyquery_relations_to ON flyquery_relations (to_table_id);
