-- Within how much working time the tickets of a helpdesk are to be replied to and resolved, as an array of objects. Null: there are no targets.
alter table helpdesks add column targets text;

-- The working time that a ticket has taken before its clock was started last, since when that runs, and when a member has first replied.
alter table tickets add column worked_ms bigint;

alter table tickets add column running_since bigint;

alter table tickets add column replied_at bigint;

-- Until when it is to be replied to and resolved, and when it was recorded that this was missed.
alter table tickets add column first_reply_due bigint;

alter table tickets add column resolution_due bigint;

alter table tickets add column first_reply_breached_at bigint;

alter table tickets add column resolution_breached_at bigint;

-- The earlier of the two times, and the earlier one that is not recorded as missed.
alter table tickets add column due_at bigint;

alter table tickets add column breach_at bigint;

update tickets set replied_at = (
  select min(m.created_at)
  from messages m
  where m.agent_id = tickets.agent_id and m.conversation_id = tickets.conversation_id and m.account_id = tickets.account_id
    and m.author = 'human' and m.type = 'reply')
where conversation_id is not null;

-- What is due, in the order of the times: of an agent, of an account, and of one member in it. A list of what is overdue reads nothing else.
create index tickets_due on tickets (agent_id, due_at, number) where due_at is not null;

create index tickets_category_due on tickets (account_id, category, due_at, id) where due_at is not null;

create index tickets_assignee_due on tickets (account_id, assignee_id, category, due_at, id) where due_at is not null;

-- What is recorded as missed next.
create index tickets_breach on tickets (breach_at, id) where breach_at is not null;
