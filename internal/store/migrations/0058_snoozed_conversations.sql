-- Until when people have put a conversation aside. Null: they have not.
alter table conversations add column snoozed_until bigint;

-- What a member has and what nobody has yet, without what is put aside.
drop index conversations_claimed;

drop index conversations_agent_claimed;

create index conversations_awake on conversations (account_id, claimed_by, last_activity, id)
  where status = 'taken_over' and snoozed_until is null and deleted_at is null;

create index conversations_agent_awake on conversations (agent_id, claimed_by, last_activity, id)
  where status = 'taken_over' and snoozed_until is null and deleted_at is null;

-- What is put aside, by the time at which it comes back, and by who has it.
create index conversations_snoozed on conversations (account_id, snoozed_until, id)
  where snoozed_until is not null and deleted_at is null;

create index conversations_agent_snoozed on conversations (agent_id, snoozed_until, id)
  where snoozed_until is not null and deleted_at is null;

create index conversations_claimed_snoozed on conversations (account_id, claimed_by, last_activity, id)
  where snoozed_until is not null and deleted_at is null;

create index conversations_agent_claimed_snoozed on conversations (agent_id, claimed_by, last_activity, id)
  where snoozed_until is not null and deleted_at is null;

create index conversations_due on conversations (snoozed_until, id)
  where snoozed_until is not null and deleted_at is null;
