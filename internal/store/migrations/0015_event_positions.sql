-- How far each reader of the event log has come in each account. Search and insight had positions of their own; the columns
-- search_accounts.seq and insight_accounts.seq are no longer read. Webhooks begin at the end of the log: a delivery of each
-- event before it was written with the event.

create table event_positions (
  name text not null,
  account_id text not null,
  seq bigint not null,
  primary key (name, account_id)
);

insert into event_positions (name, account_id, seq) select 'search', account_id, seq from search_accounts;

insert into event_positions (name, account_id, seq) select 'insight', account_id, seq from insight_accounts;

insert into event_positions (name, account_id, seq) select 'webhook', id, event_seq from accounts;

-- The accounts whose index is being built.
create index search_accounts_building on search_accounts (account_id) where building is not null;
