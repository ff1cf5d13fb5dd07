-- Whether members enter an account by single sign-on alone, and the one owner who need not.
alter table accounts add column only_sso integer not null default 0;
alter table accounts add column exempt_owner text;

-- How the person of a session signed in; empty of sessions from before it was kept.
alter table web_sessions add column method text not null default '';
