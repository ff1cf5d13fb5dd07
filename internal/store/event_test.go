package store_test

import (
	"strings"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/store"
)

// TestEventPlans holds that what the readers of the event log ask all the time walks no table: neither the log nor the
// accounts.
func TestEventPlans(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		explain := "explain query plan "
		if w.SQL().Dialect() == sqldb.Postgres {
			explain = "explain "
			_, err := w.SQL().Exec(w, `insert into accounts (id, name, plan, created_at, updated_at)
				select 'a' || i, '', '', 0, 0 from generate_series(1, 20000) i`)
			w.must(err)
			_, err = w.SQL().Exec(w, `insert into event_positions (name, account_id, seq) select 'search', id, 0 from accounts`)
			w.must(err)
			_, err = w.SQL().Exec(w, `insert into events (account_id, seq, at, kind, subject_id, payload)
				select 'a' || i % 2, i, 0, '', '', '{}' from generate_series(1, 20000) i`)
			w.must(err)
			for _, table := range []string{"accounts", "event_positions", "events"} {
				_, err = w.SQL().Exec(w, "analyze "+table)
				w.must(err)
			}
		}
		for query, args := range store.EventQueries() {
			steps, err := sqldb.All(w, w.SQL(), func(scan sqldb.Scan) (step string, err error) {
				if w.SQL().Dialect() == sqldb.Postgres {
					err = scan(&step)
					return step, err
				}
				var id, parent, unused int
				err = scan(&id, &parent, &unused, &step)
				return step, err
			}, explain+query, args...)
			w.must(err)
			for _, step := range steps {
				if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "Seq Scan") || strings.Contains(step, "B-TREE") ||
					strings.Contains(step, "Sort Key") {
					t.Errorf("%s\n%q in %q", query, step, steps)
				}
			}
		}
	})
}
