-- Conversations by origin, newest first: the list of those that began through the API, and the export of some origins.
create index conversations_listed on conversations (agent_id, channel, created_at, id) where deleted_at is null;

-- The same of one end user. It takes the place of an index that could not give their order.
drop index conversations_user;

create index conversations_user on conversations (agent_id, user_id, channel, created_at, id) where user_id is not null and deleted_at is null;

-- Deleted conversations whose rows are still to be erased: few, and gone soon.
create index conversations_deleted on conversations (agent_id) where deleted_at is not null;

-- Agents that keep conversations for a time only.
create index agents_retention on agents (id) where retention_days is not null;
