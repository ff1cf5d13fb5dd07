-- The customers of an agent by the beginning of their name and of their address, in the order of bytes. On SQLite
-- people_email has the addresses in that order.
-- postgres:
create index people_names on people (agent_id, (lower(name) collate "C")) where name is not null;

-- sqlite:
create index people_names on people (agent_id, lower(name)) where name is not null;

-- postgres:
create index people_addresses on people (agent_id, (lower(email) collate "C")) where email is not null;

-- The conversations of a customer, the last active first.
create index conversations_of_person on conversations (person_id, last_activity) where person_id is not null;
