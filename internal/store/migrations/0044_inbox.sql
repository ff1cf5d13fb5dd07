-- The inbox of an account: its conversations over all agents by their last activity, and those that people have.
create index conversations_active on conversations (account_id, last_activity, id) where deleted_at is null;

create index conversations_taken_over on conversations (account_id, last_activity, id) where status = 'taken_over' and deleted_at is null;
