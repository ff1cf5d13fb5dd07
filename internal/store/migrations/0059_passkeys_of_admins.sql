-- Whether owners and admins enter an account with a passkey or by single sign-on alone.
alter table accounts add column admins_need_passkey integer not null default 0;
