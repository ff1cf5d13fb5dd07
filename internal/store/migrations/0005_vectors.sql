-- In which of the agent's passage versions a vector came: servers read into memory what came after the version they hold.
alter table passage_vectors add column made_in bigint not null default 0;

create index passage_vectors_made on passage_vectors (agent_id, made_in);

-- The passages of a text, for its vector.
create index passages_hash on passages (agent_id, hash);
