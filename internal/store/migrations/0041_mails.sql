-- Mails about conversations: whom one was about to be sent to and when, so that nobody gets many of them. The id is the
-- recipient and the conversation; sent_at is null until a server has taken the mail.
create table mail_notices (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  conversation_id text not null,
  kind text not null,
  claimed_at bigint not null,
  sent_at bigint
);

create index mail_notices_conversation on mail_notices (conversation_id);

create index mail_notices_agent on mail_notices (agent_id);

-- The last day, such as 2026-11-28, of which the daily mails of an agent were written down to be sent.
alter table agents add column mailed_day text;

-- The time zone of an account by its IANA name; empty for UTC.
alter table accounts add column time_zone text not null default '';
