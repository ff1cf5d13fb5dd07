-- The bytes of uploaded files, where servers share a database and no folder: in parts, under the hash of the whole.
-- postgres:
create table blob_data (
  hash text not null,
  part integer not null,
  bytes bytea not null,
  primary key (hash, part)
);

-- sqlite:
create table blob_data (
  hash text not null,
  part integer not null,
  bytes blob not null,
  primary key (hash, part)
);

-- Whether a file is still named is asked whenever one goes.
create index blobs_place on blobs (place);
