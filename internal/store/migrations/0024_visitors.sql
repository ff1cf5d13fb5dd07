-- Browsers in which the widget of an agent was used. user_id is who the embedding site says it is, and was verified. A
-- visitor that becomes known to the site is another one from then on, which merged_into names.
create table visitors (
  id text primary key,
  account_id text not null references accounts (id),
  agent_id text not null references agents (id),
  user_id text,
  first_page text,
  merged_into text,
  locale text not null,
  created_at bigint not null,
  last_seen_at bigint not null
);

create index visitors_user on visitors (agent_id, user_id) where user_id is not null;

create index visitors_age on visitors (agent_id, last_seen_at);

alter table conversations add column visitor_id text;

create index conversations_visitor on conversations (visitor_id, last_activity, id) where visitor_id is not null;

-- The secret before the present one of an agent is valid until identity_old_until.
alter table agents add column identity_secret_old text;

alter table agents add column identity_old_until bigint;
