-- Servers of models that accounts have connected. The key is sealed. What they answer for is a JSON list.
create table model_servers (
  id text primary key,
  account_id text not null,
  kind text not null,
  name text not null,
  format text not null,
  url text not null,
  sealed_key text,
  model text not null,
  model_names text not null,
  context_tokens bigint not null default 0,
  dimensions bigint not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  checked_at bigint,
  failing_since bigint,
  last_error text
);

create index model_servers_account on model_servers (account_id, created_at, id);

create index agents_model on agents (account_id, model);
