-- What members have typed and not sent in conversations, one of each kind for each member.
create table drafts (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  conversation_id text not null,
  user_id text not null,
  kind text not null,
  body text not null,
  seen bigint not null,
  updated_at bigint not null
);

create index drafts_agent on drafts (agent_id);

create index drafts_conversation on drafts (conversation_id);

create index drafts_user on drafts (account_id, user_id);
