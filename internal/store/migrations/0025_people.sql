-- The member who answers in a conversation that was taken over; null while nobody does.
alter table conversations add column claimed_by text;

-- Files that visitors have uploaded and not yet sent with a message. Sent, they are attachments of the same id.
create table visitor_files (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  visitor_id text not null,
  blob_id text not null,
  name text not null,
  media_type text not null,
  size bigint not null,
  created_at bigint not null
);

create index visitor_files_visitor on visitor_files (visitor_id);

create index visitor_files_agent on visitor_files (agent_id);

create index visitor_files_age on visitor_files (created_at);

create index visitor_files_blob on visitor_files (blob_id);
