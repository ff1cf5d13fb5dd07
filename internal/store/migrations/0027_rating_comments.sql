-- What the end user has written about a rating; null for nothing.
alter table messages add column feedback_comment text;
