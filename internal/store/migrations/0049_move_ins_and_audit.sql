-- Accounts that take over what another service holds, by its REST interface: how far reading it has come. step counts
-- what was written, so that of two that read at once one finds that the other was first.
create table move_ins (
  id text primary key,
  account_id text not null,
  url text not null,
  step bigint not null,
  walk text not null,
  agents_read integer not null,
  failures integer not null,
  started_at bigint not null,
  updated_at bigint not null,
  finished_at bigint
);

create unique index move_ins_url on move_ins (account_id, url);

-- The agents of the other service, and what they have become here.
create table move_in_agents (
  id text primary key,
  move_in_id text not null,
  account_id text not null,
  agent_id text not null,
  remote_id text not null,
  name text not null,
  ordinal bigint not null,
  stage text not null,
  walk text not null,
  total bigint not null,
  moved bigint not null,
  present bigint not null,
  left_out text
);

create unique index move_in_agents_remote on move_in_agents (move_in_id, remote_id);

create index move_in_agents_agent on move_in_agents (agent_id);

-- Sources and conversations that were not simply taken over: a source that was has its id here, everything else has the
-- reason why it is left out.
create table move_in_items (
  id text primary key,
  move_in_id text not null,
  account_id text not null,
  agent_id text not null,
  kind text not null,
  remote_id text not null,
  source_id text,
  type text not null,
  name text not null,
  reason text
);

create unique index move_in_items_remote on move_in_items (agent_id, kind, remote_id);

create index move_in_items_left_out on move_in_items (move_in_id, id) where reason is not null;

-- Where the acts in the audit log came from: the id of the request and the address of its client.
alter table audit_events add column request_id text not null default '';

alter table audit_events add column address text not null default '';

-- The end of each account's audit chain, so that acts that are cut off it are missed.
alter table accounts add column audit_seq bigint not null default 0;

alter table accounts add column audit_hash text not null default '';

update accounts set
  audit_seq = coalesce((select max(e.seq) from audit_events e where e.account_id = accounts.id), 0),
  audit_hash = coalesce((select e.hash from audit_events e where e.account_id = accounts.id order by e.seq desc limit 1), '');

-- The event up to which the index of an account must have followed before the words of what was erased leave it.
alter table search_accounts add column purge_after bigint;

create index search_accounts_purge on search_accounts (purge_after) where purge_after is not null;
