-- Since when a customer waits for a person: the list of who waits, its order and its number read no other conversation.
alter table conversations add column waiting_since bigint;

update conversations set waiting_since = last_activity
where status = 'taken_over' and deleted_at is null and coalesce((
  select m.author
  from messages m
  where m.agent_id = conversations.agent_id and m.conversation_id = conversations.id
    and m.account_id = conversations.account_id and m.type = 'reply' and m.superseded_at is null
  order by m.seq desc
  limit 1), '') <> 'human';

create index conversations_waiting on conversations (account_id, waiting_since, id)
  where waiting_since is not null and deleted_at is null;

create index conversations_waiting_active on conversations (account_id, last_activity, id)
  where waiting_since is not null and deleted_at is null;

-- Those that people have, by who has them: what one member has is found without what the others have.
create index conversations_claimed on conversations (account_id, claimed_by, last_activity, id)
  where status = 'taken_over' and deleted_at is null;

drop index conversations_taken_over;

-- The tickets of all agents of an account, in each order that they are listed in.
create index tickets_account_updated on tickets (account_id, updated_at, id);

create index tickets_account_created on tickets (account_id, created_at, id);

create index tickets_account_spoken on tickets (account_id, last_message_at, id);
