CREATE TABLE flyquery_audit_events (
    id {uuid_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    actor text NOT NULL,
    event_type text NOT NULL,
    resource_kind text NOT NULL,
    resource_id text,
    correlation_id text,
    payload_json {json},
    created_at {time_now}
){strict};
CREATE INDEX flyquery_audit_events_scope ON flyquery_audit_events (tenant_id, workspace_id, created_at);
CREATE INDEX flyquery_audit_events_age ON flyquery_audit_events (created_at);

CREATE TABLE flyquery_cost_events (
    id {uuid_pk},
    tenant_id text NOT NULL,
    workspace_id {uuid} NOT NULL,
    actor text NOT NULL,
    model text,
    operation text NOT NULL,
    input_tokens {int} NOT NULL DEFAULT 0,
    output_tokens {int} NOT NULL DEFAULT 0,
    cost_cents {decimal} NOT NULL DEFAULT '0',
    ingest_job_id {uuid},
    query_id {uuid},
    correlation_id text,
    created_at {time_now}
){strict};
CREATE INDEX flyquery_cost_events_scope ON flyquery_cost_events (tenant_id, workspace_id, created_at);
CREATE INDEX flyquery_cost_events_age ON flyquery_cost_events (created_at);

CREATE TABLE flyquery_agent_tokens (
    id {uuid_pk},
    tenant_id text NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    secret_hash text NOT NULL,
    workspace_allowlist_json {json} NOT NULL DEFAULT '[]',
    dataset_allowlist_json {json} NOT NULL DEFAULT '[]',
    scopes_json {json} NOT NULL DEFAULT '[]',
    rate_limit_rpm {int},
    expires_at {time},
    revoked_at {time},
    last_used_at {time},
    created_at {time_now},
    created_by text NOT NULL,
    CONSTRAINT flyquery_agent_tokens_prefix UNIQUE (prefix),
    CONSTRAINT flyquery_agent_tokens_prefix_length CHECK (length(prefix) <= 12),
    CONSTRAINT flyquery_agent_tokens_hash CHECK (length(secret_hash) = 64)
){strict};
CREATE INDEX flyquery_agent_tokens_tenant ON flyquery_agent_tokens (tenant_id);
