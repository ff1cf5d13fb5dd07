-- How the words of an agent's conversations were cut when they were put into the index of conversation search. What was
-- cut in an older way is built again.
alter table search_agents add column tokens integer not null default 1;
