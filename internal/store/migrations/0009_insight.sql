-- What is found out about conversations after the talk. All of it can be made again from the conversations.

-- The operator's tree of topics, an array of objects or null, and the settings of insight, an object or null.
alter table agents add column topics text;

alter table agents add column insight text;

-- Whether a person has ever taken the conversation over, and whether its title was made of what was said.
alter table conversations add column escalated integer not null default 0;

alter table conversations add column title_made integer not null default 0;

update conversations set escalated = 1 where status = 'taken_over';

-- How far the account's events have been followed.
create table insight_accounts (
  account_id text primary key,
  seq bigint not null
);

-- What an agent's automatic topics go by: how many questions hold each word. Also the row that writers of an agent's insight lock.
create table insight_agents (
  agent_id text primary key,
  account_id text not null,
  vocabulary text not null default '{}'
);

-- Automatic topics: a name that stays, and the words of its questions with their weights.
create table insight_groups (
  agent_id text not null,
  name text not null,
  account_id text not null,
  terms text not null,
  made_at bigint not null,
  primary key (agent_id, name)
);

create table conversation_insights (
  conversation_id text primary key,
  account_id text not null,
  agent_id text not null,
  user_id text,
  channel text not null,
  created_at bigint not null,
  day text not null,
  topic text not null,
  topics text not null,
  sentiment text not null,
  escalated integer not null,
  has_voice integer not null,
  action_types text not null,
  messages integer not null,
  answers integer not null,
  refused integer not null,
  up integer not null,
  down integer not null,
  outcome text not null,
  asked_again integer not null,
  terms text not null,
  made_at bigint not null
);

create index conversation_insights_agent on conversation_insights (agent_id, created_at);

create index conversation_insights_user on conversation_insights (agent_id, user_id, created_at) where user_id is not null;

create index conversation_insights_loose on conversation_insights (agent_id, created_at) where topic = '' and terms <> '';

-- Questions that the sources did not answer.
create table insight_questions (
  conversation_id text not null,
  seq bigint not null,
  account_id text not null,
  agent_id text not null,
  asked_at bigint not null,
  text text not null,
  primary key (conversation_id, seq)
);

create index insight_questions_agent on insight_questions (agent_id, asked_at);

-- The sums for charts. A day is that on which the conversation began, in UTC.
-- postgres:
create table insight_days (
  agent_id text not null,
  day text not null,
  channel text not null,
  topic text not null,
  sentiment text not null,
  account_id text not null,
  conversations bigint not null,
  messages bigint not null,
  answers bigint not null,
  refused bigint not null,
  escalated bigint not null,
  up bigint not null,
  down bigint not null,
  resolved bigint not null,
  handed_over bigint not null,
  disliked bigint not null,
  given_up bigint not null,
  asked_again bigint not null,
  primary key (agent_id, day, channel, topic, sentiment)
);

-- sqlite:
create table insight_days (
  agent_id text not null,
  day text not null,
  channel text not null,
  topic text not null,
  sentiment text not null,
  account_id text not null,
  conversations bigint not null,
  messages bigint not null,
  answers bigint not null,
  refused bigint not null,
  escalated bigint not null,
  up bigint not null,
  down bigint not null,
  resolved bigint not null,
  handed_over bigint not null,
  disliked bigint not null,
  given_up bigint not null,
  asked_again bigint not null,
  primary key (agent_id, day, channel, topic, sentiment)
) without rowid;
