-- How people sign in. Of tokens, links and recovery codes only hashes are kept: nobody who reads the database can use them.

alter table users add column locale text not null default '';

alter table users add column theme text not null default '';

-- A JSON object, or null.
alter table users add column notifications text;

create index users_password on users (id) where password_hash is not null;

alter table memberships add column last_seen_at bigint;

create index memberships_user on memberships (user_id, created_at, account_id);

-- account_id is the account that the session began with. A revoked session stays until it would have ended.
create table web_sessions (
  id text primary key,
  user_id text not null references users (id),
  hash text not null unique,
  account_id text,
  user_agent text not null,
  address text not null,
  created_at bigint not null,
  last_seen_at bigint not null,
  expires_at bigint not null,
  stepped_up_at bigint not null,
  revoked_at bigint
);

create index web_sessions_user on web_sessions (user_id, created_at, id);

create index web_sessions_expiry on web_sessions (expires_at);

-- credential_id, public_key and aaguid are base64 (url-safe, without padding), transports is a JSON list or null.
create table passkeys (
  id text primary key,
  user_id text not null references users (id),
  credential_id text not null unique,
  public_key text not null,
  sign_count bigint not null,
  aaguid text not null,
  transports text,
  flags integer not null,
  name text not null,
  created_at bigint not null,
  last_used_at bigint
);

create index passkeys_user on passkeys (user_id, created_at, id);

-- What a browser was asked to sign with a passkey. A row is deleted when the answer comes.
create table passkey_challenges (
  id text primary key,
  user_id text,
  purpose text not null,
  data text not null,
  expires_at bigint not null
);

create index passkey_challenges_expiry on passkey_challenges (expires_at);

create table recovery_codes (
  user_id text not null references users (id),
  hash text not null,
  created_at bigint not null,
  used_at bigint,
  primary key (user_id, hash)
);

-- A link by which somebody signs in once: an invitation into an account, or a reset of a password, which has no account.
create table invites (
  id text primary key,
  kind text not null,
  account_id text,
  user_id text,
  email text not null,
  role text,
  hash text not null unique,
  invited_by text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint
);

create index invites_account on invites (account_id, created_at, id) where used_at is null;

create index invites_user on invites (user_id) where used_at is null;

create index invites_expiry on invites (expires_at);

create table sso_links (
  issuer text not null,
  subject text not null,
  user_id text not null references users (id),
  created_at bigint not null,
  last_used_at bigint,
  primary key (issuer, subject)
);

create index sso_links_user on sso_links (user_id);
