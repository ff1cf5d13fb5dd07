-- For how many days an agent keeps files, and visitors who have left nothing; null for as long as their conversation, and
-- for as long as the token of a visitor is good.
alter table agents add column file_retention_days bigint;

alter table agents add column visitor_retention_days bigint;
