-- Whether a user who signs in with their password is asked for a passkey or a recovery code too.
alter table users add column second_step integer not null default 0;
