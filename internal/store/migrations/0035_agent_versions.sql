-- The settings that agents have had, each from a change on: the names of what differs from the version before, and the
-- settings, a JSON object.
create table agent_versions (
  account_id text not null,
  agent_id text not null,
  version bigint not null,
  at bigint not null,
  actor text,
  changed text not null,
  settings text not null,
  primary key (agent_id, version)
);
