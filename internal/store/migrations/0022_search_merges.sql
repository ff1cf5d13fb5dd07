-- The segments of the full-text indexes are merged by internal/search, a few pages in a transaction. FTS5 would do it by
-- itself within the transactions that write, and hold the only writer for longer than a turn may wait. It still does where
-- so many have gathered that nobody can have merged them.

-- sqlite:
insert into search_messages (search_messages, rank) values ('automerge', 0);

-- sqlite:
insert into search_words (search_words, rank) values ('automerge', 0);

-- sqlite:
insert into search_messages (search_messages, rank) values ('crisismerge', 128);

-- sqlite:
insert into search_words (search_words, rank) values ('crisismerge', 128);
