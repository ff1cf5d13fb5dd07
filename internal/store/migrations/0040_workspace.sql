-- The provider of single sign-on that an account has set for its own people. The secret is sealed; the provider counts
-- once an owner has signed in by it.
create table sso_providers (
  account_id text primary key,
  issuer text not null,
  client_id text not null,
  sealed_secret text,
  name text not null,
  join_role text,
  tested_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);

-- Domains of e-mail addresses that accounts name, and the token that proves one. A domain is proved by one account.
create table sso_domains (
  account_id text not null,
  domain text not null,
  token text not null,
  proved_at bigint,
  created_at bigint not null,
  primary key (account_id, domain)
);

create unique index sso_domains_proved on sso_domains (domain) where proved_at is not null;

-- The beginning of what the latest attempt of a delivery was answered, as text.
alter table webhook_deliveries add column last_answer text;
