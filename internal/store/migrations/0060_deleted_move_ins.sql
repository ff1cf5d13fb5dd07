-- Conversations that were deleted here and may have been taken over from another service: they are not taken over again.
create table move_in_deletions (
  account_id text not null,
  conversation_id text not null,
  primary key (account_id, conversation_id)
);

-- How many conversations of an agent were met that were deleted here.
alter table move_in_agents add column deleted bigint not null default 0;
