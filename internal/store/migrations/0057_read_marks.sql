-- How far members have read conversations, and which of them they have marked as unread or have been given.
create table read_marks (
  user_id text not null,
  conversation_id text not null,
  account_id text not null,
  agent_id text not null,
  seen_until bigint not null,
  unread_since bigint,
  primary key (user_id, conversation_id)
);

create index read_marks_unread on read_marks (account_id, user_id, unread_since, conversation_id) where unread_since is not null;

create index read_marks_account on read_marks (account_id, user_id, conversation_id);

create index read_marks_conversation on read_marks (agent_id, conversation_id);

-- The conversations of an account and of an agent by their status: a list of those that have not ended reads none that have.
create index conversations_ongoing on conversations (account_id, last_activity, id) where status = 'ongoing' and deleted_at is null;

create index conversations_taken_over on conversations (account_id, last_activity, id) where status = 'taken_over' and deleted_at is null;

create index conversations_agent_ongoing on conversations (agent_id, last_activity, id) where status = 'ongoing' and deleted_at is null;

create index conversations_agent_taken_over on conversations (agent_id, last_activity, id)
  where status = 'taken_over' and deleted_at is null;

create index conversations_agent_ended on conversations (agent_id, last_activity, id) where status = 'ended' and deleted_at is null;

drop index conversations_active;

drop index conversations_agent_active;

-- Those of an agent in which the customer waits, and those that people have: the others of the account are not read.
create index conversations_agent_waiting on conversations (agent_id, waiting_since, id)
  where waiting_since is not null and deleted_at is null;

create index conversations_agent_waiting_active on conversations (agent_id, last_activity, id)
  where waiting_since is not null and deleted_at is null;

create index conversations_agent_claimed on conversations (agent_id, claimed_by, last_activity, id)
  where status = 'taken_over' and deleted_at is null;

-- Those in which the customer waits by who answers: what waits for one member is found without what waits for others.
create index conversations_claimed_waiting on conversations (account_id, claimed_by, waiting_since, id)
  where waiting_since is not null and deleted_at is null;

create index conversations_agent_claimed_waiting on conversations (agent_id, claimed_by, waiting_since, id)
  where waiting_since is not null and deleted_at is null;
