-- When a visitor is next looked at whether it may be deleted: one who has a conversation or was seen is looked at again
-- much later. Those from before are looked at once.
alter table visitors add column check_at bigint not null default 0;

create index visitors_check on visitors (check_at);
