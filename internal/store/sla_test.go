package store_test

import (
	"testing"
	"time"

	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// However many tickets are not overdue, what is overdue and what was missed are found without reading them.
func TestOverdueTicketsAreFoundByTheirTime(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		file := dbs.NewSQLitePath(t)
		dbs.WriteMigratedSQLite(t, file)
		fx := newFixture(t, store.New(dbs.Open(t, file)))
		checkOverdueQueries(fx, func(query string, args ...any) int { return dbs.CountSteps(t, file, query, args...) })
	})
	t.Run("postgres", func(t *testing.T) {
		fx := newFixture(t, store.New(dbs.Open(t, dbs.SharedPostgres(t).NewStore(t))))
		checkOverdueQueries(fx, fx.countTicketRows)
	})
}

// checkOverdueQueries counts what the queries read, as count does, with some tickets that are not overdue and with ten
// times as many. They are due later, or never.
func checkOverdueQueries(fx *fixture, count func(query string, args ...any) int) {
	fx.Helper()
	customer, err := fx.addPerson(fx.newPerson("c@example.com", ""))
	fx.must(err)
	countAll := func() map[string]int {
		_, err := fx.SQL().Exec(fx, `
			update tickets set
			  due_at = case when number <= 40 then number when number % 2 = 0 then number + 1000000 end,
			  breach_at = case when number <= 40 then number when number % 2 = 0 then number + 1000000 end`)
		fx.must(err)
		if fx.SQL().Dialect() == sqldb.Postgres {
			_, err := fx.SQL().Exec(fx, `analyze tickets`)
			fx.must(err)
		}
		counts := map[string]int{}
		at := time.UnixMilli(1000)
		for query, args := range store.OverdueTicketQueries(fx.Account.ID.AgentRef(fx.Agent.ID), "ann", at) {
			if counts[query] = count(query, args...); counts[query] == 0 {
				fx.Errorf("nothing is read for %s", query)
			}
		}
		return counts
	}
	fx.addTickets(customer.ID, 1, 600)
	few := countAll()
	fx.addTickets(customer.ID, 601, 6000)
	for query, n := range countAll() {
		if n > 2*few[query] {
			fx.Errorf("%d with ten times as many tickets, %d before: %s", n, few[query], query)
		}
	}
}

// A ticket that is found as overdue and has nothing due, as no server writes it, does not end the list.
func TestOverdueTicketWithNothingDueIsListed(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		customer, err := fx.addPerson(fx.newPerson("c@example.com", ""))
		fx.must(err)
		fx.addTickets(customer.ID, 1, 3)
		_, err = fx.SQL().Exec(fx, `update tickets set due_at = 1`)
		fx.must(err)
		at := time.UnixMilli(1000)
		if list := fx.accountTickets(store.TicketFilter{OverdueAt: &at}, 10); len(list) != 3 {
			fx.Error(list)
		}
	})
}
