-- Texts that an account keeps for its members to write to customers with.
create table saved_replies (
  id text primary key,
  account_id text not null,
  name text not null,
  body text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create index saved_replies_account on saved_replies (account_id, name, id);

-- Filters of the inbox under a name, of a member alone or of all members of the account.
create table saved_views (
  id text primary key,
  account_id text not null,
  user_id text not null,
  is_shared integer not null,
  name text not null,
  filter text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create index saved_views_account on saved_views (account_id, name, id);

-- Files that members have uploaded and not yet sent.
create table member_files (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  user_id text not null,
  blob_id text not null,
  name text not null,
  media_type text not null,
  size bigint not null,
  created_at bigint not null
);

create index member_files_agent on member_files (agent_id);

create index member_files_user on member_files (user_id);

create index member_files_age on member_files (created_at);

create index member_files_blob on member_files (blob_id);
