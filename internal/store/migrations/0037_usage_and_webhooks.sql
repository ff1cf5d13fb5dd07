-- Credits that an account and its agents have used on a day (UTC); those of the whole account have an empty agent.
create table credit_days (
  account_id text not null,
  day text not null,
  agent_id text not null,
  used bigint not null,
  primary key (account_id, day, agent_id)
);

create index credit_days_day on credit_days (day);

-- Since when nothing is sent to the webhook; null while it is on.
alter table webhooks add column disabled_at bigint;

-- How long the last attempt took, in milliseconds.
alter table webhook_deliveries add column last_millis bigint;
