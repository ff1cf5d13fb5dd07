-- Imports of archives that are under way. Rows are written in steps, and step and place say how far that is; the rows of
-- the account and of its agents come last, so until then nobody finds any of them. owner is the import that writes, of
-- several that were begun. archive is empty while rows are being taken back.
create table account_imports (
  account_id text primary key,
  archive text not null,
  salt text not null,
  agents text not null,
  users text not null,
  step text not null,
  place text not null,
  owner text not null,
  started_at bigint not null,
  updated_at bigint not null
);

create index account_imports_archive on account_imports (archive);
