package store

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// What is asked here is about the whole installation: whether it is in order. It is not limited to one account, may
// take long, and is asked of a snapshot.

// SealedSecret is a secret as it is stored.
type SealedSecret struct {
	AccountID parley.AccountID
	Kind      string // for people: of what it is
	OwnerID   string // of what it belongs to
	Sealed    string
}

// SealedSecrets lists the secrets that the key of the installation has sealed, at most limit.
func (db *DB) SealedSecrets(ctx context.Context, limit int) ([]SealedSecret, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (s SealedSecret, err error) {
		err = scan(&s.AccountID, &s.Kind, &s.OwnerID, &s.Sealed)
		return s, err
	}, `
		select account_id, 'action', id, secrets
		from actions
		where secrets <> ''
		union all
		select account_id, 'webhook', id, signing
		from webhooks
		where signing <> ''
		union all
		select account_id, 'model server', id, sealed_key
		from model_servers
		where sealed_key <> ''
		union all
		select account_id, 'single sign-on', account_id, sealed_secret
		from sso_providers
		where sealed_secret <> ''
		limit ?`, limit)
}

// LastEventAt returns when the newest event was recorded; the zero time if there is none.
func (db *DB) LastEventAt(ctx context.Context) (time.Time, error) {
	at, err := sqldb.One(ctx, db.sql, sqldb.Column[int64], `
		select coalesce(max(e.at), 0)
		from accounts a
		join events e on e.account_id = a.id and e.seq = a.event_seq`)
	if err != nil || at == 0 {
		return time.Time{}, err
	}
	return timeFromMillis(at), nil
}

// CountAccountsBehind counts the accounts in which a reader of the event log has left an event from before a moment
// unread.
func (db *DB) CountAccountsBehind(ctx context.Context, reader string, before time.Time) (int, error) {
	return db.count(ctx, `
		from accounts a
		left join event_positions p on p.name = ? and p.account_id = a.id
		join events e on e.account_id = a.id
		  and e.seq = (select min(n.seq) from events n where n.account_id = a.id and n.seq > coalesce(p.seq, 0))
		where coalesce(p.seq, 0) < a.event_seq and e.at < ?`, reader, millis(before))
}

// CountUnfinishedReindexing counts the accounts whose index of conversations is being built.
func (db *DB) CountUnfinishedReindexing(ctx context.Context) (int, error) {
	return db.count(ctx, `from search_accounts where building is not null`)
}

// SourceState counts sources that are not as they should be.
type SourceState struct {
	Failed  int // the last training failed
	Waiting int // untrained or changed since before a moment
	Empty   int // live, with a text, and without a passage that could be found
}

// SourceState counts the sources of all agents; those that wait have done so since before a moment.
func (db *DB) SourceState(ctx context.Context, before time.Time) (s SourceState, err error) {
	const live = `from sources s join agents a on a.id = s.agent_id and a.deleted_at is null where s.deleted_at is null`
	if s.Failed, err = db.count(ctx, live+` and s.status = ?`, parley.SourceFailed); err != nil {
		return s, err
	}
	s.Waiting, err = db.count(ctx, live+` and s.status in (?, ?) and s.updated_at < ?`, parley.SourceUntrained,
		parley.SourceUpdated, millis(before))
	if err != nil {
		return s, err
	}
	s.Empty, err = db.count(ctx, live+`
		  and s.live_version is not null
		  and exists (select 1 from source_versions v where v.id = s.live_version and v.agent_id = s.agent_id
		    and v.text <> '')
		  and not exists (select 1 from passages p where p.agent_id = s.agent_id and p.source_id = s.id
		    and p.version_id = s.live_version)`)
	return s, err
}

// CountDeadDeliveries counts the deliveries to webhooks that were given up after a moment.
func (db *DB) CountDeadDeliveries(ctx context.Context, after time.Time) (int, error) {
	return db.count(ctx, `from webhook_deliveries where state = ? and updated_at > ?`, parley.DeliveryDead, millis(after))
}

// StoredFile is a file that rows of any account name.
type StoredFile struct {
	Location string
	Hash     string // SHA-256, hex
	Size     int64
}

// EachStoredFile calls f for every file that a row names, in the order of their hashes.
func (db *DB) EachStoredFile(ctx context.Context, f func(StoredFile)) error {
	var file StoredFile
	return sqldb.Each(ctx, db.sql, []any{&file.Location, &file.Hash, &file.Size}, func() { f(file) }, `
		select place, hash, min(size)
		from blobs
		group by place, hash
		order by hash, place`)
}

// CountIncompleteBlobData counts the files whose bytes are to be in the database and are not all there; prefix and hash
// are such a place. Of an agent that is being imported they come after the rows.
func (db *DB) CountIncompleteBlobData(ctx context.Context, prefix string) (int, error) {
	return db.count(ctx, `
		from (select distinct b.hash, b.size
		  from blobs b
		  where b.place = ? || b.hash and exists (select 1 from agents a where a.id = b.agent_id)) f
		where f.size <> (select coalesce(sum(length(d.bytes)), 0) from blob_data d where d.hash = f.hash)`, prefix)
}
