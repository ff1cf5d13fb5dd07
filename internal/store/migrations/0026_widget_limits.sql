-- What the page of a new conversation says of itself.
alter table conversations add column embed_title text;

alter table conversations add column embed_locale text;

-- What visitors may use of the agent through its widget: a JSON object, or null.
alter table agents add column widget_limits text;

-- Whom the turn answers in the widget; null elsewhere.
alter table turns add column visitor_id text;

create index turns_visitor on turns (visitor_id) where state = 'open' and visitor_id is not null;

-- Credits that the visitors of an agent have used and reserved on a day (UTC), by visitor; those of all have an empty
-- visitor.
create table visitor_credits (
  account_id text not null,
  agent_id text not null,
  visitor_id text not null,
  day text not null,
  used bigint not null,
  reserved bigint not null,
  primary key (account_id, agent_id, visitor_id, day)
);

create index visitor_credits_day on visitor_credits (day);
