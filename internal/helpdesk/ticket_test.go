package helpdesk

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

func TestOpen(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		got := h.mustOpen(NewTicket{Subject: "Where is it?", Description: "My order never came.",
			Email: "Ann@Example.com", Name: "Ann"})
		if got.Number != 1 || got.Category != parley.TicketNew || got.StatusID == "" || got.AssigneeID != "" ||
			got.TeamID != h.generalTeam().ID || got.Priority != "none" ||
			got.Channel != parley.TicketAPI || string(got.Metadata) != "{}" || got.LastMessageAt == nil ||
			!got.LastMessageAt.Equal(noon) {
			h.Errorf("%+v", got)
		}
		if c := got.Customer; c.Email != "Ann@Example.com" || c.Name != "Ann" || c.ID == "" || c.Phone != "" {
			h.Errorf("%+v", c)
		}
		stored, err := h.DB.Ticket(h, h.ref(), 1)
		h.Must(err)
		if !reflect.DeepEqual(got, stored) {
			h.Errorf("opened %+v\nstored %+v", got, stored)
		}
		c, err := h.DB.Conversation(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
			Agent: h.Agent}, Conversation: got.ConversationID})
		h.Must(err)
		if c.Status != parley.ConversationTakenOver || c.Channel != parley.ChannelUnspecified || c.MessageCount != 1 {
			h.Errorf("%+v", c)
		}
		page, err := h.DB.Messages(h, parley.ConversationRef{AgentRef: parley.AgentRef{Account: h.Account,
			Agent: h.Agent}, Conversation: c.ID}, parley.PageRequest{Limit: 5})
		h.Must(err)
		if len(page.Items) != 1 || page.Items[0].Author != parley.AuthorUser ||
			page.Items[0].Text() != "My order never came." {
			h.Errorf("%+v", page.Items)
		}
		if n := dbs.CountRows(h.TB, h.DB.SQL(),
			`select count(*) from conversations where id = ? and person_id = ? and escalated = 1`, c.ID,
			got.Customer.ID); n != 1 {
			h.Error("the conversation is not the customer's, or does not count as escalated")
		}
		if n := dbs.CountRows(h.TB, h.DB.SQL(),
			`select count(*) from events where subject_id = ? and kind = 'ticket.created'`, got.ID); n != 1 {
			h.Error(n, "events")
		}
		if n := dbs.CountRows(h.TB, h.DB.SQL(),
			`select count(*) from ticket_words where ticket_id = ? and word = 'order'`, got.ID); n != 1 {
			h.Error("the ticket is not found by its words")
		}
	})
}

// Tickets are opened concurrently, and some of them fail at the last check.
func TestNumbersHaveNoGaps(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		numbers := make([]int64, 64)
		errs := make([]error, 96)
		check.Concurrently(96, func(i int) {
			in := newTicketRequest(i)
			if i >= 64 {
				in.Assignee = AssignTo(parley.UserID(parley.NewUUID()))
			}
			var ticket *parley.Ticket
			if ticket, errs[i] = h.Open(h, h.ref(), in); i < 64 && errs[i] == nil {
				numbers[i] = ticket.Number
			}
		})
		for i, err := range errs {
			if i < 64 {
				h.Must(err)
			} else {
				h.WantCode(err, parley.CodeTicketMember)
			}
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != int64(i+1) {
				h.Fatal(numbers)
			}
		}
		for table, want := range map[string]int{"tickets": 64, "conversations": 64, "messages": 64, "people": 64,
			"helpdesks": 1, "teams": 1, "ticket_statuses": 6} {
			if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from `+table); n != want {
				h.Errorf("%d rows in %s", n, table)
			}
		}
	})
}

func TestOneCustomerForOneAddress(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		spell := []string{"new.one@example.com", "New.One@Example.com", "NEW.ONE@EXAMPLE.COM", "new.one@EXAMPLE.com"}
		people := make([]parley.PersonID, 64)
		errs := make([]error, 64)
		check.Concurrently(64, func(i int) {
			in := newTicketRequest(i)
			in.Email, in.Name = spell[i%4], fmt.Sprint("Name ", i)
			var t *parley.Ticket
			if t, errs[i] = h.Open(h, h.ref(), in); errs[i] == nil {
				people[i] = t.Customer.ID
			}
		})
		for i, err := range errs {
			h.Must(err)
			if people[i] != people[0] {
				h.Fatal("two people for one address")
			}
		}
		first, err := h.DB.Ticket(h, h.ref(), 1)
		h.Must(err)
		later := newTicketRequest(100)
		later.Email, later.Name = spell[1], "Somebody else"
		if got := h.mustOpen(later).Customer; got.Name != first.Customer.Name || got.Email != first.Customer.Email {
			h.Errorf("%+v, was %+v", got, first.Customer)
		}
		for i, address := range []string{"Jörg@Müller.example", "JÖRG@MÜLLER.example", "jörg@müller.EXAMPLE"} {
			in := newTicketRequest(200)
			in.Email = address
			if got := h.mustOpen(in).Customer; i == 0 {
				people[0] = got.ID
			} else if got.ID != people[0] {
				h.Error(address, "is another person")
			}
		}
		sibling := h.addAgent(h.Account)
		other, err := h.Open(h, h.Account.AgentRef(sibling), later)
		h.Must(err)
		if other.Customer.ID == first.Customer.ID || other.Customer.Name != "Somebody else" || other.Number != 1 {
			h.Errorf("another agent's customer: %+v", other)
		}
	})
}

// TestCustomerIsKnownByAnyFormOfTheAddress checks that an address is one however its letters and its host are written.
func TestCustomerIsKnownByAnyFormOfTheAddress(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		for i, group := range [][]string{
			{"jörg@example.com", "jo\u0308rg@example.com", "JÖRG@example.com", "JO\u0308RG@EXAMPLE.com"},
			{"info@müller.example", "info@xn--mller-kva.example", "info@mu\u0308ller.example", "Info@MÜLLER.example"},
			{"info@例え.example", "info@xn--r8jz45g.example"},
		} {
			var first parley.PersonID
			for j, address := range group {
				in := newTicketRequest(10*i + j)
				in.Email = address
				if got := h.mustOpen(in).Customer; j == 0 {
					first = got.ID
				} else if got.ID != first {
					h.Errorf("%+q is another person than %q", address, group[0])
				}
			}
		}
	})
}

// TestCustomerGetsTheNameOfALaterTicket checks that a name is kept once it is known, and that no later ticket changes
// it.
func TestCustomerGetsTheNameOfALaterTicket(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		open := func(i int, name string) parley.Person {
			in := newTicketRequest(i)
			in.Email, in.Name = "c@example.com", name
			return h.mustOpen(in).Customer
		}
		first := open(1, "")
		if named := open(2, "Customer 1"); named.ID != first.ID || first.Name != "" || named.Name != "Customer 1" {
			h.Errorf("%+v became %+v", first, named)
		}
		for i, name := range []string{"", "Customer 2"} {
			if got := open(3+i, name); got.Name != "Customer 1" {
				h.Errorf("%q became %q", name, got.Name)
			}
		}
		if t, err := h.DB.Ticket(h, h.ref(), 1); err != nil || t.Customer.Name != "Customer 1" {
			h.Errorf("the first ticket: %+v, %v", t, err)
		}
	})
}

func TestAssigneeAndTeamOfTheRequest(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyRoundRobin, 2)
		stranger := h.addMember(h.Account, "stranger") // of the account, in no team
		team, err := h.AddTeam(h, h.ref(), parley.Team{Name: "Billing", Strategy: parley.StrategyBalanced}, "operator")
		h.Must(err)
		h.Must(h.JoinTeam(h, h.ref(), team.ID, parley.TeamMember{User: parley.User{ID: users[1]}}, "operator"))
		h.Must(h.putRules([]parley.Rule{{Key: "all", Name: "All", Enabled: true, MemberID: stranger}}))
		email := strings.ToUpper("stranger@" + string(h.Account) + ".example")
		for name, c := range map[string]struct {
			assignee Assignee
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
			in.Assignee, in.TeamID = c.assignee, c.team
			if got := h.mustOpen(in); got.TeamID != c.wantTeam || got.AssigneeID != c.want {
				h.Errorf("%s: team %q, assignee %q", name, got.TeamID, got.AssigneeID)
			}
		}
	})
}

func TestObjectsOfOtherAccountsAreNotFound(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		h.mustOpen(newTicketRequest(1))
		other := h.addAccount("Other")
		others := h.addAgent(other)
		statuses, err := h.Statuses(h, other.AgentRef(others))
		h.Must(err)
		teams, err := h.Teams(h, other.AgentRef(others))
		h.Must(err)
		member := h.addMember(other, "them")
		unknown := parley.NewUUID()
		archived, err := h.AddStatus(h, h.ref(),
			parley.TicketStatus{Category: parley.TicketNew, InternalLabel: "Old"}, "operator")
		h.Must(err)
		_, err = h.ArchiveStatus(h, h.ref(), archived.ID, "operator")
		h.Must(err)
		rows := func() (n int) {
			for _, table := range []string{"tickets", "conversations", "messages", "people", "events"} {
				n += dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from `+table)
			}
			return n
		}
		before := rows()
		fails := func(name string, code parley.Code, change func(*NewTicket)) (text string) {
			in := newTicketRequest(2)
			change(&in)
			_, err := h.Open(h, h.ref(), in)
			if !parley.IsCode(err, code) {
				h.Errorf("%s: %v", name, err)
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
				h.Errorf("%q differs from %q", pair[0], pair[1])
			}
		}
		if after := rows(); after != before {
			h.Errorf("refused tickets have stored %d rows", after-before)
		}
		_, err = h.DB.Ticket(h, other.AgentRef(h.Agent), 1)
		h.WantCode(err, parley.CodeTicketNotFound)
		_, err = h.DB.Ticket(h, other.AgentRef(others), 1)
		h.WantCode(err, parley.CodeTicketNotFound)
		if next := h.mustOpen(newTicketRequest(3)); next.Number != 2 {
			h.Error("refused tickets have used up numbers: the next one is", next.Number)
		}
	})
}

func TestUnknownAgentsAreNotFound(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		others := h.addAgent(h.addAccount("Other"))
		for name, f := range map[string]func() error{
			"ticket":   func() error { _, err := h.Open(h, h.Account.AgentRef(others), newTicketRequest(1)); return err },
			"statuses": func() error { _, err := h.Statuses(h, h.Account.AgentRef(others)); return err },
			"teams":    func() error { _, err := h.Teams(h, h.Account.AgentRef(others)); return err },
			"rules":    func() error { _, err := h.Rules(h, h.Account.AgentRef(others)); return err },
			"explain":  func() error { _, err := h.Explain(h, h.Account.AgentRef(others), RoutingInput{}); return err },
			"new team": func() error {
				_, err := h.AddTeam(h, h.Account.AgentRef(others), parley.Team{Name: "X"}, "operator")
				return err
			},
			"deleted": func() error {
				deleted := h.addAgent(h.Account)
				_, err := h.Open(h, h.Account.AgentRef(deleted), newTicketRequest(1))
				h.Must(err)
				h.Must(h.DB.DeleteAgent(h, h.Account.AgentRef(deleted), noon))
				_, err = h.Open(h, h.Account.AgentRef(deleted), newTicketRequest(1))
				return err
			},
			"deleted and listed": func() error {
				deleted := h.addAgent(h.Account)
				_, err := h.Teams(h, h.Account.AgentRef(deleted))
				h.Must(err)
				h.Must(h.DB.DeleteAgent(h, h.Account.AgentRef(deleted), noon))
				_, err = h.Teams(h, h.Account.AgentRef(deleted))
				return err
			},
		} {
			if err := f(); !parley.IsCode(err, parley.CodeAgentNotFound) {
				h.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestAllFaultsAreReportedTogether(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		if got := h.mustOpen(NewTicket{Subject: "a\x00b", Description: "\x00c", Email: "a@example.com",
			Name: "\x00"}); got.Subject != "ab" || got.Description != "c" || got.Customer.Name != "" {
			h.Errorf("%+v", got)
		}
		full := NewTicket{Subject: strings.Repeat("ü", 500), Description: strings.Repeat("漢", 10_000),
			Email: "a@example.com", Name: strings.Repeat("😀", 255)}
		h.mustOpen(full)
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
			_, err := h.Open(h, h.ref(), in)
			h.WantCode(err, parley.CodeInvalidBody)
			if parley.AsError(err).Details[field] == "" {
				h.Errorf("%s: %v", field, parley.AsError(err).Details)
			}
		}
		_, err := h.Open(h, h.ref(), NewTicket{Priority: "x"})
		if e := parley.AsError(err); len(e.Details) != 4 {
			h.Error(e.Details)
		}
	})
}

func TestRedactedTickets(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		h.Must(h.DB.UpdateAgent(h, h.ref(), func(a *parley.Agent) error {
			a.Redact = true
			return nil
		}))
		got := h.mustOpen(NewTicket{Subject: "Call me at ann@example.com", Description: "I am ann@example.com",
			Email: "ann@example.com", Name: "Ann",
			Metadata: json.RawMessage(`{"mail":"ann@example.com"}`)})
		if stored := got.Subject + got.Description + string(got.Metadata); strings.Contains(stored, "ann@") {
			h.Error(stored)
		}
		if got.Customer.Email != "ann@example.com" {
			h.Errorf("%+v", got.Customer)
		}
		for table, column := range map[string]string{"messages": "parts", "tickets": "description",
			"conversations": "title", "tickets t": "subject"} {
			if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from `+table+` where `+column+` like '%ann@%'`); n != 0 {
				h.Error(table, column, "tell the address")
			}
		}
	})
}

// A transaction that fails leaves nothing; the next one creates the help desk.
func TestRollbackLeavesNothing(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		in := newTicketRequest(1)
		in.Assignee = AssignTo("nobody")
		_, err := h.Open(h, h.ref(), in)
		h.WantCode(err, parley.CodeTicketMember)
		ctx, cancel := context.WithCancel(h.Context)
		cancel()
		if _, err := h.Open(ctx, h.ref(), newTicketRequest(1)); err == nil {
			h.Error("a cancelled request opened a ticket")
		}
		for _, table := range []string{"tickets", "conversations", "messages", "people", "helpdesks", "teams",
			"ticket_statuses", "ticket_words", "events"} {
			if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from `+table); n != 0 {
				h.Errorf("%d rows in %s", n, table)
			}
		}
		if got := h.mustOpen(newTicketRequest(1)); got.Number != 1 {
			h.Error(got.Number)
		}
	})
}
