package helpdesk

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

// changeTicket changes a ticket through the API, a minute later.
func (h *testHelpdesk) changeTicket(t *parley.Ticket, in Change) *parley.Ticket {
	h.Helper()
	h.Clock = h.Clock.Add(time.Minute)
	t, err := h.Change(h, t.AgentRef(), t.Number, in, "api")
	h.Must(err)
	return t
}

// events returns a ticket's events as text, with labels in place of the ids of statuses.
func (h *testHelpdesk) events(t *parley.Ticket) (list []string) {
	h.Helper()
	for _, m := range h.messages(t, store.MessageTypeEvent) {
		e := m.Event
		list = append(list, fmt.Sprintf("%s by %s: %s→%s %s→%s %s→%s", e.Kind, e.DoneBy, h.statusLabel(e.StatusFrom),
			h.statusLabel(e.StatusTo), e.AssignedFrom, e.AssignedTo, e.From, e.To))
	}
	return list
}

func (h *testHelpdesk) statusLabel(id string) string {
	h.Helper()
	if id == "" {
		return ""
	}
	s, err := h.DB.Status(h, h.ref(), parley.StatusID(id))
	h.Must(err)
	return s.InternalLabel
}

func (h *testHelpdesk) messages(t *parley.Ticket, types ...string) []parley.TicketMessage {
	h.Helper()
	page, err := h.Messages(h, t.AgentRef(), t.Number,
		store.TicketMessagesRequest{PageRequest: parley.PageRequest{Limit: 100}, Types: types})
	h.Must(err)
	return page.Items
}

func (h *testHelpdesk) reloadTicket(t *parley.Ticket) *parley.Ticket {
	h.Helper()
	now, err := h.DB.Ticket(h, t.AgentRef(), t.Number)
	h.Must(err)
	return now
}

func TestChange(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ann, team := h.addMember(h.Account, "ann"), h.generalTeam().ID
		other, err := h.AddTeam(h, h.ref(), parley.Team{Name: "Billing"}, "operator")
		h.Must(err)
		first := h.mustOpen(newTicketRequest(1))
		same := h.changeTicket(first, Change{})
		if diff := cmp.Diff(first, same); diff != "" || len(h.messages(first, store.MessageTypeEvent)) > 0 {
			h.Errorf("nothing was to change: %s", diff)
		}
		got := h.changeTicket(first, Change{Category: parley.TicketOnHold,
			Assignee: AssignToEmail("ANN@" + string(h.Account) + ".example"), TeamID: &other.ID, Priority: "high"})
		if got.Category != parley.TicketOnHold || got.AssigneeID != ann || got.TeamID != other.ID ||
			got.Priority != "high" || !got.UpdatedAt.Equal(h.Clock) {
			h.Errorf("changed: %+v", got)
		}
		if diff := cmp.Diff(got, h.reloadTicket(first)); diff != "" {
			h.Errorf("read back: %s", diff)
		}
		again := h.changeTicket(first,
			Change{StatusID: got.StatusID, Assignee: AssignTo(ann), TeamID: &other.ID, Priority: "high"})
		if !again.UpdatedAt.Equal(got.UpdatedAt) {
			h.Error("what changes nothing counts as an update")
		}
		none := parley.TeamID("")
		got = h.changeTicket(first, Change{Assignee: Unassigned(), TeamID: &none, Priority: "none"})
		if got.AssigneeID != "" || got.TeamID != "" || got.Priority != "none" {
			h.Errorf("taken back: %+v", got)
		}
		want := []string{
			"status_change by api: New→On hold → →", "assign by api: → →" + string(ann) + " →",
			fmt.Sprintf("team_change by api: → → %s→%s", team, other.ID),
			"priority_change by api: → → none→high", "assign by api: → " + string(ann) + "→ →",
			fmt.Sprintf("team_change by api: → → %s→", other.ID), "priority_change by api: → → high→none"}
		if diff := cmp.Diff(want, h.events(first)); diff != "" {
			h.Errorf("events: %s", diff)
		}
		if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from events where kind = 'ticket.updated'`); n != 2 {
			h.Errorf("%d updates recorded", n)
		}
	})
}

func TestChangeThatRestsOnAnOldUpdateIsRefused(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		first := h.mustOpen(newTicketRequest(1))
		read := first.UpdatedAt
		changed := h.changeTicket(first, Change{Priority: "high", Base: &read})
		_, err := h.Change(h, first.AgentRef(), first.Number, Change{Priority: "low", Base: &read}, "api")
		if !parley.IsCode(err, parley.CodeTicketChanged) {
			h.Errorf("a change that rests on the first update: %v", err)
		}
		if diff := cmp.Diff(changed, h.reloadTicket(first)); diff != "" {
			h.Errorf("it was changed all the same: %s", diff)
		}
		h.changeTicket(first, Change{Priority: "low", Base: &changed.UpdatedAt})
	})
}

func TestClosedTicketHasAClosingTime(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		first := h.mustOpen(newTicketRequest(1))
		h.changeTicket(first, Change{Category: parley.TicketClosed})
		closed := h.Clock.UnixMilli()
		h.changeTicket(first, Change{Category: parley.TicketCancelled})
		if at := dbs.CountRows(h.TB, h.DB.SQL(), `select closed_at from tickets where is_open = 0`); int64(at) != closed {
			h.Errorf("closed at %d, want %d", at, closed)
		}
		h.changeTicket(first, Change{Category: parley.TicketOnYou})
		if n := dbs.CountRows(h.TB, h.DB.SQL(),
			`select count(*) from tickets where closed_at is null and is_open = 1`); n != 1 {
			h.Error("it is still closed")
		}
	})
}

func TestChangeFails(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		stranger := h.addAccount("Other")
		others := h.addAgent(stranger)
		h.Must(h.createIfMissing(h, stranger.AgentRef(others)))
		status, err := h.DB.DefaultStatus(h, stranger.AgentRef(others), parley.TicketNew)
		h.Must(err)
		team, err := h.DB.DefaultTeam(h, stranger.AgentRef(others))
		h.Must(err)
		user := h.addMember(stranger, "eve")
		archived, err := h.AddStatus(h, h.ref(),
			parley.TicketStatus{Category: parley.TicketOnHold, InternalLabel: "Old"}, "operator")
		h.Must(err)
		_, err = h.ArchiveStatus(h, h.ref(), archived.ID, "operator")
		h.Must(err)
		first := h.mustOpen(newTicketRequest(1))
		unknown := parley.TeamID(parley.NewUUID())
		for _, c := range []struct {
			in   Change
			code parley.Code
		}{
			{Change{StatusID: status.ID}, parley.CodeTicketStatus},
			{Change{StatusID: archived.ID}, parley.CodeTicketStatus},
			{Change{StatusID: parley.StatusID(parley.NewUUID())}, parley.CodeTicketStatus},
			{Change{TeamID: &team.ID}, parley.CodeTicketTeam},
			{Change{TeamID: &unknown}, parley.CodeTicketTeam},
			{Change{Assignee: AssignTo(user)}, parley.CodeTicketMember},
			{Change{Assignee: AssignToEmail("eve@" + string(stranger) + ".example")}, parley.CodeTicketMember},
			{Change{StatusID: first.StatusID, Category: parley.TicketNew}, parley.CodeInvalidBody},
			{Change{Category: "open"}, parley.CodeInvalidBody},
			{Change{Priority: "huge"}, parley.CodeInvalidBody},
		} {
			if c.in.Priority == "" {
				c.in.Priority = "urgent" // a failed change changes nothing
			}
			_, err := h.Change(h, h.ref(), first.Number, c.in, "api")
			h.WantCode(err, c.code)
		}
		_, err = h.Change(h, h.ref(), 2, Change{Priority: "low"}, "api")
		h.WantCode(err, parley.CodeTicketNotFound)
		_, err = h.Change(h, stranger.AgentRef(h.Agent), first.Number, Change{Priority: "low"}, "api")
		h.WantCode(err, parley.CodeTicketNotFound)
		_, err = h.Change(h, stranger.AgentRef(others), first.Number, Change{Priority: "low"}, "api")
		h.WantCode(err, parley.CodeTicketNotFound)
		if diff := cmp.Diff(first, h.reloadTicket(first)); diff != "" {
			h.Errorf("a failed change was stored: %s", diff)
		}
	})
}

// Concurrent changes of a ticket lose nothing, and each records its event.
func TestConcurrentChangesOfATicket(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		first := h.mustOpen(newTicketRequest(1))
		check.Concurrently(24, func(i int) {
			in := Change{Priority: parley.Priorities()[1+i%4]}
			if i%2 == 0 {
				in = Change{Category: parley.StatusCategories()[i%6]}
			}
			if _, err := h.Change(h, h.ref(), first.Number, in, "api"); err != nil {
				h.Error(err)
			}
		})
		status, priority := string(first.StatusID), first.Priority
		for _, m := range h.messages(first, store.MessageTypeEvent) {
			switch e := m.Event; {
			case e.Kind == "status_change" && e.StatusFrom == status:
				status = e.StatusTo
			case e.Kind == "priority_change" && e.From == priority:
				priority = e.To
			default:
				h.Errorf("%+v does not follow from what was before", e)
			}
		}
		if now := h.reloadTicket(first); string(now.StatusID) != status || now.Priority != priority {
			h.Errorf("the events end at %s %s, the ticket is %+v", status, priority, now)
		}
	})
}

func TestIDsMayBeInCapitals(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		kim := h.addTeamMembers(parley.StrategyManual, 1)[0]
		ticket := h.mustOpen(newTicketRequest(1))
		other, err := h.AddTeam(h, h.ref(), parley.Team{Name: "Other"}, "operator")
		h.Must(err)
		upper := parley.TeamID(strings.ToUpper(string(other.ID)))
		if got := h.changeTicket(ticket, Change{TeamID: &upper}); got.TeamID != other.ID {
			h.Error(got.TeamID)
		}
		before := len(h.events(ticket))
		h.changeTicket(ticket, Change{TeamID: &upper})
		if got := h.events(ticket); len(got) != before {
			h.Error("the same team leaves an event:", got)
		}
		reply, err := h.Reply(h, h.ref(), ticket.Number,
			NewReply{Type: store.MessageTypeReply, Content: "Hi", AuthorID: parley.UserID(strings.ToUpper(string(kim)))})
		h.Must(err)
		if reply.AuthorID != kim {
			h.Error(reply.AuthorID)
		}
	})
}

// Tickets that are assigned to a team while it is removed end up in another team.
func TestNoTicketIsLeftInARemovedTeam(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		var tickets []*parley.Ticket
		for i := range 8 {
			tickets = append(tickets, h.mustOpen(newTicketRequest(i)))
		}
		for round := range 5 {
			team, err := h.AddTeam(h, h.ref(), parley.Team{Name: fmt.Sprint("Team ", round)}, "operator")
			h.Must(err)
			check.Concurrently(len(tickets)+1, func(i int) {
				if i == len(tickets)/2 {
					if err := h.RemoveTeam(h, h.ref(), team.ID, "operator"); err != nil {
						h.Error(err)
					}
					return
				}
				_, err := h.Change(h, h.ref(), tickets[i%len(tickets)].Number, Change{TeamID: &team.ID}, "api")
				if err != nil && !parley.IsCode(err, parley.CodeTicketTeam) {
					h.Error(err)
				}
			})
			if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from tickets where team_id = ?`, team.ID); n != 0 {
				h.Error(n, "tickets are in a removed team")
			}
		}
	})
}

func TestSaveInCategory(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		first := h.mustOpen(newTicketRequest(1))
		h.inUpdate(func(u *update) error {
			locked, _, err := u.lockTicket(h, h.ref(), first.Number)
			return errors.Join(err, u.saveInCategory(h, locked, parley.TicketNew, "system"),
				u.saveInCategory(h, locked, parley.TicketOnYou, "customer"))
		})
		if diff := cmp.Diff([]string{"status_change by customer: New→Waiting on you → →"},
			h.events(first)); diff != "" || h.reloadTicket(first).Category != parley.TicketOnYou {
			h.Error(diff)
		}
	})
}
