package store_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// openTickets is how many of the tickets that addTickets inserts are open: the first ones.
const openTickets = 100

// addTickets inserts tickets of the agent with the numbers from first to last. Half of them are ann's, every third has
// no message yet, and several have the same times.
func (fx *fixture) addTickets(customer parley.PersonID, first, last int) {
	fx.Helper()
	_, err := fx.SQL().Exec(fx, `
		insert into tickets (id, account_id, agent_id, number, subject, description, status_id, category, is_open,
		  assignee_id, person_id, metadata, channel, priority, created_at, updated_at, last_message_at)
		select 't' || n, ?, ?, n, '', '', 's',
		  case when n > `+strconv.Itoa(openTickets)+` then 'closed' when n / 2 % 4 = 0 then 'new'
		    when n / 2 % 4 = 1 then 'on_you' when n / 2 % 4 = 2 then 'on_customer' else 'on_hold' end,
		  case when n > `+strconv.Itoa(openTickets)+` then 0 else 1 end,
		  case when n % 2 = 0 then 'ann' end, ?, '{}', 'email', 'none', n, n * 7 % 11,
		  case when n % 3 > 0 then n * 5 % 4 end
		from (
		  with recursive c(n) as (
		    select `+strconv.Itoa(first)+` union all select n + 1 from c where n < `+strconv.Itoa(last)+`)
		  select n from c) many`, fx.Account.ID, fx.Agent.ID, customer)
	fx.must(err)
}

// accountTickets returns what is on the pages of a list of all agents.
func (fx *fixture) accountTickets(f store.TicketFilter, limit int) (list []parley.Ticket) {
	fx.Helper()
	ask := parley.PageRequest{Limit: limit}
	for {
		page, err := fx.AccountTickets(fx, fx.Account.ID, f, ask)
		fx.must(err)
		list = append(list, page.Items...)
		if ask.After = page.Next; page.Next == nil {
			return list
		}
	}
}

// sortValues returns what tickets are ordered by.
func sortValues(list []parley.Ticket, sort store.TicketSort) (values []string) {
	for _, one := range list {
		value := one.CreatedAt
		switch {
		case sort == store.SortByUpdated:
			value = one.UpdatedAt
		case sort == store.SortByLastMessage && one.LastMessageAt == nil:
			values = append(values, "none")
			continue
		case sort == store.SortByLastMessage:
			value = *one.LastMessageAt
		}
		values = append(values, fmt.Sprint(value.UnixMilli()))
	}
	return values
}

// The tickets of all agents have the order of an agent's own, although each category is read by itself.
func TestTicketsOfAllAgentsAreOrdered(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		customer, err := fx.addPerson(fx.newPerson("c@example.com", ""))
		fx.must(err)
		const n = openTickets + 20
		fx.addTickets(customer.ID, 1, n)
		ref := fx.Account.ID.AgentRef(fx.Agent.ID)
		for _, sort := range []store.TicketSort{store.SortByCreated, store.SortByUpdated, store.SortByLastMessage} {
			for _, ascending := range []bool{false, true} {
				f := store.TicketFilter{Sort: sort, Ascending: ascending}
				own, err := fx.Tickets(fx, ref, f, parley.PageRequest{Limit: n})
				fx.must(err)
				all := fx.accountTickets(f, n)
				if want := sortValues(own.Items, sort); !slices.Equal(sortValues(all, sort), want) {
					fx.Errorf("by %s, ascending %v: %v, want %v", sort, ascending, sortValues(all, sort), want)
				}
				for _, limit := range []int{1, 7, n - 1} {
					if got := fx.accountTickets(f, limit); !slices.Equal(ticketIDs(got), ticketIDs(all)) {
						fx.Errorf("by %s, ascending %v, %d at a time: %v, want %v", sort, ascending, limit, ticketIDs(got),
							ticketIDs(all))
					}
				}
			}
		}
		ann := parley.UserID("ann")
		for _, c := range []struct {
			f    store.TicketFilter
			want int
		}{
			{store.TicketFilter{Categories: []parley.StatusCategory{parley.TicketClosed, parley.TicketNew,
				parley.TicketClosed}}, 20 + 25},
			{store.TicketFilter{Categories: []parley.StatusCategory{parley.TicketNew}, Assignee: &ann}, 12},
			{store.TicketFilter{Categories: []parley.StatusCategory{parley.TicketNew}, Assignee: new(parley.UserID)}, 13},
			{store.TicketFilter{Assignee: &ann}, n / 2},
		} {
			if got := len(fx.accountTickets(c.f, 3)); got != c.want {
				fx.Errorf("%+v: %d, want %d", c.f, got, c.want)
			}
		}
	})
}

func ticketIDs(list []parley.Ticket) (ids []parley.TicketID) {
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	return ids
}

// However many tickets are closed, the lists of open ones read none of them.
func TestListsOfOpenTicketsReadNoClosedOnes(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		file := dbs.NewSQLitePath(t)
		dbs.WriteMigratedSQLite(t, file)
		fx := newFixture(t, store.New(dbs.Open(t, file)))
		checkOpenTicketQueries(fx, func(query string, args ...any) int { return dbs.CountSteps(t, file, query, args...) })
	})
	t.Run("postgres", func(t *testing.T) {
		fx := newFixture(t, store.New(dbs.Open(t, dbs.SharedPostgres(t).NewStore(t))))
		checkOpenTicketQueries(fx, fx.countTicketRows)
	})
}

// checkOpenTicketQueries counts what the queries read, as count does, with some closed tickets and with ten times as
// many. PostgreSQL may choose to read all that are open.
func checkOpenTicketQueries(fx *fixture, count func(query string, args ...any) int) {
	fx.Helper()
	customer, err := fx.addPerson(fx.newPerson("c@example.com", ""))
	fx.must(err)
	countAll := func() map[string]int {
		if fx.SQL().Dialect() == sqldb.Postgres {
			_, err := fx.SQL().Exec(fx, `analyze tickets`)
			fx.must(err)
		}
		counts := map[string]int{}
		for query, args := range store.OpenTicketQueries(fx.Account.ID.AgentRef(fx.Agent.ID), "ann") {
			if counts[query] = count(query, args...); counts[query] == 0 {
				fx.Errorf("nothing is read for %s", query)
			}
		}
		return counts
	}
	fx.addTickets(customer.ID, 1, openTickets+500)
	few := countAll()
	fx.addTickets(customer.ID, openTickets+501, openTickets+5000)
	for query, n := range countAll() {
		if n > max(few[query], openTickets) {
			fx.Errorf("%d with ten times as many closed tickets, %d before: %s", n, few[query], query)
		}
	}
}

var ticketRows = regexp.MustCompile(`on tickets t \(actual rows=(\d+)[.\d]* loops=(\d+)\)|` +
	`Rows Removed by Filter: (\d+)`)

// countTicketRows returns how many tickets PostgreSQL reads for a query, with those that it leaves out afterwards.
func (fx *fixture) countTicketRows(query string, args ...any) (n int) {
	fx.Helper()
	number := func(text string) int {
		value, _ := strconv.Atoi(text) // the pattern takes digits only, or nothing
		return value
	}
	fx.must(fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error {
		if _, err := tx.SQL().Exec(fx, `set local enable_seqscan = off`); err != nil {
			return err
		}
		plan, err := sqldb.All(fx, tx.SQL(), sqldb.Column[string],
			`explain (analyze, costs off, timing off, summary off) `+query, args...)
		for _, m := range ticketRows.FindAllStringSubmatch(strings.Join(plan, "\n"), -1) {
			n += number(m[1])*number(m[2]) + number(m[3])
		}
		return err
	}))
	return n
}
