-- The helpdesk. What is said about a ticket stands in the messages of its conversation: replies as customers see them, and the
-- team's notes and what happened to the ticket as types of their own.

create table ticket_statuses (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  key text,
  category text not null,
  external_label text not null,
  internal_label text not null,
  color text,
  is_default integer not null,
  position integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  archived_at bigint
);

create unique index ticket_statuses_default on ticket_statuses (agent_id, category) where is_default = 1;

create unique index ticket_statuses_key on ticket_statuses (agent_id, key) where key is not null;

create index ticket_statuses_agent on ticket_statuses (agent_id, category, position);

create table teams (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  key text,
  name text not null,
  is_default integer not null,
  strategy text not null,
  max_open integer,
  hours text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create unique index teams_default on teams (agent_id) where is_default = 1;

create unique index teams_name on teams (agent_id, lower(name));

create unique index teams_key on teams (agent_id, key) where key is not null;

create table team_members (
  team_id text not null,
  user_id text not null,
  account_id text not null,
  agent_id text not null,
  max_open integer,
  hours text not null,
  away integer not null default 0,
  last_turn bigint not null default 0,
  joined_at bigint not null,
  primary key (team_id, user_id)
);

create index team_members_agent on team_members (agent_id, user_id);

create table routing_rules (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  key text not null,
  name text not null,
  position integer not null,
  enabled integer not null,
  all_of text not null,
  any_of text not null,
  team_id text,
  member_id text,
  created_at bigint not null,
  updated_at bigint not null,
  unique (agent_id, key)
);

-- The helpdesk of an agent: it is made, with its statuses and its team, when it is first needed. last_number counts its tickets.
create table helpdesks (
  agent_id text primary key,
  account_id text not null,
  last_number bigint not null,
  handover integer not null default 1,
  created_at bigint not null,
  updated_at bigint not null
);

create table tickets (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  number bigint not null,
  subject text not null,
  description text not null,
  status_id text not null,
  category text not null,
  is_open integer not null,
  assignee_id text,
  person_id text not null,
  metadata text not null,
  channel text not null,
  conversation_id text,
  team_id text,
  priority text not null,
  routed text,
  created_at bigint not null,
  updated_at bigint not null,
  last_message_at bigint,
  closed_at bigint,
  unique (agent_id, number)
);

create unique index tickets_conversation on tickets (conversation_id) where conversation_id is not null;

create index tickets_created on tickets (agent_id, created_at, number);

create index tickets_updated on tickets (agent_id, updated_at, number);

create index tickets_spoken on tickets (agent_id, last_message_at, number);

create index tickets_person on tickets (person_id);

create index tickets_assignee on tickets (agent_id, assignee_id) where is_open = 1 and assignee_id is not null;

create index tickets_status on tickets (status_id);

-- The words by which tickets are found, each with its weight in the ticket.
-- postgres:
create table ticket_words (
  agent_id text not null,
  word text collate "C" not null,
  ticket_id text not null,
  account_id text not null,
  weight integer not null,
  primary key (agent_id, word, ticket_id)
);

-- sqlite:
create table ticket_words (
  agent_id text not null,
  word text not null,
  ticket_id text not null,
  account_id text not null,
  weight integer not null,
  primary key (agent_id, word, ticket_id)
) without rowid;

create index ticket_words_ticket on ticket_words (ticket_id);

create table attachments (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  message_id text not null,
  conversation_id text not null,
  blob_id text not null,
  name text not null,
  media_type text not null,
  size bigint not null,
  created_at bigint not null
);

create index attachments_message on attachments (message_id);

create index attachments_agent on attachments (agent_id);

create index attachments_blob on attachments (blob_id);

-- What an event or a note of the team tells besides its text, as an object.
alter table messages add column about text;
