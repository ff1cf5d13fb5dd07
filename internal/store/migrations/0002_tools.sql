-- What an agent can do besides talk, and what that leaves behind. Also: who a manifest speaks of, what an agent may remember,
-- counters where counting rows would be slow, and what an Idempotency-Key stands for.

create table actions (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  key text not null,
  kind text not null,
  name text not null,
  description text not null,
  triggers text not null,
  inputs text not null,
  config text not null,
  secrets text not null default '',
  enabled integer not null,
  position integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  unique (agent_id, key),
  unique (agent_id, name)
);

create table procedures (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  key text not null,
  name text not null,
  description text not null,
  triggers text not null,
  inputs text not null,
  steps text not null,
  enabled integer not null,
  position integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  unique (agent_id, key),
  unique (agent_id, name)
);

create table leads (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  conversation_id text not null,
  name text not null,
  email text not null,
  phone text not null,
  fields text not null,
  created_at bigint not null
);

create index leads_agent on leads (agent_id, created_at, id);

create index leads_conversation on leads (conversation_id);

alter table agents add column key text;

create unique index agents_key on agents (account_id, key) where key is not null and deleted_at is null;

alter table agents add column tools integer not null default 0;

alter table agents add column redact integer not null default 0;

alter table agents add column retention_days integer;

-- In a table of their own: an agent's row is large, and every new conversation would rewrite it.
create table conversation_counts (
  agent_id text primary key,
  account_id text not null,
  total bigint not null,
  api bigint not null
);

insert into conversation_counts (agent_id, account_id, total, api)
  select agent_id, account_id, count(*), sum(case when channel = 'API' then 1 else 0 end) from conversations
  where deleted_at is null group by agent_id, account_id;

alter table sources add column key text;

create unique index sources_key on sources (agent_id, key) where key is not null and deleted_at is null;

alter table procedure_runs add column procedure_key text not null default '';

alter table procedure_runs add column inputs text not null default '{}';

create index tool_calls_pending on tool_calls (created_at) where status = 'pending';

create index procedure_runs_open on procedure_runs (started_at) where outcome is null;

alter table idempotency_keys add column subject text;

alter table idempotency_keys add column claim text;

alter table idempotency_keys add column lease_until bigint;

create index idempotency_keys_created on idempotency_keys (created_at);
