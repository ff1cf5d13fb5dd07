-- Times are milliseconds since 1970 UTC, booleans 0 or 1, JSON and ids text, credits thousandths of a credit.
-- Every row names its owner, so that a query for another owner's row finds nothing.

create table settings (
  name text primary key,
  value text not null
);

create table accounts (
  id text primary key,
  name text not null,
  plan text not null,
  credits bigint,
  hipaa integer not null default 0,
  event_seq bigint not null default 0,
  open_turns integer not null default 0,
  created_at bigint not null,
  updated_at bigint not null
);

create table users (
  id text primary key,
  email text not null,
  name text not null,
  password_hash text,
  created_at bigint not null
);

create unique index users_email on users (lower(email));

create table memberships (
  account_id text not null references accounts (id),
  user_id text not null references users (id),
  role text not null,
  created_at bigint not null,
  primary key (account_id, user_id)
);

create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  hash text not null unique,
  hint text not null,
  source text not null default '',
  scopes text,
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint,
  revoked_at bigint
);

create index api_keys_account on api_keys (account_id, created_at);

create table audit_events (
  account_id text not null,
  seq bigint not null,
  at bigint not null,
  actor text not null,
  action text not null,
  subject text not null,
  details text not null,
  previous_hash text not null,
  hash text not null,
  primary key (account_id, seq)
);

create table agents (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  instructions text not null,
  channel_instructions text,
  model text not null,
  auto_retrain integer not null default 0,
  temp double precision not null,
  visibility text not null,
  allowed_domains text,
  suggested_messages text,
  initial_messages text not null,
  credit_limit bigint,
  notifications text,
  rate_limit text not null,
  voice text,
  styles text,
  identity_secret text not null,
  config_version bigint not null default 1,
  passage_version bigint not null default 0,
  size bigint not null default 0,
  sources_live integer not null default 0,
  sources_pending integer not null default 0,
  sources_failed integer not null default 0,
  last_message_at bigint,
  last_trained_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
);

create index agents_account on agents (account_id, created_at, id);

create table people (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  email text,
  external_id text,
  name text,
  phone text,
  attributes text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create unique index people_email on people (agent_id, lower(email));

create unique index people_external on people (agent_id, external_id);

create table sources (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  kind text not null,
  name text not null,
  url text not null default '',
  parent_id text,
  size bigint not null,
  status text not null,
  failure text not null default '',
  metadata text,
  live_version text,
  live_in bigint not null default 0,
  wanted_version text,
  next_sync_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint
);

create index sources_agent on sources (agent_id, created_at, id);

create index sources_live on sources (agent_id, live_in);

create table source_versions (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  source_id text not null,
  hash text not null,
  content text,
  text text not null,
  blob_id text,
  state text not null,
  created_at bigint not null
);

create index source_versions_source on source_versions (source_id, created_at);

create index source_versions_hash on source_versions (agent_id, hash);

create table passages (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  source_id text not null,
  version_id text not null,
  ordinal integer not null,
  heading text not null,
  start_byte integer not null,
  end_byte integer not null,
  text text not null,
  hash text not null
);

create index passages_source on passages (agent_id, source_id, version_id, ordinal);

-- postgres:
create table passage_vectors (
  agent_id text not null,
  text_hash text not null,
  model text not null,
  vector bytea not null,
  primary key (agent_id, text_hash, model)
);

-- sqlite:
create table passage_vectors (
  agent_id text not null,
  text_hash text not null,
  model text not null,
  vector blob not null,
  primary key (agent_id, text_hash, model)
);

create table blobs (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  hash text not null,
  size bigint not null,
  media_type text not null,
  name text not null,
  place text not null,
  created_at bigint not null
);

create index blobs_agent on blobs (agent_id);

create table conversations (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  face text not null,
  external_id text,
  channel text not null,
  streamed integer not null default 0,
  user_id text,
  person_id text,
  status text not null,
  paused integer not null default 0,
  ended_at bigint,
  ended_by text,
  parent_id text,
  parent_summary text,
  embed_origin text,
  title text,
  language text,
  message_count integer not null default 0,
  last_seq bigint not null default 0,
  last_activity bigint not null,
  created_at bigint not null,
  deleted_at bigint
);

create unique index conversations_external on conversations (agent_id, face, external_id) where external_id is not null;

create index conversations_created on conversations (agent_id, created_at, id);

create index conversations_user on conversations (agent_id, user_id, created_at) where user_id is not null;

create table messages (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  conversation_id text not null,
  seq bigint not null,
  author text not null,
  author_id text,
  type text not null,
  state text not null,
  turn_id text,
  parts text not null,
  feedback text,
  feedback_at bigint,
  score double precision,
  citations text,
  finish_reason text,
  model text,
  input_tokens integer,
  output_tokens integer,
  latency_ms integer,
  credits bigint,
  spoken_until integer,
  created_at bigint not null,
  superseded_at bigint,
  unique (agent_id, conversation_id, seq)
);

create table turns (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  conversation_id text not null,
  user_message_id text not null,
  message_id text not null,
  state text not null,
  owner text not null,
  lease_until bigint not null,
  cancel_asked_at bigint,
  month text not null,
  reserved bigint not null,
  charged bigint,
  trace text,
  started_at bigint not null,
  ended_at bigint
);

create unique index turns_open on turns (conversation_id) where state = 'open';

create index turns_agent on turns (agent_id, conversation_id);

-- postgres:
create table credit_usage (
  account_id text not null,
  agent_id text not null,
  month text not null,
  used bigint not null,
  reserved bigint not null,
  primary key (account_id, agent_id, month)
);

-- sqlite:
create table credit_usage (
  account_id text not null,
  agent_id text not null,
  month text not null,
  used bigint not null,
  reserved bigint not null,
  primary key (account_id, agent_id, month)
) without rowid;

-- postgres:
create table credit_ledger (
  account_id text not null,
  agent_id text not null,
  turn_id text not null,
  kind text not null,
  amount bigint not null,
  month text not null,
  at bigint not null,
  primary key (turn_id, kind)
);

-- sqlite:
create table credit_ledger (
  account_id text not null,
  agent_id text not null,
  turn_id text not null,
  kind text not null,
  amount bigint not null,
  month text not null,
  at bigint not null,
  primary key (turn_id, kind)
) without rowid;

create table idempotency_keys (
  account_id text not null,
  key text not null,
  request_hash text not null,
  status integer not null,
  reply text not null,
  created_at bigint not null,
  primary key (account_id, key)
);

create table tool_calls (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  conversation_id text not null,
  message_id text not null,
  turn_id text not null,
  call_id text not null,
  tool text not null,
  action_type text not null,
  client_side integer not null,
  input text not null,
  output text,
  status text not null,
  created_at bigint not null,
  answered_at bigint
);

create index tool_calls_conversation on tool_calls (conversation_id, call_id);

create index tool_calls_agent on tool_calls (agent_id, tool, status);

create table procedure_runs (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  conversation_id text not null,
  procedure_name text not null,
  step integer not null,
  state text not null,
  outcome text,
  started_at bigint not null,
  ended_at bigint
);

create index procedure_runs_agent on procedure_runs (agent_id, procedure_name, outcome);

create index procedure_runs_conversation on procedure_runs (conversation_id);

create table jobs (
  id text primary key,
  kind text not null,
  key text not null,
  account_id text,
  payload text not null,
  state text not null,
  run_at bigint not null,
  attempts integer not null,
  max_attempts integer not null,
  backoff_ms bigint not null,
  lease_owner text,
  lease_until bigint,
  again integer not null default 0,
  last_error text,
  created_at bigint not null,
  updated_at bigint not null,
  unique (kind, key)
);

create index jobs_due on jobs (state, run_at);

-- postgres:
create table events (
  account_id text not null,
  seq bigint not null,
  at bigint not null,
  kind text not null,
  agent_id text,
  conversation_id text,
  subject_id text not null,
  payload text not null,
  primary key (account_id, seq)
);

-- sqlite:
create table events (
  account_id text not null,
  seq bigint not null,
  at bigint not null,
  kind text not null,
  agent_id text,
  conversation_id text,
  subject_id text not null,
  payload text not null,
  primary key (account_id, seq)
) without rowid;
