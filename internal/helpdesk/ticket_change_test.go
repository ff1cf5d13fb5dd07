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
)

// changeTicket changes a ticket through the API, a minute later.
func (w *testHelpdesk) changeTicket(t *parley.Ticket, in Change) *parley.Ticket {
	w.Helper()
	w.Clock = w.Clock.Add(time.Minute)
	t, err := w.Change(w, t.AgentRef(), t.Number, in, "api")
	w.must(err)
	return t
}

// events tells what has happened to a ticket, without the ids of statuses.
func (w *testHelpdesk) events(t *parley.Ticket) (list []string) {
	w.Helper()
	for _, m := range w.messages(t, store.MessageTypeEvent) {
		e := m.Event
		list = append(list, fmt.Sprintf("%s by %s: %s→%s %s→%s %s→%s", e.Kind, e.DoneBy, w.statusLabel(e.StatusFrom),
			w.statusLabel(e.StatusTo), e.AssignedFrom, e.AssignedTo, e.From, e.To))
	}
	return list
}

func (w *testHelpdesk) statusLabel(id string) string {
	w.Helper()
	if id == "" {
		return ""
	}
	s, err := w.DB.Status(w, w.ref(), parley.StatusID(id))
	w.must(err)
	return s.InternalLabel
}

func (w *testHelpdesk) messages(t *parley.Ticket, types ...string) []parley.TicketMessage {
	w.Helper()
	page, err := w.Messages(w, t.AgentRef(), t.Number,
		store.TicketMessagesRequest{PageRequest: parley.PageRequest{Limit: 100}, Types: types})
	w.must(err)
	return page.Items
}

func (w *testHelpdesk) reloadTicket(t *parley.Ticket) *parley.Ticket {
	w.Helper()
	now, err := w.DB.Ticket(w, t.AgentRef(), t.Number)
	w.must(err)
	return now
}

func TestChange(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		ann, team := w.addMember(w.Account, "ann"), w.generalTeam().ID
		other, err := w.AddTeam(w, w.ref(), parley.Team{Name: "Billing"}, "operator")
		w.must(err)
		first := w.mustOpen(newTicketRequest(1))
		same := w.changeTicket(first, Change{})
		if diff := cmp.Diff(first, same); diff != "" || len(w.messages(first, store.MessageTypeEvent)) > 0 {
			w.Errorf("nothing was to change: %s", diff)
		}
		got := w.changeTicket(first, Change{Category: parley.TicketOnHold,
			Assignee: AssignToEmail("ANN@" + string(w.Account) + ".example"), TeamID: &other.ID, Priority: "high"})
		if got.Category != parley.TicketOnHold || got.AssigneeID != ann || got.TeamID != other.ID ||
			got.Priority != "high" || !got.UpdatedAt.Equal(w.Clock) {
			w.Errorf("changed: %+v", got)
		}
		if diff := cmp.Diff(got, w.reloadTicket(first)); diff != "" {
			w.Errorf("read back: %s", diff)
		}
		again := w.changeTicket(first,
			Change{StatusID: got.StatusID, Assignee: AssignTo(ann), TeamID: &other.ID, Priority: "high"})
		if !again.UpdatedAt.Equal(got.UpdatedAt) {
			w.Error("what changes nothing counts as an update")
		}
		none := parley.TeamID("")
		got = w.changeTicket(first, Change{Assignee: Unassigned(), TeamID: &none, Priority: "none"})
		if got.AssigneeID != "" || got.TeamID != "" || got.Priority != "none" {
			w.Errorf("taken back: %+v", got)
		}
		want := []string{
			"status_change by api: New→On hold → →", "assign by api: → →" + string(ann) + " →",
			fmt.Sprintf("team_change by api: → → %s→%s", team, other.ID),
			"priority_change by api: → → none→high", "assign by api: → " + string(ann) + "→ →",
			fmt.Sprintf("team_change by api: → → %s→", other.ID), "priority_change by api: → → high→none"}
		if diff := cmp.Diff(want, w.events(first)); diff != "" {
			w.Errorf("events: %s", diff)
		}
		if n := w.countRows(`select count(*) from events where kind = 'ticket.updated'`); n != 2 {
			w.Errorf("%d updates recorded", n)
		}
	})
}

func TestAClosedTicketHasItsTime(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		first := w.mustOpen(newTicketRequest(1))
		w.changeTicket(first, Change{Category: parley.TicketClosed})
		closed := w.Clock.UnixMilli()
		w.changeTicket(first, Change{Category: parley.TicketCancelled})
		if at := w.countRows(`select closed_at from tickets where is_open = 0`); int64(at) != closed {
			w.Errorf("closed at %d, want %d", at, closed)
		}
		w.changeTicket(first, Change{Category: parley.TicketOnYou})
		if n := w.countRows(`select count(*) from tickets where closed_at is null and is_open = 1`); n != 1 {
			w.Error("it is still closed")
		}
	})
}

func TestChangeFails(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		stranger := w.addAccount("Other")
		theirs := w.addAgent(stranger)
		w.must(w.createIfMissing(w, stranger.AgentRef(theirs)))
		status, err := w.DB.DefaultStatus(w, stranger.AgentRef(theirs), parley.TicketNew)
		w.must(err)
		team, err := w.DB.DefaultTeam(w, stranger.AgentRef(theirs))
		w.must(err)
		user := w.addMember(stranger, "eve")
		archived, err := w.AddStatus(w, w.ref(),
			parley.TicketStatus{Category: parley.TicketOnHold, InternalLabel: "Old"}, "operator")
		w.must(err)
		_, err = w.ArchiveStatus(w, w.ref(), archived.ID, "operator")
		w.must(err)
		first := w.mustOpen(newTicketRequest(1))
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
				c.in.Priority = "urgent" // of what fails, nothing happens
			}
			_, err := w.Change(w, w.ref(), first.Number, c.in, "api")
			w.wantCode(err, c.code)
		}
		_, err = w.Change(w, w.ref(), 2, Change{Priority: "low"}, "api")
		w.wantCode(err, parley.CodeTicketNotFound)
		_, err = w.Change(w, stranger.AgentRef(w.Agent), first.Number, Change{Priority: "low"}, "api")
		w.wantCode(err, parley.CodeTicketNotFound)
		_, err = w.Change(w, stranger.AgentRef(theirs), first.Number, Change{Priority: "low"}, "api")
		w.wantCode(err, parley.CodeTicketNotFound)
		if diff := cmp.Diff(first, w.reloadTicket(first)); diff != "" {
			w.Errorf("a failure has left something: %s", diff)
		}
	})
}

// Many who change a ticket at a time lose nothing, and everything that changed left its event.
func TestManyChangeATicket(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		first := w.mustOpen(newTicketRequest(1))
		runConcurrently(24, func(i int) {
			in := Change{Priority: parley.Priorities()[1+i%4]}
			if i%2 == 0 {
				in = Change{Category: parley.StatusCategories()[i%6]}
			}
			if _, err := w.Change(w, w.ref(), first.Number, in, "api"); err != nil {
				w.Error(err)
			}
		})
		status, priority := string(first.StatusID), first.Priority
		for _, m := range w.messages(first, store.MessageTypeEvent) {
			switch e := m.Event; {
			case e.Kind == "status_change" && e.StatusFrom == status:
				status = e.StatusTo
			case e.Kind == "priority_change" && e.From == priority:
				priority = e.To
			default:
				w.Errorf("%+v does not follow from what was before", e)
			}
		}
		if now := w.reloadTicket(first); string(now.StatusID) != status || now.Priority != priority {
			w.Errorf("the events end at %s %s, the ticket is %+v", status, priority, now)
		}
	})
}

func TestIDsMayBeInCapitals(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		kim := w.addTeamMembers(parley.StrategyManual, 1)[0]
		ticket := w.mustOpen(newTicketRequest(1))
		other, err := w.AddTeam(w, w.ref(), parley.Team{Name: "Other"}, "operator")
		w.must(err)
		upper := parley.TeamID(strings.ToUpper(string(other.ID)))
		if got := w.changeTicket(ticket, Change{TeamID: &upper}); got.TeamID != other.ID {
			w.Error(got.TeamID)
		}
		before := len(w.events(ticket))
		w.changeTicket(ticket, Change{TeamID: &upper})
		if got := w.events(ticket); len(got) != before {
			w.Error("the same team leaves an event:", got)
		}
		reply, err := w.Reply(w, w.ref(), ticket.Number,
			NewReply{Type: store.MessageTypeReply, Content: "Hi", AuthorID: parley.UserID(strings.ToUpper(string(kim)))})
		w.must(err)
		if reply.AuthorID != kim {
			w.Error(reply.AuthorID)
		}
	})
}

// TestNoTicketIsLeftInARemovedTeam has tickets come to a team while it is removed.
func TestNoTicketIsLeftInARemovedTeam(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		var tickets []*parley.Ticket
		for i := range 8 {
			tickets = append(tickets, w.mustOpen(newTicketRequest(i)))
		}
		for round := range 5 {
			team, err := w.AddTeam(w, w.ref(), parley.Team{Name: fmt.Sprint("Team ", round)}, "operator")
			w.must(err)
			runConcurrently(len(tickets)+1, func(i int) {
				if i == len(tickets)/2 {
					if err := w.RemoveTeam(w, w.ref(), team.ID, "operator"); err != nil {
						w.Error(err)
					}
					return
				}
				_, err := w.Change(w, w.ref(), tickets[i%len(tickets)].Number, Change{TeamID: &team.ID}, "api")
				if err != nil && !parley.IsCode(err, parley.CodeTicketTeam) {
					w.Error(err)
				}
			})
			if n := w.countRows(`select count(*) from tickets where team_id = ?`, team.ID); n != 0 {
				w.Error(n, "tickets are in a team that is gone")
			}
		}
	})
}

func TestMove(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		first := w.mustOpen(newTicketRequest(1))
		w.inUpdate(func(u *update) error {
			locked, _, err := u.lockTicket(w, w.ref(), first.Number)
			return errors.Join(err, u.saveInCategory(w, locked, parley.TicketNew, "system"),
				u.saveInCategory(w, locked, parley.TicketOnYou, "customer"))
		})
		if diff := cmp.Diff([]string{"status_change by customer: New→Waiting on you → →"},
			w.events(first)); diff != "" || w.reloadTicket(first).Category != parley.TicketOnYou {
			w.Error(diff)
		}
	})
}
