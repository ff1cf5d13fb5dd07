package store

import (
	"context"
	"database/sql"
	"time"

	"parley"
	"parley/internal/sqldb"
)

type nullText = sql.NullString

// InsightProgress is how far an account's events have been followed for insight.
type InsightProgress struct {
	Account parley.AccountID
	Seq     int64
}

// AccountsBehindInsight lists accounts in which something has happened since. It is a job of the installation and asks for no account.
func (db *DB) AccountsBehindInsight(ctx context.Context) ([]InsightProgress, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (f InsightProgress, err error) {
		err = scan(&f.Account, &f.Seq)
		return f, err
	}, `select a.id, coalesce(i.seq, 0) from accounts a left join insight_accounts i on i.account_id = a.id where coalesce(i.seq, 0) < a.event_seq`)
}

// Event is an event with when it happened.
type Event struct {
	EventRef
	At time.Time
}

// Events lists an account's events behind a number, oldest first. end is the account's last number.
func (db *DB) Events(ctx context.Context, account parley.AccountID, seq int64, limit int) (list []Event, end int64, err error) {
	if end, err = sqldb.One(ctx, db.sql, sqldb.Column[int64], `select event_seq from accounts where id = ?`, account); err != nil {
		return nil, 0, err
	}
	list, err = sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (h Event, err error) {
		var at int64
		err = scan(&h.Seq, &h.Kind, &h.Agent, &h.Conversation, &h.Subject, &at)
		h.At = timeFromMillis(at)
		return h, err
	}, `select seq, kind, coalesce(agent_id, ''), coalesce(conversation_id, ''), subject_id, at from events where account_id = ? and seq > ? and seq <= ? order by seq limit ?`,
		account, seq, end, limit)
	return list, end, err
}

// SaveInsightProgress notes how far an account has been followed.
func (db *DB) SaveInsightProgress(ctx context.Context, account parley.AccountID, seq int64) error {
	_, err := db.sql.Exec(ctx, `insert into insight_accounts (account_id, seq) values (?, ?) on conflict (account_id) do update set
		seq = case when insight_accounts.seq > excluded.seq then insight_accounts.seq else excluded.seq end`, account, seq)
	return err
}

// CountDueJobs counts the jobs of a kind that wait and are due, up to a limit. It is a job of the installation and asks for no account.
func (db *DB) CountDueJobs(ctx context.Context, kind string, now time.Time, limit int) (int, error) {
	return sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from (select id from jobs where state = 'ready' and run_at <= ? and kind = ? limit ?) due`,
		millis(now), kind, limit)
}
