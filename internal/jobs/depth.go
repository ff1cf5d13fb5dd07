package jobs

import (
	"context"
	"time"

	"parley/internal/sqldb"
)

// Depth is how many jobs there are in the database, whoever runs them.
type Depth struct {
	Waiting, Running, Dead int
	OldestDue              time.Duration // for how long the one that is due longest has been due; 0 where none is
}

// Depth counts the jobs of all accounts.
func (q *Queue) Depth(ctx context.Context, db *sqldb.DB) (Depth, error) {
	type row struct {
		state string
		n     int
		runAt int64 // the earliest
	}
	rows, err := sqldb.All(ctx, db, func(scan sqldb.Scan) (r row, err error) {
		err = scan(&r.state, &r.n, &r.runAt)
		return r, err
	}, `select state, count(*), min(run_at) from jobs group by state`)
	var d Depth
	for _, r := range rows {
		switch r.state {
		case "ready":
			d.Waiting, d.OldestDue = r.n, max(q.Now().Sub(time.UnixMilli(r.runAt)), 0)
		case "running":
			d.Running = r.n
		case "dead":
			d.Dead = r.n
		}
	}
	return d, err
}
