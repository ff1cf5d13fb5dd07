-- Jobs of some kinds take turns by account, small ones of an account before large ones. size is the bytes that a job has to work on.
-- rank is the job's place among those of its kind, given once it is due; 0 is none.

alter table jobs add column size bigint not null default 0;

alter table jobs add column rank bigint not null default 0;

create index jobs_unranked on jobs (kind, run_at, id) where state = 'ready' and rank = 0;

create index jobs_by_rank on jobs (kind, state, rank, id) where rank > 0;

create index jobs_of_account on jobs (kind, account_id, rank) where rank > 0;

create index jobs_small_first on jobs (kind, account_id, (run_at + size / 16), id) where state = 'ready' and rank > 0;
