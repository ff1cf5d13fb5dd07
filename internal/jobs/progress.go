package jobs

import (
	"context"
	"strings"
	"time"

	"parley/internal/sqldb"
)

// StateRunning is the state of a job that runs; one that waits to run again has another.
const StateRunning = "running"

// Progress is the state of a job that has not ended.
type Progress struct {
	Key       string
	State     string
	Attempts  int
	UpdatedAt time.Time
}

// Unfinished returns the jobs of the kinds with the keys that have not ended, in no order. The caller knows that the
// keys are its account's.
func Unfinished(ctx context.Context, db *sqldb.DB, kinds, keys []string) ([]Progress, error) {
	if len(kinds) == 0 || len(keys) == 0 {
		return nil, nil
	}
	args := make([]any, 0, len(kinds)+len(keys))
	for _, list := range [][]string{kinds, keys} {
		for _, value := range list {
			args = append(args, value)
		}
	}
	return sqldb.All(ctx, db, func(scan sqldb.Scan) (p Progress, err error) {
		var updated int64
		err = scan(
			&p.Key,
			&p.State,
			&p.Attempts,
			&updated,
		)
		p.UpdatedAt = time.UnixMilli(updated).UTC()
		return p, err
	}, `
		select key, state, attempts, updated_at
		from jobs
		where kind in (?`+strings.Repeat(", ?", len(kinds)-1)+`) and key in (?`+strings.Repeat(", ?", len(keys)-1)+`)`,
		args...)
}
