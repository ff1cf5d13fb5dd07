package store

import (
	"context"
	"database/sql"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// Expired counts what is older than it is kept.
type Expired struct {
	Count  int
	Oldest *time.Time // nil if there is none
}

// ExpiredConversations counts the agent's conversations without activity since a moment.
func (db *DB) ExpiredConversations(ctx context.Context, ref parley.AgentRef, before time.Time) (Expired, error) {
	return db.expired(ctx, `
		select count(*), min(last_activity)
		from conversations
		where agent_id = ? and account_id = ? and deleted_at is null and created_at < ? and last_activity < ?`,
		ref.Agent, ref.Account, millis(before), millis(before))
}

// ExpiredRecordings counts the agent's recordings that were made before a moment.
func (db *DB) ExpiredRecordings(ctx context.Context, ref parley.AgentRef, before time.Time) (Expired, error) {
	return db.expired(ctx, `
		select count(*), min(created_at)
		from voice_recordings
		where agent_id = ? and account_id = ? and created_at < ?`, ref.Agent, ref.Account, millis(before))
}

// ExpiredFiles counts the files that were sent in the agent's conversations without activity since a moment: they are
// deleted with them.
func (db *DB) ExpiredFiles(ctx context.Context, ref parley.AgentRef, before time.Time) (Expired, error) {
	return db.expired(ctx, `
		select count(*), min(f.created_at)
		from attachments f
		join conversations c on c.id = f.conversation_id and c.agent_id = f.agent_id and c.account_id = f.account_id
		where f.agent_id = ? and f.account_id = ? and c.deleted_at is null and c.created_at < ?
		  and c.last_activity < ?`, ref.Agent, ref.Account, millis(before), millis(before))
}

// ExpiredOldFiles counts the files that were sent in the agent's conversations before a moment.
func (db *DB) ExpiredOldFiles(ctx context.Context, ref parley.AgentRef, before time.Time) (Expired, error) {
	return db.expired(ctx, `
		select count(*), min(created_at)
		from attachments
		where agent_id = ? and account_id = ? and created_at < ?`, ref.Agent, ref.Account, millis(before))
}

// ExpiredVisitors counts the agent's visitors who were not seen since a moment and have left nothing.
func (db *DB) ExpiredVisitors(ctx context.Context, ref parley.AgentRef, before time.Time) (Expired, error) {
	return db.expired(ctx, `
		select count(*), min(last_seen_at)
		from visitors
		where agent_id = ? and account_id = ? and last_seen_at < ?
		  and not exists (select 1 from conversations c where c.visitor_id = visitors.id)
		  and not exists (select 1 from visitor_files f where f.visitor_id = visitors.id)`,
		ref.Agent, ref.Account, millis(before))
}

func (db *DB) expired(ctx context.Context, query string, args ...any) (e Expired, err error) {
	var oldest sql.NullInt64
	err = db.sql.QueryRow(ctx, query, args...).Scan(&e.Count, &oldest)
	e.Oldest = timeOrNil(oldest)
	return e, err
}

// NoteExpired records in the account's audit chain what was deleted of an agent because its time was over.
func (db *DB) NoteExpired(ctx context.Context, ref parley.AgentRef, now, before time.Time, kind string, n int) error {
	if n == 0 {
		return nil
	}
	return db.AppendAuditEvent(ctx, ref.Account, now, "system", "retention.delete", string(ref.Agent),
		map[string]any{kind: n, "before": before.UTC().Format(time.RFC3339)})
}

// RowRetention is for how many days an agent keeps files and visitors; nil says nothing of it.
type RowRetention struct {
	Agent           parley.AgentRef
	Files, Visitors *int64
}

// RowRetentions lists the agents that keep files or visitors for a time of their own. It is a job of the installation
// and is not limited to one account.
func (db *DB) RowRetentions(ctx context.Context) ([]RowRetention, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (r RowRetention, err error) {
		err = scan(&r.Agent.Account, &r.Agent.Agent, &r.Files, &r.Visitors)
		return r, err
	}, `
		select account_id, id, file_retention_days, visitor_retention_days
		from agents
		where deleted_at is null and (file_retention_days is not null or visitor_retention_days is not null)
		order by id`)
}

// DropFiles deletes the files that were sent in an agent's conversations before a moment, at most limit, and returns
// their number. Messages keep their names. Their bytes are orphaned then (EraseOrphanedBlobs).
func (db *DB) DropFiles(ctx context.Context, ref parley.AgentRef, before time.Time, limit int) (n int64, err error) {
	return db.dropRows(ctx, `
		delete from attachments
		where id in (select id from attachments where agent_id = ? and account_id = ? and created_at < ?
		  order by created_at limit ?)`, ref, before, limit)
}

// DropVisitors deletes the agent's visitors who were not seen since a moment and have left nothing, at most limit, and
// returns their number.
func (db *DB) DropVisitors(ctx context.Context, ref parley.AgentRef, before time.Time, limit int) (n int64, err error) {
	return db.dropRows(ctx, `
		delete from visitors
		where id in (select v.id from visitors v where v.agent_id = ? and v.account_id = ? and v.last_seen_at < ?
		  and not exists (select 1 from conversations c where c.visitor_id = v.id)
		  and not exists (select 1 from visitor_files f where f.visitor_id = v.id)
		  order by v.last_seen_at limit ?)`, ref, before, limit)
}

func (db *DB) dropRows(ctx context.Context, statement string, ref parley.AgentRef, before time.Time,
	limit int) (n int64, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		n, err = tx.sql.Exec(ctx, statement, ref.Agent, ref.Account, millis(before), limit)
		return err
	})
	return n, err
}
