package helpdesk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/store"
)

// setTargets sets the targets that most tests have: high tickets are replied to within an hour and closed within
// eight, others are closed within sixteen. The default team works from nine to five.
func (h *testHelpdesk) setTargets() {
	h.Helper()
	h.setHours(h.generalTeam().ID, weekdayHours)
	_, err := h.ReplaceSLATargets(h, h.ref(), []parley.SLATarget{
		{Priority: "high", FirstReplyMinutes: 60, ResolutionMinutes: 8 * 60},
		{Priority: "none", ResolutionMinutes: 16 * 60},
		{Priority: "low"},
	}, "operator")
	h.Must(err)
}

func (h *testHelpdesk) setHours(team parley.TeamID, hours []parley.WorkingHours) {
	h.Helper()
	_, err := h.ChangeTeam(h, h.ref(), team, "operator", func(t *parley.Team) { t.Hours = hours })
	h.Must(err)
}

// openHigh opens a ticket of high priority.
func (h *testHelpdesk) openHigh() *parley.Ticket {
	h.Helper()
	in := newTicketRequest(1)
	in.Priority = "high"
	return h.mustOpen(in)
}

// change changes a ticket, a time after the last one.
func (h *testHelpdesk) change(after time.Duration, t *parley.Ticket, c Change) {
	h.Helper()
	h.Clock = h.Clock.Add(after)
	_, err := h.Change(h, h.ref(), t.Number, c, "operator")
	h.Must(err)
}

// requireDue checks when the first reply and the resolution of a ticket are due, such as "Fri 13:00, Mon 12:00".
func (h *testHelpdesk) requireDue(name string, t *parley.Ticket, want string) {
	h.Helper()
	stored, err := h.DB.Ticket(h, h.ref(), t.Number)
	h.Must(err)
	format := func(due *time.Time) string {
		if due == nil {
			return "-"
		}
		return due.Format("Mon 15:04")
	}
	if got := format(stored.SLA.FirstReplyDueAt) + ", " + format(stored.SLA.ResolutionDueAt); got != want {
		h.Errorf("%s: due %s, want %s", name, got, want)
	}
}

// breaches records what was missed until now and returns the payloads of all events that were recorded.
func (h *testHelpdesk) breaches() (list []string) {
	h.Helper()
	h.Must(h.RecordBreaches(h))
	page, err := h.DB.EventsAfter(h, h.Account, store.EventPosition{}, 1000)
	h.Must(err)
	for _, e := range page.Events {
		if e.Kind == parley.EventTicketOverdue {
			list = append(list, e.Payload)
		}
	}
	return list
}

// overdue returns the numbers of the overdue tickets of the agent, which must be those of the account as well.
func (h *testHelpdesk) overdue() string {
	h.Helper()
	var numbers [2][]int64
	now := h.now()
	f := store.TicketFilter{OverdueAt: &now, CountTotal: true}
	for i := range numbers {
		ask := parley.PageRequest{Limit: 2}
		for {
			page, err := h.DB.Tickets(h, h.ref(), f, ask)
			if i == 1 {
				page, err = h.DB.AccountTickets(h, h.Account, f, ask)
			}
			h.Must(err)
			for _, t := range page.Items {
				numbers[i] = append(numbers[i], t.Number)
			}
			if ask.After = page.Next; page.Next == nil {
				break
			}
		}
	}
	ofAgent := slices.Clone(numbers[0])
	slices.Sort(ofAgent)
	slices.Sort(numbers[1]) // what is due at the same time has another order there
	if !slices.Equal(ofAgent, numbers[1]) {
		h.Errorf("of the agent %v are overdue, of the account %v", numbers[0], numbers[1])
	}
	return strings.Trim(fmt.Sprint(numbers[0]), "[]")
}

// A ticket is due by the working hours of its team, waits for nobody while the customer is to answer, and is not due
// once it is closed.
func TestTicketsAreDueInWorkingHours(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		kim := h.addTeamMembers(parley.StrategyManual, 1)[0]
		h.Clock = noon
		early := h.mustOpen(newTicketRequest(2))
		h.setTargets()
		h.requireDue("before there were targets", early, "-, -")
		h.change(0, early, Change{Priority: "normal"})
		h.requireDue("without a target", early, "-, -")
		h.change(0, early, Change{Priority: "none"})
		h.requireDue("changed", early, "-, Tue 12:00")

		one := h.openHigh()
		h.requireDue("opened", one, "Fri 13:00, Mon 12:00")
		h.Clock = noon.Add(30 * time.Minute)
		_, err := h.Reply(h, h.ref(), one.Number, NewReply{Type: "note", Content: "Hm", AuthorID: kim})
		h.Must(err)
		h.requireDue("noted", one, "Fri 13:00, Mon 12:00")
		_, err = h.Reply(h, h.ref(), one.Number, NewReply{Type: "reply", Content: "Which?", AuthorID: kim})
		h.Must(err)
		h.requireDue("replied to", one, "-, -") // half an hour has counted
		h.change(72*time.Hour, one, Change{Category: parley.TicketOnYou})
		h.requireDue("answered by the customer on Monday", one, "-, Tue 12:00")
		h.change(time.Hour, one, Change{Priority: "none"})
		h.requireDue("less urgent", one, "-, Wed 12:00")
		h.change(0, one, Change{Category: parley.TicketOnHold})
		h.requireDue("on hold", one, "-, Wed 12:00")
		h.change(time.Hour, one, Change{Category: parley.TicketClosed})
		h.requireDue("closed", one, "-, -")
		h.change(24*time.Hour, one, Change{Category: parley.TicketOnYou, Priority: "high"})
		h.requireDue("opened again on Tuesday with 5.5 hours left", one, "-, Wed 12:00")
	})
}

// What a team without hours has counts day and night, and what had passed before stays counted.
func TestAnotherTeamHasOtherHours(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		h.setTargets()
		always, err := h.AddTeam(h, h.ref(), parley.Team{Name: "Always"}, "operator")
		h.Must(err)
		one := h.openHigh()
		h.change(4*time.Hour, one, Change{TeamID: &always.ID})
		h.requireDue("by day and night", one, "Fri 13:00, Fri 20:00")
		h.change(0, one, Change{Category: parley.TicketOnCustomer})
		_, err = h.ReplaceSLATargets(h, h.ref(), nil, "operator")
		h.Must(err)
		h.change(0, one, Change{Category: parley.TicketOnYou})
		h.requireDue("without targets", one, "-, -")
	})
}

// Each target of a ticket that is missed is recorded once, and a ticket is listed as overdue as long as it is.
func TestBreachesAreRecordedOnce(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		kim := h.addTeamMembers(parley.StrategyManual, 1)[0]
		h.Clock = noon
		h.setTargets()
		one, two, three := h.openHigh(), h.openHigh(), h.openHigh()
		h.change(0, two, Change{Category: parley.TicketOnCustomer})
		h.mustOpen(newTicketRequest(4))
		h.Clock = noon.Add(time.Hour - time.Millisecond)
		if got := h.breaches(); len(got) > 0 || h.overdue() != "" {
			t.Errorf("before it was due: %v, %s", got, h.overdue())
		}
		h.Clock = noon.Add(time.Hour)
		if got := h.overdue(); got != "1 3" {
			t.Errorf("overdue before it was recorded: %s", got)
		}
		want := []string{}
		for _, number := range []int64{one.Number, three.Number} {
			want = append(want, fmt.Sprintf(`{"ticketNumber":%d,"target":"first_reply","priority":"high",`+
				`"dueAt":"2026-11-20T13:00:00Z"}`, number))
		}
		for range 2 {
			if got := h.breaches(); !slices.Equal(got, want) {
				t.Errorf("after an hour: %v", got)
			}
		}
		if stored, err := h.DB.Ticket(h, h.ref(), one.Number); err != nil || stored.SLA.FirstReplyBreachedAt == nil ||
			!stored.UpdatedAt.Equal(one.UpdatedAt) {
			t.Errorf("%+v, %v", stored, err)
		}
		_, err := h.Reply(h, h.ref(), three.Number, NewReply{Type: "reply", Content: "Sorry", AuthorID: kim})
		h.Must(err)
		h.Clock = noon.Add(72 * time.Hour)
		want = append(want, `{"ticketNumber":1,"target":"resolution","priority":"high","dueAt":"2026-11-23T12:00:00Z"}`)
		if got := h.breaches(); !slices.Equal(got, want) || h.overdue() != "1" {
			t.Errorf("on Monday: %v, %s", got, h.overdue())
		}
		h.change(0, one, Change{Category: parley.TicketOnCustomer})
		h.change(time.Hour, one, Change{Category: parley.TicketOnYou})
		h.change(0, three, Change{Category: parley.TicketOnYou})
		if got := h.breaches(); !slices.Equal(got, want) || h.overdue() != "1" {
			t.Errorf("again: %v, %s", got, h.overdue())
		}
		h.change(0, one, Change{Category: parley.TicketCancelled})
		if got := h.overdue(); got != "" {
			t.Errorf("cancelled: %s", got)
		}
	})
}

// What was missed is recorded with the change that comes before the server has looked, also where nothing is due then.
func TestLateChangesRecordBreaches(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		h.setTargets()
		one := h.openHigh()
		h.change(72*time.Hour, one, Change{Category: parley.TicketClosed})
		for range 2 {
			if got := h.breaches(); len(got) != 2 || !strings.Contains(got[0], "first_reply") ||
				!strings.Contains(got[1], "resolution") {
				t.Errorf("%v", got)
			}
		}
	})
}

// Many tickets that are missed at once are all recorded, and pages show the longest overdue first.
func TestManyBreachesAtOnce(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		h.setTargets()
		var want []string
		for i := range breachBatchSize + 5 {
			h.openHigh()
			h.Clock = h.Clock.Add(time.Second)
			want = append(want, fmt.Sprint(i+1))
		}
		h.Clock = noon.Add(3 * time.Hour)
		if got := len(h.breaches()); got != len(want) {
			t.Errorf("%d breaches", got)
		}
		if got := h.overdue(); got != strings.Join(want, " ") {
			t.Errorf("overdue: %s", got)
		}
	})
}

// A ticket of which nothing can be recorded, as the next event of its account has the number of another, holds up none.
func TestFailingTicketHoldsUpNoOther(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		broken := h.addAccount("Broken")
		first := newTicketRequest(1)
		first.Priority = "high"
		ref := broken.AgentRef(h.addAgent(broken))
		_, err := h.ReplaceSLATargets(h, ref, []parley.SLATarget{{Priority: "high", FirstReplyMinutes: 1}}, "operator")
		h.Must(err)
		_, err = h.Open(h, ref, first)
		h.Must(err)
		h.setTargets()
		h.openHigh()
		_, err = h.DB.SQL().Exec(h, `update accounts set event_seq = event_seq - 1 where id = ?`, broken)
		h.Must(err)
		h.Clock = noon.Add(3 * time.Hour)
		if err := h.RecordBreaches(h); err == nil {
			t.Error("the failure is not told")
		}
		page, err := h.DB.EventsAfter(h, h.Account, store.EventPosition{}, 1000)
		h.Must(err)
		isOverdue := func(e store.Event) bool { return e.Kind == parley.EventTicketOverdue }
		if !slices.ContainsFunc(page.Events, isOverdue) {
			t.Error("the other ticket is not recorded")
		}
	})
}

// However much was missed, it is recorded by statements that databases take.
func TestVeryManyBreachesAreRecorded(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ticket := h.openHigh()
		h.inUpdate(func(u *update) error {
			for range 7000 {
				u.breaches = append(u.breaches, newEvent(ticket, parley.EventTicketOverdue, TicketOverduePayload{}))
			}
			return u.recordEvents(h, h.Account)
		})
	})
}

func TestTargetsAreChecked(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		for field, targets := range map[string][]parley.SLATarget{
			"targets.0.priority":          {{Priority: "huge"}},
			"targets.1.priority":          {{Priority: "high"}, {Priority: "high"}},
			"targets.0.firstReplyMinutes": {{Priority: "high", FirstReplyMinutes: -1}},
			"targets.0.resolutionMinutes": {{Priority: "high", ResolutionMinutes: maxTargetMinutes + 1}},
		} {
			_, err := h.ReplaceSLATargets(h, h.ref(), targets, "operator")
			if !parley.IsCode(err, parley.CodeInvalidBody) || parley.AsError(err).Details[field] == "" {
				t.Errorf("%s: %v", field, err)
			}
		}
		h.setTargets()
		got, err := h.SLATargets(h, h.ref())
		want := []parley.SLATarget{{Priority: "none", ResolutionMinutes: 960},
			{Priority: "high", FirstReplyMinutes: 60, ResolutionMinutes: 480}}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
