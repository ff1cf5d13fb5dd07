-- What runs for each turn, event or second reads an index, whatever else waits.

-- The jobs of one kind that wait, and those that run.
create index jobs_ready on jobs (kind, run_at, id) where state = 'ready';

create index jobs_running on jobs (kind, lease_until, id) where state = 'running';

-- The parts of the conversations' index that are to be erased.
create index search_agents_retired on search_agents (retired_at) where retired_at is not null;
