-- The inbox of one agent, and what has ended in that of an account: neither is picked out of all conversations of the account.
create index conversations_agent_active on conversations (agent_id, last_activity, id) where deleted_at is null;

create index conversations_ended on conversations (account_id, last_activity, id) where status = 'ended' and deleted_at is null;
