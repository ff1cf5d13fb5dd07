package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

// insertTickets writes tickets of an agent whose properties follow from their numbers; every third has no message yet.
func insertTickets(t *testing.T, db *store.DB, n int) {
	t.Helper()
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	err := db.Transact(t.Context(), sqldb.Interactive, func(tx *store.DB) error {
		p := parley.Person{ID: "p", AccountID: "acc", AgentID: "agent", Email: "c@example.com", CreatedAt: start,
			UpdatedAt: start}
		if err := tx.AddPerson(t.Context(), &p); err != nil {
			return err
		}
		for i := 1; i <= n; i++ {
			one := &parley.Ticket{ID: parley.TicketID(parley.NewUUID()), AccountID: "acc", AgentID: "agent",
				Number: int64(i), Subject: fmt.Sprint(i), StatusID: "s", Customer: p,
				Category: parley.StatusCategories()[i%6], Channel: parley.TicketChannels()[i%2], Priority: "none",
				CreatedAt: start.Add(time.Duration(i) * time.Hour),
				// of which several are equal
				ConversationID: parley.ConversationID(parley.NewUUID()), UpdatedAt: start.Add(time.Duration(i*7%11) * time.Minute)}
			if i%3 > 0 {
				at := start.Add(time.Duration(i*5%4) * time.Second)
				one.LastMessageAt = &at
			}
			if i%2 == 0 {
				one.AssigneeID = "ann"
			}
			if i%4 == 0 {
				one.TeamID = "team"
			}
			if err := tx.InsertTicket(t.Context(), one, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// listTicketNumbers returns the numbers on the pages of a list.
func listTicketNumbers(t *testing.T, db *store.DB, f store.TicketFilter, limit int) (numbers []int64) {
	t.Helper()
	ask := parley.PageRequest{Limit: limit}
	for {
		page, err := db.Tickets(t.Context(), parley.AgentRef{Account: "acc", Agent: "agent"}, f, ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range page.Items {
			numbers = append(numbers, one.Number)
		}
		if ask.After = page.Next; page.Next == nil {
			return numbers
		}
	}
}

func TestTicketsAreOrdered(t *testing.T) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		const n = 40
		insertTickets(t, db, n)
		all, err := db.Tickets(t.Context(), parley.AgentRef{Account: "acc", Agent: "agent"},
			store.TicketFilter{CountTotal: true}, parley.PageRequest{Limit: 100})
		if err != nil || all.Total != n || len(all.Items) != n || all.Next != nil {
			t.Fatalf("%d of %d, %v", len(all.Items), all.Total, err)
		}
		value := map[store.TicketSort]func(parley.Ticket) int64{
			store.SortByCreated: func(one parley.Ticket) int64 { return one.CreatedAt.UnixMilli() },
			store.SortByUpdated: func(one parley.Ticket) int64 { return one.UpdatedAt.UnixMilli() },
			store.SortByLastMessage: func(one parley.Ticket) int64 {
				if one.LastMessageAt == nil {
					return -1
				}
				return one.LastMessageAt.UnixMilli()
			},
		}
		for sort, of := range value {
			for _, ascending := range []bool{false, true} {
				want := slices.Clone(all.Items)
				slices.SortFunc(want, func(a, b parley.Ticket) int {
					switch { // without a message: last, either way
					case of(a) < 0 && of(b) >= 0:
						return 1
					case of(b) < 0 && of(a) >= 0:
						return -1
					}
					order := int(of(a) - of(b))
					if order == 0 {
						order = int(a.Number - b.Number)
					}
					if !ascending {
						order = -order
					}
					return order
				})
				var numbers []int64
				for _, one := range want {
					numbers = append(numbers, one.Number)
				}
				for _, limit := range []int{1, 7, n - 14, n - 13, n - 12, n, 100} {
					if got := listTicketNumbers(t, db, store.TicketFilter{Sort: sort, Ascending: ascending},
						limit); !slices.Equal(got, numbers) {
						t.Errorf("by %s, ascending %v, %d at a time: %v, want %v", sort, ascending, limit, got, numbers)
					}
				}
			}
		}
	})
}

func TestTicketsAreFiltered(t *testing.T) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		insertTickets(t, db, 24)
		ann, noUser, team, noTeam := parley.UserID("ann"), parley.UserID(""), parley.TeamID("team"), parley.TeamID("")
		third := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
		fifth := third.Add(2 * time.Hour)
		for _, c := range []struct {
			f    store.TicketFilter
			want string
		}{
			{store.TicketFilter{Categories: []parley.StatusCategory{parley.TicketNew, parley.TicketClosed}},
				"24 22 18 16 12 10 6 4"},
			{store.TicketFilter{Channels: []parley.TicketChannel{parley.TicketIframe}, CreatedFrom: &fifth},
				"23 21 19 17 15 13 11 9 7 5"},
			{store.TicketFilter{Assignee: &ann, Team: &noTeam}, "22 18 14 10 6 2"},
			{store.TicketFilter{Assignee: &noUser, CreatedTo: &fifth}, "5 3 1"},
			{store.TicketFilter{Team: &team}, "24 20 16 12 8 4"},
			{store.TicketFilter{CreatedFrom: &third, CreatedTo: &fifth}, "5 4 3"},
			{store.TicketFilter{CreatedFrom: &fifth, CreatedTo: &third}, ""},
		} {
			c.f.Sort, c.f.CountTotal = store.SortByCreated, true
			got := fmt.Sprint(listTicketNumbers(t, db, c.f, 3))
			if got != "["+c.want+"]" {
				t.Errorf("%+v: %s, want %s", c.f, got, c.want)
			}
			if page, err := db.Tickets(t.Context(), parley.AgentRef{Account: "acc", Agent: "agent"}, c.f,
				parley.PageRequest{Limit: 1}); err != nil || page.Total != len(strings.Fields(c.want)) {
				t.Errorf("%+v: %d in all, %v", c.f, page.Total, err)
			}
		}
		for _, owner := range [][2]string{{"acc", "other"}, {"other", "agent"}} {
			page, err := db.Tickets(t.Context(), parley.AccountID(owner[0]).AgentRef(parley.AgentID(owner[1])),
				store.TicketFilter{CountTotal: true}, parley.PageRequest{Limit: 9})
			if err != nil || len(page.Items) > 0 || page.Total > 0 {
				t.Errorf("%v sees %+v %v", owner, page, err)
			}
		}
	})
}

// A walk shows every ticket that does not change meanwhile once, although others jump to its front.
func TestTicketPagesWhileTicketsChange(t *testing.T) {
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		insertTickets(t, db, 20)
		seen := map[int64]int{}
		ask := parley.PageRequest{Limit: 3}
		for jumps := int64(1); ; jumps++ {
			page, err := db.Tickets(t.Context(), parley.AgentRef{Account: "acc", Agent: "agent"}, store.TicketFilter{}, ask)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range page.Items {
				seen[one.Number]++
			}
			if ask.After = page.Next; page.Next == nil {
				break
			}
			if _, err := db.SQL().Exec(t.Context(),
				`update tickets set updated_at = updated_at + 1000000000 where number = ?`, jumps); err != nil {
				t.Fatal(err)
			}
		}
		for number := int64(8); number <= 20; number++ {
			if seen[number] != 1 {
				t.Errorf("ticket %d was shown %d times", number, seen[number])
			}
		}
	})
}

// The orders of a list are those of indexes: no list sorts an agent's tickets.
func TestTicketsAreListedByIndex(t *testing.T) {
	db := dbs.NewSQLiteStore(t)
	for column, index := range map[string]string{"created_at": "tickets_created", "updated_at": "tickets_updated",
		"last_message_at": "tickets_spoken"} {
		steps, err := sqldb.All(t.Context(), db.SQL(), func(scan sqldb.Scan) (detail string, err error) {
			var id, parent, unused int
			err = scan(&id, &parent, &unused, &detail)
			return detail, err
		},
			`explain query plan select number from tickets t join people p on p.id = t.person_id where `+
				`t.agent_id = ? and t.account_id = ? and t.`+
				column+` is not null
			and (t.`+column+`, t.number) < (?, ?) order by t.`+column+` desc, t.number desc limit ?`, "agent", "acc", 1, 1, 10)
		plan := strings.Join(steps, "\n")
		if err != nil || !strings.Contains(plan, index) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("by %s: %s %v", column, plan, err)
		}
	}
}
