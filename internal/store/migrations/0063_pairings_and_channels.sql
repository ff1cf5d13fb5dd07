-- Command lines that ask for an API key until somebody has entered their code in the console. account_id and decided_by
-- are of who has decided, and scopes are what the key may do.
create table pairings (
  id text primary key,
  device_hash text not null,
  user_code text not null,
  device_name text not null,
  address text not null,
  state text not null,
  account_id text,
  decided_by text,
  scopes text,
  polled_at bigint,
  created_at bigint not null,
  expires_at bigint not null
);

create unique index pairings_device on pairings (device_hash);

create unique index pairings_code on pairings (user_code);

create index pairings_expired on pairings (expires_at);

-- A webhook with a channel is a channel: messages come in by it, too. channel is where its conversations begin.
alter table webhooks add column channel text;

alter table webhooks add column name text;

-- What is sent of a conversation keeps its order: that of the events. Null: nothing waits for anything.
alter table webhook_deliveries add column conversation_id text;

alter table webhook_deliveries add column event_seq bigint;

create index webhook_deliveries_conversation on webhook_deliveries (conversation_id, webhook_id, state, event_seq)
  where conversation_id is not null;
