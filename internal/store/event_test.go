package store_test

import (
	"strings"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/store"
)

// TestEventPlans checks that what the readers of the event log ask all the time walks no table: neither the log nor the
// accounts.
func TestEventPlans(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		if fx.SQL().Dialect() == sqldb.Postgres {
			_, err := fx.SQL().Exec(fx, `insert into accounts (id, name, plan, created_at, updated_at)
				select 'a' || i, '', '', 0, 0 from generate_series(1, 20000) i`)
			fx.must(err)
			_, err = fx.SQL().Exec(fx,
				`insert into event_positions (name, account_id, seq) select 'search', id, 0 from accounts`)
			fx.must(err)
			_, err = fx.SQL().Exec(fx, `insert into events (account_id, seq, at, kind, subject_id, payload)
				select 'a' || i % 2, i, 0, '', '', '{}' from generate_series(1, 20000) i`)
			fx.must(err)
			for _, table := range []string{"accounts", "event_positions", "events"} {
				_, err = fx.SQL().Exec(fx, "analyze "+table)
				fx.must(err)
			}
		}
		for query, args := range store.EventQueries() {
			steps := fx.explain(query, args...)
			for _, step := range steps {
				if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "Seq Scan") || strings.Contains(step, "B-TREE") ||
					strings.Contains(step, "Sort Key") {
					t.Errorf("%s\n%q in %q", query, step, steps)
				}
			}
		}
	})
}

// TestDayAndProgressPlans checks that days of voice sessions and what is seen of an answer are found by an index. What
// is sorted are the few reasons why sessions end.
func TestDayAndProgressPlans(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for query, args := range store.DayAndProgressQueries() {
			steps := fx.explainFull(query, args...)
			for _, step := range steps {
				if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "Seq Scan") {
					t.Errorf("%s\n%q in %q", query, step, steps)
				}
			}
		}
	})
}

// explainFull is explain as for large tables: on PostgreSQL none is read as a whole that has an index.
func (fx *fixture) explainFull(query string, args ...any) (steps []string) {
	fx.Helper()
	if fx.SQL().Dialect() != sqldb.Postgres {
		return fx.explain(query, args...)
	}
	fx.must(fx.SQL().Transact(fx, sqldb.Interactive, func(tx *sqldb.DB) (err error) {
		if _, err := tx.Exec(fx, "set local enable_seqscan = off"); err != nil {
			return err
		}
		steps, err = sqldb.All(fx, tx, sqldb.Column[string], "explain "+query, args...)
		return err
	}))
	return steps
}

// explain returns the steps of a statement's plan.
func (fx *fixture) explain(query string, args ...any) []string {
	fx.Helper()
	explain, isPostgres := "explain query plan ", fx.SQL().Dialect() == sqldb.Postgres
	if isPostgres {
		explain = "explain "
	}
	steps, err := sqldb.All(fx, fx.SQL(), func(scan sqldb.Scan) (step string, err error) {
		if isPostgres {
			err = scan(&step)
			return step, err
		}
		var id, parent, unused int
		err = scan(&id, &parent, &unused, &step)
		return step, err
	}, explain+query, args...)
	fx.must(err)
	return steps
}
