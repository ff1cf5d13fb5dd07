-- Lists of the people, the keys and the acts of an account, as members page through them.

-- Who has made the key: an actor as in audit_events; empty of keys from before.
alter table api_keys add column created_by text not null default '';

create index api_keys_in_force on api_keys (account_id, created_at, id) where revoked_at is null;

create index api_keys_revoked on api_keys (account_id, created_at, id) where revoked_at is not null;

create index memberships_listed on memberships (account_id, created_at, user_id);

create index audit_events_at on audit_events (account_id, at, seq);

create index audit_events_actor on audit_events (account_id, actor, at, seq);

create index audit_events_action on audit_events (account_id, action, at, seq);

create index audit_events_actor_action on audit_events (account_id, actor, action, at, seq);
