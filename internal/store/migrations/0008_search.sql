-- The index of conversation search. internal/search owns these tables; what they hold can be made again from the messages.

-- How far the index of an account is. turn grows with every write, so that of two servers that write the same one gives way.
create table search_accounts (
  account_id text primary key,
  seq bigint not null,
  turn bigint not null default 0,
  generation bigint not null,
  building bigint,
  built_agent text not null default '',
  built_at bigint not null default 0,
  built_id text not null default ''
);

-- The number of an agent in a generation of the index, and of its last conversation. A number is free again when all of a
-- retired agent's rows are gone.
create table search_agents (
  number bigint primary key,
  account_id text not null,
  agent_id text not null,
  generation bigint not null,
  last bigint not null default 0,
  parted integer not null default 0,
  retired_at bigint,
  unique (agent_id, generation)
);

create index search_agents_account on search_agents (account_id, generation);

-- What is in the index of a conversation, and what results are filtered and ordered by.
-- postgres:
create table search_docs (
  agent bigint not null,
  number bigint not null,
  conversation_id text not null,
  seq bigint not null,
  replaced bigint not null,
  buckets integer not null,
  doubtful integer not null,
  title text not null,
  facets text not null,
  created_at bigint not null,
  last_activity bigint not null,
  primary key (agent, number)
);

-- sqlite:
create table search_docs (
  agent bigint not null,
  number bigint not null,
  conversation_id text not null,
  seq bigint not null,
  replaced bigint not null,
  buckets integer not null,
  doubtful integer not null,
  title text not null,
  facets text not null,
  created_at bigint not null,
  last_activity bigint not null,
  primary key (agent, number)
) without rowid;

create unique index search_docs_conversation on search_docs (agent, conversation_id);

create index search_docs_activity on search_docs (agent, last_activity, conversation_id);

-- The distinct words of a conversation, in parts that are small enough to be written anew with each new word.
create table search_buckets (
  id bigint primary key,
  words text not null
);

-- The ranked conversations of a search, so that its pages hold still.
create table search_walks (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  ranked text not null,
  keep_until bigint not null
);

create index search_walks_old on search_walks (keep_until);

-- The words of each message, by agent, conversation and sequence number, and those of each bucket. The tokens are ours: the
-- database only stores them.
-- sqlite:
create virtual table search_messages using fts5 (words, content='', contentless_delete=1, detail=none, tokenize='ascii');

-- sqlite:
create virtual table search_words using fts5 (words, content='', contentless_delete=1, detail=none, tokenize='ascii');

-- postgres:
create table search_messages (
  id bigint primary key,
  words tsvector not null
);

-- postgres:
create table search_words (
  id bigint primary key,
  words tsvector not null
);

-- postgres:
create index search_messages_words on search_messages using gin (words) with (gin_pending_list_limit = 256);

-- postgres:
create index search_words_words on search_words using gin (words) with (gin_pending_list_limit = 256);

-- What the facets of a conversation are gathered by.
create index messages_marked on messages (agent_id, conversation_id) where feedback is not null or author = 'human';

create index tool_calls_facets on tool_calls (conversation_id, agent_id, account_id, tool, action_type, status);
