-- The open tickets of an agent, in each order that they are listed in: most tickets are closed, and most lists hold open ones.
create index tickets_open_updated on tickets (agent_id, updated_at, number) where is_open = 1;

create index tickets_open_created on tickets (agent_id, created_at, number) where is_open = 1;

create index tickets_open_spoken on tickets (agent_id, last_message_at, number) where is_open = 1;

-- The tickets of all agents of an account by the category of their status: a list of one category reads no other.
create index tickets_category_updated on tickets (account_id, category, updated_at, id);

create index tickets_category_created on tickets (account_id, category, created_at, id);

create index tickets_category_spoken on tickets (account_id, category, last_message_at, id);

-- The open ones of a member, and those that nobody has: what one member has is found without what the others have.
create index tickets_assignee_updated on tickets (account_id, assignee_id, category, updated_at, id) where is_open = 1;

create index tickets_assignee_created on tickets (account_id, assignee_id, category, created_at, id) where is_open = 1;

create index tickets_assignee_spoken on tickets (account_id, assignee_id, category, last_message_at, id) where is_open = 1;

drop index tickets_account_updated;

drop index tickets_account_created;

drop index tickets_account_spoken;
