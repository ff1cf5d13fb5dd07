-- What PostgreSQL keeps of the search.

-- How much of the index may be pending is said by each transaction that writes it.
-- postgres:
alter index search_messages_words reset (gin_pending_list_limit);

-- postgres:
alter index search_words_words reset (gin_pending_list_limit);

-- The ranked conversations of a search need not outlive a crash of the database: the search starts again.
-- postgres:
alter table search_walks set unlogged;
