-- The turns of an agent that ended well, by time: an evaluation reads the newest of them.
create index turns_done on turns (agent_id, started_at) where state = 'done';
