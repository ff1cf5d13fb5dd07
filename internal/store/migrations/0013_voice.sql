-- Voice sessions. One is opening until its room is made, and lives until ended_at is set: once, by its owner or by whoever finds
-- its lease run out.

-- How many sessions an agent may begin, an object or null.
alter table agents add column voice_limits text;

create table voice_sessions (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  conversation_id text not null,
  user_id text not null,
  timezone text not null,
  max_seconds bigint not null,
  state text not null,
  owner text not null,
  lease_until bigint not null,
  end_asked text,
  price bigint not null,
  month text not null,
  reserved bigint not null,
  charged bigint not null default 0,
  minutes integer not null default 0,
  created_at bigint not null,
  joined_at bigint,
  seen_at bigint,
  ended_at bigint,
  end_reason text
);

create index voice_sessions_agent on voice_sessions (agent_id, created_at, id);

create index voice_sessions_user on voice_sessions (agent_id, user_id, created_at);

create index voice_sessions_conversation on voice_sessions (conversation_id);

create index voice_sessions_open on voice_sessions (agent_id, lease_until) where ended_at is null;

create table voice_recordings (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  conversation_id text not null,
  session_id text not null,
  blob_id text not null,
  length_ms bigint not null,
  created_at bigint not null
);

create index voice_recordings_agent on voice_recordings (agent_id, created_at);

create index voice_recordings_conversation on voice_recordings (conversation_id);

create index voice_recordings_blob on voice_recordings (blob_id);
