-- By what a conversation that was taken over from another service is known, whatever its id is here: a hash of its ids
-- there.
alter table conversations add column move_in_key text;

create index conversations_move_in on conversations (agent_id, move_in_key) where move_in_key is not null;
