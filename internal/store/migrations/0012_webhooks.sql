-- Contacts with attributes of the operator's own, and webhooks.

-- A JSON list, or null.
alter table people add column stripe_accounts text;

create index people_created on people (agent_id, created_at, id);

create index conversations_person on conversations (person_id) where person_id is not null;

create table custom_attributes (
  agent_id text not null,
  name text not null,
  account_id text not null,
  label text not null,
  type text not null,
  description text not null default '',
  created_at bigint not null,
  updated_at bigint not null,
  archived_at bigint,
  primary key (agent_id, name)
);

create table webhooks (
  id text primary key,
  account_id text not null,
  agent_id text,
  endpoint text not null,
  events text not null,
  signing text not null,
  key_id text,
  created_at bigint not null,
  updated_at bigint not null
);

create index webhooks_account on webhooks (account_id, agent_id);

-- One row per event and webhook. A dead one has been tried for the last time; an operator may have it sent again.
create table webhook_deliveries (
  id text primary key,
  account_id text not null,
  agent_id text,
  webhook_id text not null,
  event text not null,
  body text not null,
  state text not null,
  attempts integer not null,
  due_at bigint not null,
  last_status integer,
  last_error text,
  created_at bigint not null,
  updated_at bigint not null,
  delivered_at bigint
);

create index webhook_deliveries_due on webhook_deliveries (webhook_id, state, due_at);

create index webhook_deliveries_state on webhook_deliveries (state, updated_at);
