-- claim_token is the fence: it grows at every claim and never goes down. attempts is the charge: given back on a
-- graceful hand-back, its cap is a setting. run_after is the place in the queue: the time of birth, or later after a
-- transient failure.
CREATE TABLE flyquery_ingest_jobs (
    id {uuid_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    dataset_id {uuid} NOT NULL REFERENCES flyquery_datasets (id) ON DELETE CASCADE,
    table_id {uuid},
    file_id {uuid},
    snapshot_id {uuid},
    job_kind text NOT NULL,
    request_json {json} NOT NULL DEFAULT '{}',
    result_json {json} NOT NULL DEFAULT '{}',
    status text NOT NULL DEFAULT 'PENDING',
    attempts {int} NOT NULL DEFAULT 0,
    started_at {time},
    finished_at {time},
    cost_cents {decimal} NOT NULL DEFAULT '0',
    elapsed_ms {int},
    created_at {time_now},
    callback_url text,
    callback_secret text,
    callback_headers {json} NOT NULL DEFAULT '{}',
    claim_token {int} NOT NULL DEFAULT 0,
    worker_id {uuid},
    lease_until {time},
    run_after {time_now},
    cancel_requested {bool} NOT NULL DEFAULT {false},
    crash_count {int} NOT NULL DEFAULT 0,
    stage text,
    checkpoint_json {json},
    progress_json {json},
    parent_job_id {uuid},
    triggered_by text NOT NULL DEFAULT 'USER',
    CONSTRAINT flyquery_ingest_jobs_kind CHECK (job_kind IN ('PARSE_AND_INGEST', 'REPARSE', 'SAMPLE_REFRESH', 'DESCRIBE_PASS', 'RELATION_PASS')),
    CONSTRAINT flyquery_ingest_jobs_status CHECK (status IN ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
    CONSTRAINT flyquery_ingest_jobs_attempts CHECK (attempts >= 0),
    CONSTRAINT flyquery_ingest_jobs_token CHECK (claim_token >= 0),
    CONSTRAINT flyquery_ingest_jobs_trigger CHECK (triggered_by IN ('USER', 'AGENT', 'SCHEDULED', 'REPARSE'))
){strict};
CREATE INDEX flyquery_ingest_jobs_status_created ON flyquery_ingest_jobs (status, created_at);
-- status leads although it is constant here: SQLite's planner would otherwise prefer the index above
CREATE INDEX flyquery_ingest_jobs_queue ON flyquery_ingest_jobs (status, run_after, id) WHERE status = 'PENDING';
CREATE INDEX flyquery_ingest_jobs_retries ON flyquery_ingest_jobs (run_after, id) WHERE status = 'PENDING' AND attempts > 0;
CREATE INDEX flyquery_ingest_jobs_leases ON flyquery_ingest_jobs (status, lease_until) WHERE status = 'RUNNING';
CREATE INDEX flyquery_ingest_jobs_scope ON flyquery_ingest_jobs (tenant_id, workspace_id, created_at);
CREATE INDEX flyquery_ingest_jobs_dataset ON flyquery_ingest_jobs (dataset_id);

CREATE TABLE flyquery_ingest_events (
    id {serial_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    ingest_job_id {uuid} NOT NULL REFERENCES flyquery_ingest_jobs (id) ON DELETE CASCADE,
    stage text NOT NULL,
    status text NOT NULL,
    message text,
    payload_json {json} NOT NULL DEFAULT '{}',
    created_at {time_now}
){strict};
CREATE INDEX flyquery_ingest_events_job ON flyquery_ingest_events (ingest_job_id, id);
CREATE INDEX flyquery_ingest_events_created ON flyquery_ingest_events (created_at);

CREATE TABLE flyquery_callback_outbox (
    id {uuid_pk},
    ingest_job_id {uuid} NOT NULL REFERENCES flyquery_ingest_jobs (id) ON DELETE CASCADE,
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    callback_url text NOT NULL,
    callback_secret text,
    callback_headers {json} NOT NULL DEFAULT '{}',
    event_type text NOT NULL,
    payload_json {json} NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    attempts {int} NOT NULL DEFAULT 0,
    last_attempt_at {time},
    last_status_code {int},
    last_error text,
    next_attempt_at {time_now},
    created_at {time_now},
    finished_at {time},
    claim_token {int} NOT NULL DEFAULT 0,
    claimed_until {time},
    paused_at {time},
    CONSTRAINT flyquery_callback_outbox_status CHECK (status IN ('PENDING', 'DELIVERED', 'FAILED', 'DEAD'))
){strict};
CREATE INDEX flyquery_callback_outbox_due ON flyquery_callback_outbox (status, next_attempt_at);
CREATE INDEX flyquery_callback_outbox_job ON flyquery_callback_outbox (ingest_job_id);

CREATE TABLE flyquery_callback_attempts (
    id {serial_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    callback_id {uuid} NOT NULL REFERENCES flyquery_callback_outbox (id) ON DELETE CASCADE,
    attempt {int} NOT NULL,
    attempted_at {time_now},
    elapsed_ms {int},
    status_code {int},
    error text
){strict};
CREATE INDEX flyquery_callback_attempts_callback ON flyquery_callback_attempts (callback_id);
CREATE INDEX flyquery_callback_attempts_age ON flyquery_callback_attempts (attempted_at);

CREATE TABLE flyquery_event_outbox (
    id {uuid_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    topic text NOT NULL,
    event_type text NOT NULL,
    payload_json {json} NOT NULL,
    created_at {time_now},
    attempts {int} NOT NULL DEFAULT 0,
    claimed_until {time},
    sent_at {time}
){strict};
CREATE INDEX flyquery_event_outbox_unsent ON flyquery_event_outbox (created_at) WHERE sent_at IS NULL;
CREATE INDEX flyquery_event_outbox_sent ON flyquery_event_outbox (sent_at) WHERE sent_at IS NOT NULL;

-- a key is written here before the put and removed by the commit that names it; what is left is swept
CREATE TABLE flyquery_pending_objects (
    object_key text PRIMARY KEY NOT NULL,
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    dataset_id {uuid},
    job_id {uuid},
    claim_token {int},
    touched_at {time_now},
    swept_at {time}
){strict};
CREATE INDEX flyquery_pending_objects_job ON flyquery_pending_objects (job_id);
CREATE INDEX flyquery_pending_objects_age ON flyquery_pending_objects (touched_at);

-- a request without a workspace has the nil UUID
CREATE TABLE flyquery_idempotency_keys (
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    route text NOT NULL,
    idempotency_key text NOT NULL,
    body_hash text NOT NULL,
    status text NOT NULL DEFAULT 'RUNNING',
    response_status {int},
    response_headers_json {json},
    response_body {bytes},
    created_at {time_now},
    PRIMARY KEY (tenant_id, workspace_id, route, idempotency_key),
    CONSTRAINT flyquery_idempotency_keys_status CHECK (status IN ('RUNNING', 'DONE'))
){strict};
CREATE INDEX flyquery_idempotency_keys_age ON flyquery_idempotency_keys (created_at);
