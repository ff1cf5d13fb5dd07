-- The pages that were found on sites are sources with a parent.
create index sources_pages on sources (parent_id, url) where parent_id is not null;

-- Links to be read again, few of all sources.
create index sources_sync on sources (next_sync_at) where next_sync_at is not null and deleted_at is null;

-- How often the reading of a link has begun: a reading that is not the latest ends.
alter table sources add column crawl_run bigint not null default 0;

-- The addresses that a link's reading has come upon, and what came of each.
create table crawl_pages (
  id text primary key,
  account_id text not null,
  agent_id text not null,
  source_id text not null,
  url text not null,
  role text not null,
  depth integer not null,
  hops integer not null,
  place bigint not null,
  left_out integer not null default 0,
  claimed integer not null default 0,
  state text not null default '',
  reason text not null default '',
  target text not null default '',
  status integer not null default 0,
  bytes bigint not null default 0,
  etag text not null default '',
  modified text not null default ''
);

create unique index crawl_pages_url on crawl_pages (source_id, url);

create index crawl_pages_waiting on crawl_pages (source_id, depth, place) where state = '';

create index crawl_pages_agent on crawl_pages (agent_id);
