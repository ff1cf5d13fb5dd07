package store

import (
	"context"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// CountUpload counts an upload of the account, unless there have been so many in the window before now: then it tells how long
// to wait for the next. It is exact, on however many servers they arrive. Fails with ACCOUNT_NOT_FOUND.
func (db *DB) CountUpload(ctx context.Context, account parley.AccountID, now time.Time, limit int, window time.Duration) (wait time.Duration, err error) {
	name, at := "uploads:"+string(account), millis(now)
	err = db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		wait = 0
		if _, err := sqldb.One(ctx, tx.sql, sqldb.Column[int], `select 1 from accounts where id = ?`+tx.sql.ForUpdate(), account); err != nil {
			return mapNotFound(err, parley.CodeAccountNotFound)
		}
		text, err := tx.FindSetting(ctx, name)
		if err != nil {
			return err
		}
		recent := parseTimesAfter(text, at-window.Milliseconds())
		if len(recent) >= limit {
			wait = time.Duration(recent[len(recent)-limit]+window.Milliseconds()-at) * time.Millisecond
			return nil
		}
		log, err := json.Marshal(append(recent, at))
		if err != nil {
			return err
		}
		return tx.SetSetting(ctx, name, string(log))
	})
	return wait, err
}

// parseTimesAfter reads a list of times and leaves out those up to a moment.
func parseTimesAfter(text string, after int64) (recent []int64) {
	var all []int64
	if json.Unmarshal([]byte(text), &all) != nil {
		return nil // there is none yet
	}
	for _, at := range all {
		if at > after {
			recent = append(recent, at)
		}
	}
	return recent
}
