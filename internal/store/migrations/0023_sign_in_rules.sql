-- When it was shown that a user reads the mail of their address; null while only whoever has added or invited them says so.
alter table users add column email_proved_at bigint;

-- Whether the present token of a link was mailed, so that whoever has it reads the mail of the address.
alter table invites add column mailed integer not null default 0;

create index invites_by on invites (invited_by) where used_at is null;

-- Whether viewers are shown the personal data of customers.
alter table accounts add column viewers_see_personal_data integer not null default 0;
