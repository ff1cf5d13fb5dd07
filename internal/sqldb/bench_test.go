package sqldb_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

// The closure is like that of a chat turn: a read, an insert and an update.
func BenchmarkTransact(b *testing.B) {
	urls := map[string]func() string{
		"sqlite":   func() string { return dbs.NewSQLitePath(b) },
		"postgres": func() string { return dbs.StartPostgres(b).NewDatabase(b) },
	}
	for name, url := range urls {
		for _, callers := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/callers=%d", name, callers), func(b *testing.B) {
				db := dbs.Open(b, url())
				mustExec(b, db, `create table counters (id bigint primary key, n bigint not null)`)
				mustExec(b, db, `create table rows (id bigint primary key, body text not null)`)
				for i := range callers {
					mustExec(b, db, `insert into counters values (?, 0)`, i)
				}
				runUpdates(b, db, callers)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
			})
		}
	}
}

func runUpdates(b *testing.B, db *sqldb.DB, callers int) {
	body := strings.Repeat("x", 400)
	var caller, row atomic.Int64
	b.SetParallelism(max(1, callers/2)) // is multiplied by GOMAXPROCS, which is 2 where this is measured
	if callers == 1 {
		b.ResetTimer()
		for range b.N {
			runUpdate(b, db, 0, row.Add(1), body)
		}
		return
	}
	b.RunParallel(func(p *testing.PB) {
		id := caller.Add(1) - 1
		for p.Next() {
			runUpdate(b, db, id%int64(callers), row.Add(1), body)
		}
	})
}

func runUpdate(b *testing.B, db *sqldb.DB, caller, row int64, body string) {
	ctx := b.Context()
	err := db.Transact(ctx, sqldb.Interactive, func(tx *sqldb.DB) error {
		var n int64
		if err := tx.QueryRow(ctx, `select n from counters where id = ?`+tx.ForUpdate(), caller).Scan(&n); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `insert into rows values (?, ?)`, row, body); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `update counters set n = ? where id = ?`, n+1, caller)
		return err
	})
	if err != nil {
		b.Error(err)
	}
}
