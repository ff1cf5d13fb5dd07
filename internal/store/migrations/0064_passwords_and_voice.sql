-- Whether members enter an account without passwords: with a passkey or by single sign-on.
alter table accounts add column no_passwords integer not null default 0;

-- Voice sessions of an account and its agents that have ended on a day (UTC, counted from 1970), by why they have. Those
-- of the whole account have an empty agent. joined is how many a customer has joined, seconds how long those took, and
-- minutes what was charged.
create table voice_days (
  account_id text not null,
  agent_id text not null,
  day bigint not null,
  reason text not null,
  sessions bigint not null,
  joined bigint not null,
  seconds bigint not null,
  minutes bigint not null,
  primary key (account_id, agent_id, day, reason)
);

create index voice_days_day on voice_days (day);

insert into voice_days (account_id, agent_id, day, reason, sessions, joined, seconds, minutes)
  select
    account_id,
    agent_id,
    ended_at / 86400000,
    end_reason,
    count(*),
    count(joined_at),
    sum(case when joined_at is null then 0 else (ended_at - joined_at) / 1000 end),
    sum(minutes)
  from voice_sessions
  where ended_at is not null and end_reason is not null
  group by account_id, agent_id, ended_at / 86400000, end_reason;

insert into voice_days (account_id, agent_id, day, reason, sessions, joined, seconds, minutes)
  select
    account_id,
    '',
    day,
    reason,
    sum(sessions),
    sum(joined),
    sum(seconds),
    sum(minutes)
  from voice_days
  group by account_id, day, reason;
