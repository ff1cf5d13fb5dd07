package helpdesk

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
)

func TestOpen(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		got := w.mustOpen(NewTicket{Subject: "Where is it?", Description: "My order never came.",
			Email: "Ann@Example.com", Name: "Ann"})
		if got.Number != 1 || got.Category != parley.TicketNew || got.StatusID == "" || got.AssigneeID != "" ||
			got.TeamID != w.generalTeam().ID || got.Priority != "none" ||
			got.Channel != parley.TicketAPI || string(got.Metadata) != "{}" || got.LastMessageAt == nil ||
			!got.LastMessageAt.Equal(noon) {
			w.Errorf("%+v", got)
		}
		if c := got.Customer; c.Email != "Ann@Example.com" || c.Name != "Ann" || c.ID == "" || c.Phone != "" {
			w.Errorf("%+v", c)
		}
		stored, err := w.DB.Ticket(w, w.ref(), 1)
		w.must(err)
		if !reflect.DeepEqual(got, stored) {
			w.Errorf("opened %+v\nstored %+v", got, stored)
		}
		c, err := w.DB.Conversation(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
			Agent: w.Agent}, Conversation: got.ConversationID})
		w.must(err)
		if c.Status != parley.ConversationTakenOver || c.Channel != parley.ChannelUnspecified || c.MessageCount != 1 {
			w.Errorf("%+v", c)
		}
		page, err := w.DB.Messages(w, parley.ConversationRef{AgentRef: parley.AgentRef{Account: w.Account,
			Agent: w.Agent}, Conversation: c.ID}, parley.PageRequest{Limit: 5})
		w.must(err)
		if len(page.Items) != 1 || page.Items[0].Author != parley.AuthorUser ||
			page.Items[0].Text() != "My order never came." {
			w.Errorf("%+v", page.Items)
		}
		if n := w.countRows(`select count(*) from conversations where id = ? and person_id = ? and escalated = 1`, c.ID,
			got.Customer.ID); n != 1 {
			w.Error("the conversation is not the customer's, or does not count as escalated")
		}
		if n := w.countRows(`select count(*) from events where subject_id = ? and kind = 'ticket.created'`, got.ID); n != 1 {
			w.Error(n, "events")
		}
		if n := w.countRows(`select count(*) from ticket_words where ticket_id = ? and word = 'order'`, got.ID); n != 1 {
			w.Error("the ticket is not found by its words")
		}
	})
}

// Numbers are taken by many at a time, of whom some fail at the last check.
func TestNumbersHaveNoGaps(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		numbers := make([]int64, 64)
		errs := make([]error, 96)
		runConcurrently(96, func(i int) {
			in := newTicketRequest(i)
			if i >= 64 {
				in.Assignee = AssignTo(parley.UserID(parley.NewUUID()))
			}
			var ticket *parley.Ticket
			if ticket, errs[i] = w.Open(w, w.ref(), in); i < 64 && errs[i] == nil {
				numbers[i] = ticket.Number
			}
		})
		for i, err := range errs {
			if i < 64 {
				w.must(err)
			} else {
				w.wantCode(err, parley.CodeTicketMember)
			}
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != int64(i+1) {
				w.Fatal(numbers)
			}
		}
		for table, want := range map[string]int{"tickets": 64, "conversations": 64, "messages": 64, "people": 64,
			"helpdesks": 1, "teams": 1, "ticket_statuses": 6} {
			if n := w.countRows(`select count(*) from ` + table); n != want {
				w.Errorf("%d rows in %s", n, table)
			}
		}
	})
}

// assignments tells how many tickets each member has, and who has them in the order of their numbers.
func (w *testHelpdesk) assignments(n int) (counts map[parley.UserID]int, order []parley.UserID) {
	w.Helper()
	counts = map[parley.UserID]int{}
	for number := range int64(n) {
		t, err := w.DB.Ticket(w, w.ref(), number+1)
		w.must(err)
		counts[t.AssigneeID]++
		order = append(order, t.AssigneeID)
	}
	return counts, order
}

func (w *testHelpdesk) openMany(n int) {
	w.Helper()
	errs := make([]error, n)
	runConcurrently(n, func(i int) {
		_, errs[i] = w.Open(w, w.ref(), newTicketRequest(i))
	})
	for _, err := range errs {
		w.must(err)
	}
}

func TestRoundRobinIsExact(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyRoundRobin, 4)
		w.openMany(64)
		counts, order := w.assignments(64)
		for i, user := range order {
			if user != users[i%4] {
				w.Fatalf("ticket %d went to %s; %v", i+1, user, counts)
			}
		}
	})
}

func TestBalancedWithinOne(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyBalanced, 5)
		closed, err := w.DB.DefaultStatus(w, w.ref(), parley.TicketClosed)
		w.must(err)
		w.openMany(64)
		counts, _ := w.assignments(64)
		for _, user := range users {
			if n := counts[user]; n < 12 || n > 13 {
				w.Errorf("%v", counts)
			}
		}
		// Who has closed theirs gets the next ones.
		_, err = w.DB.SQL().Exec(w,
			`update tickets set is_open = 0, category = 'closed', status_id = ? where assignee_id = ?`, closed.ID, users[2])
		w.must(err)
		for i := range 3 {
			if next := w.mustOpen(newTicketRequest(100 + i)); next.AssigneeID != users[2] {
				w.Error("went to", next.AssigneeID)
			}
		}
	})
}

func TestMostOpen(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyRoundRobin, 3)
		three, five := 3, 5
		team := w.generalTeam()
		_, err := w.ChangeTeam(w, w.ref(), team.ID, "operator", func(t *parley.Team) { t.MaxOpen = &three })
		w.must(err)
		w.must(w.JoinTeam(w, w.ref(), team.ID,
			parley.TeamMember{User: parley.User{ID: users[1]}, MaxOpen: &five}, "operator"))
		w.must(w.JoinTeam(w, w.ref(), team.ID,
			parley.TeamMember{User: parley.User{ID: users[2]}, IsAway: true}, "operator"))
		w.openMany(16)
		counts, _ := w.assignments(16)
		if counts[users[0]] != 3 || counts[users[1]] != 5 || counts[users[2]] != 0 || counts[""] != 8 {
			w.Error(counts)
		}
	})
}

func TestShiftsDecideWhoIsPicked(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyBalanced, 2)
		team := w.generalTeam()
		day := []parley.WorkingHours{{Days: []string{"mon", "tue", "wed", "thu", "fri"}, From: "08:00", To: "20:00",
			TimeZone: "Europe/Berlin"}}
		night := []parley.WorkingHours{{Days: []string{"mon", "tue", "wed", "thu", "fri"}, From: "20:00", To: "08:00",
			TimeZone: "Europe/Berlin"}}
		for i, hours := range [][]parley.WorkingHours{day, night} {
			w.must(w.JoinTeam(w, w.ref(), team.ID,
				parley.TeamMember{User: parley.User{ID: users[i]}, Hours: hours}, "operator"))
		}
		for _, c := range []struct {
			at   string
			want parley.UserID
		}{
			{"2026-03-27T12:00:00Z", users[0]},
			{"2026-03-28T06:59:00Z", users[1]}, // Saturday, 07:59 in Berlin: the night of Friday
			{"2026-03-28T07:00:00Z", ""},       // 08:00: the weekend
			{"2026-03-30T05:59:00Z", ""},       // Monday, 07:59 in summer: no shift of Sunday
			{"2026-03-30T06:00:00Z", users[0]}, // 08:00 in summer
			{"2026-10-23T18:00:00Z", users[1]}, // 20:00 in summer
			{"2026-10-26T18:30:00Z", users[0]}, // 19:30 in winter
			{"2026-10-26T19:00:00Z", users[1]}, // 20:00 in winter
		} {
			at, err := time.Parse(time.RFC3339, c.at)
			w.must(err)
			w.Clock = at
			if got := w.mustOpen(newTicketRequest(1)); got.AssigneeID != c.want || got.TeamID != team.ID {
				w.Errorf("%s: %q", c.at, got.AssigneeID)
			}
		}
	})
}

func TestOneCustomerForOneAddress(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		spell := []string{"new.one@example.com", "New.One@Example.com", "NEW.ONE@EXAMPLE.COM", "new.one@EXAMPLE.com"}
		people := make([]parley.PersonID, 64)
		errs := make([]error, 64)
		runConcurrently(64, func(i int) {
			in := newTicketRequest(i)
			in.Email, in.Name = spell[i%4], fmt.Sprint("Name ", i)
			var t *parley.Ticket
			if t, errs[i] = w.Open(w, w.ref(), in); errs[i] == nil {
				people[i] = t.Customer.ID
			}
		})
		for i, err := range errs {
			w.must(err)
			if people[i] != people[0] {
				w.Fatal("two people for one address")
			}
		}
		first, err := w.DB.Ticket(w, w.ref(), 1)
		w.must(err)
		later := newTicketRequest(100)
		later.Email, later.Name = spell[1], "Somebody else"
		if got := w.mustOpen(later).Customer; got.Name != first.Customer.Name || got.Email != first.Customer.Email {
			w.Errorf("%+v, was %+v", got, first.Customer)
		}
		for i, address := range []string{"Jörg@Müller.example", "JÖRG@MÜLLER.example", "jörg@müller.EXAMPLE"} {
			in := newTicketRequest(200)
			in.Email = address
			if got := w.mustOpen(in).Customer; i == 0 {
				people[0] = got.ID
			} else if got.ID != people[0] {
				w.Error(address, "is another person")
			}
		}
		sister := w.addAgent(w.Account)
		other, err := w.Open(w, w.Account.AgentRef(sister), later)
		w.must(err)
		if other.Customer.ID == first.Customer.ID || other.Customer.Name != "Somebody else" || other.Number != 1 {
			w.Errorf("another agent's customer: %+v", other)
		}
	})
}

func TestAssigneeAndTeamAsGiven(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyRoundRobin, 2)
		stranger := w.addMember(w.Account, "stranger") // of the account, in no team
		team, err := w.AddTeam(w, w.ref(), parley.Team{Name: "Billing", Strategy: parley.StrategyBalanced}, "operator")
		w.must(err)
		w.must(w.JoinTeam(w, w.ref(), team.ID, parley.TeamMember{User: parley.User{ID: users[1]}}, "operator"))
		w.must(w.putRules([]parley.Rule{{Key: "all", Name: "All", Enabled: true, MemberID: stranger}}))
		email := strings.ToUpper("stranger@" + string(w.Account) + ".example")
		for name, c := range map[string]struct {
			who      Assignee
			team     parley.TeamID
			wantTeam parley.TeamID
			want     parley.UserID
		}{
			"by the rules":       {AutoAssign(), "", "", stranger},
			"in the team":        {AutoAssign(), team.ID, team.ID, users[1]},
			"nobody":             {Unassigned(), "", "", ""},
			"nobody in the team": {Unassigned(), team.ID, team.ID, ""},
			"somebody":           {AssignTo(users[0]), "", "", users[0]},
			"not in the team":    {AssignTo(users[0]), team.ID, team.ID, users[0]},
			"in capitals": {AssignTo(parley.UserID(strings.ToUpper(string(users[0])))),
				parley.TeamID(strings.ToUpper(string(team.ID))), team.ID, users[0]},
			"by address":           {AssignToEmail(email), "", "", stranger},
			"by address in a team": {AssignToEmail(email), team.ID, team.ID, stranger},
		} {
			in := newTicketRequest(1)
			in.Assignee, in.TeamID = c.who, c.team
			if got := w.mustOpen(in); got.TeamID != c.wantTeam || got.AssigneeID != c.want {
				w.Errorf("%s: team %q, assignee %q", name, got.TeamID, got.AssigneeID)
			}
		}
	})
}

func TestOthersAreAsUnknown(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		w.mustOpen(newTicketRequest(1))
		other := w.addAccount("Other")
		theirs := w.addAgent(other)
		statuses, err := w.Statuses(w, other.AgentRef(theirs))
		w.must(err)
		teams, err := w.Teams(w, other.AgentRef(theirs))
		w.must(err)
		member := w.addMember(other, "them")
		unknown := parley.NewUUID()
		archived, err := w.AddStatus(w, w.ref(),
			parley.TicketStatus{Category: parley.TicketNew, InternalLabel: "Old"}, "operator")
		w.must(err)
		_, err = w.ArchiveStatus(w, w.ref(), archived.ID, "operator")
		w.must(err)
		rows := func() (n int) {
			for _, table := range []string{"tickets", "conversations", "messages", "people", "events"} {
				n += w.countRows(`select count(*) from ` + table)
			}
			return n
		}
		before := rows()
		fails := func(name string, code parley.Code, change func(*NewTicket)) (text string) {
			in := newTicketRequest(2)
			change(&in)
			_, err := w.Open(w, w.ref(), in)
			if !parley.IsCode(err, code) {
				w.Errorf("%s: %v", name, err)
			}
			return fmt.Sprint(err)
		}
		for _, pair := range [][2]string{
			{fails("their status", parley.CodeTicketStatus, func(in *NewTicket) { in.StatusID = statuses[0].ID }),
				fails("no status", parley.CodeTicketStatus, func(in *NewTicket) { in.StatusID = parley.StatusID(unknown) })},
			{fails("an archived status", parley.CodeTicketStatus, func(in *NewTicket) { in.StatusID = archived.ID }),
				fails("no status", parley.CodeTicketStatus, func(in *NewTicket) { in.StatusID = parley.StatusID(unknown) })},
			{fails("their team", parley.CodeTicketTeam, func(in *NewTicket) { in.TeamID = teams[0].ID }),
				fails("no team", parley.CodeTicketTeam, func(in *NewTicket) { in.TeamID = parley.TeamID(unknown) })},
			{fails("their member", parley.CodeTicketMember, func(in *NewTicket) { in.Assignee = AssignTo(member) }),
				fails("nobody", parley.CodeTicketMember, func(in *NewTicket) { in.Assignee = AssignTo(parley.UserID(unknown)) })},
			{fails("their address", parley.CodeTicketMember, func(in *NewTicket) {
				in.Assignee = AssignToEmail("them@" + string(other) + ".example")
			}),
				fails("no address", parley.CodeTicketMember, func(in *NewTicket) {
					in.Assignee = AssignToEmail("nobody@example.com")
				})},
		} {
			if pair[0] != pair[1] {
				w.Errorf("%q differs from %q", pair[0], pair[1])
			}
		}
		if after := rows(); after != before {
			w.Errorf("refused tickets have left %d rows", after-before)
		}
		for name, f := range map[string]func() error{
			"ticket":   func() error { _, err := w.Open(w, w.Account.AgentRef(theirs), newTicketRequest(1)); return err },
			"statuses": func() error { _, err := w.Statuses(w, w.Account.AgentRef(theirs)); return err },
			"teams":    func() error { _, err := w.Teams(w, w.Account.AgentRef(theirs)); return err },
			"rules":    func() error { _, err := w.Rules(w, w.Account.AgentRef(theirs)); return err },
			"explain":  func() error { _, err := w.Explain(w, w.Account.AgentRef(theirs), RoutingInput{}); return err },
			"new team": func() error {
				_, err := w.AddTeam(w, w.Account.AgentRef(theirs), parley.Team{Name: "X"}, "operator")
				return err
			},
			"deleted": func() error {
				deleted := w.addAgent(w.Account)
				_, err := w.Open(w, w.Account.AgentRef(deleted), newTicketRequest(1))
				w.must(err)
				w.must(w.DB.DeleteAgent(w, w.Account.AgentRef(deleted), noon))
				_, err = w.Open(w, w.Account.AgentRef(deleted), newTicketRequest(1))
				return err
			},
			"deleted and listed": func() error {
				deleted := w.addAgent(w.Account)
				_, err := w.Teams(w, w.Account.AgentRef(deleted))
				w.must(err)
				w.must(w.DB.DeleteAgent(w, w.Account.AgentRef(deleted), noon))
				_, err = w.Teams(w, w.Account.AgentRef(deleted))
				return err
			},
		} {
			if err := f(); !parley.IsCode(err, parley.CodeAgentNotFound) {
				w.Errorf("%s: %v", name, err)
			}
		}
		_, err = w.DB.Ticket(w, other.AgentRef(w.Agent), 1)
		w.wantCode(err, parley.CodeTicketNotFound)
		_, err = w.DB.Ticket(w, other.AgentRef(theirs), 1)
		w.wantCode(err, parley.CodeTicketNotFound)
		if next := w.mustOpen(newTicketRequest(3)); next.Number != 2 {
			w.Error("refused tickets have used up numbers: the next one is", next.Number)
		}
	})
}

func TestFaultsAreNamedTogether(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		if got := w.mustOpen(NewTicket{Subject: "a\x00b", Description: "\x00c", Email: "a@example.com",
			Name: "\x00"}); got.Subject != "ab" || got.Description != "c" || got.Customer.Name != "" {
			w.Errorf("%+v", got)
		}
		full := NewTicket{Subject: strings.Repeat("ü", 500), Description: strings.Repeat("漢", 10_000),
			Email: "a@example.com", Name: strings.Repeat("😀", 255)}
		w.mustOpen(full)
		for field, change := range map[string]func(*NewTicket){
			"subject":        func(in *NewTicket) { in.Subject += "x" },
			"description":    func(in *NewTicket) { in.Description += "x" },
			"customer.name":  func(in *NewTicket) { in.Name += "x" },
			"customer.email": func(in *NewTicket) { in.Email = "" },
			"priority":       func(in *NewTicket) { in.Priority = "High" },
			"statusCategory": func(in *NewTicket) { in.Category = "open" },
			"statusId":       func(in *NewTicket) { in.StatusID, in.Category = "x", parley.TicketNew },
		} {
			in := full
			change(&in)
			_, err := w.Open(w, w.ref(), in)
			w.wantCode(err, parley.CodeInvalidBody)
			if parley.AsError(err).Details[field] == "" {
				w.Errorf("%s: %v", field, parley.AsError(err).Details)
			}
		}
		_, err := w.Open(w, w.ref(), NewTicket{Priority: "x"})
		if e := parley.AsError(err); len(e.Details) != 4 {
			w.Error(e.Details)
		}
	})
}

func TestMaskedTickets(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		w.must(w.DB.UpdateAgent(w, w.ref(), func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}))
		got := w.mustOpen(NewTicket{Subject: "Call me at ann@example.com", Description: "I am ann@example.com",
			Email: "ann@example.com", Name: "Ann",
			Metadata: json.RawMessage(`{"mail":"ann@example.com"}`)})
		if stored := got.Subject + got.Description + string(got.Metadata); strings.Contains(stored, "ann@") {
			w.Error(stored)
		}
		if got.Customer.Email != "ann@example.com" {
			w.Errorf("%+v", got.Customer)
		}
		for table, column := range map[string]string{"messages": "parts", "tickets": "description",
			"conversations": "title", "tickets t": "subject"} {
			if n := w.countRows(`select count(*) from ` + table + ` where ` + column + ` like '%ann@%'`); n != 0 {
				w.Error(table, column, "tell the address")
			}
		}
	})
}

// A transaction that cannot be finished leaves nothing, and what is made in it for the first time is made by the next
// one.
func TestRollbackLeavesNothing(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		in := newTicketRequest(1)
		in.Assignee = AssignTo("nobody")
		_, err := w.Open(w, w.ref(), in)
		w.wantCode(err, parley.CodeTicketMember)
		ctx, cancel := context.WithCancel(w.Context)
		cancel()
		if _, err := w.Open(ctx, w.ref(), newTicketRequest(1)); err == nil {
			w.Error("a caller who has gone got a ticket")
		}
		for _, table := range []string{"tickets", "conversations", "messages", "people", "helpdesks", "teams",
			"ticket_statuses", "ticket_words", "events"} {
			if n := w.countRows(`select count(*) from ` + table); n != 0 {
				w.Errorf("%d rows in %s", n, table)
			}
		}
		if got := w.mustOpen(newTicketRequest(1)); got.Number != 1 {
			w.Error(got.Number)
		}
	})
}
