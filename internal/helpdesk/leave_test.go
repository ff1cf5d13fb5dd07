package helpdesk

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

// removeMember removes a member, as the operator does.
func (h *testHelpdesk) removeMember(user parley.UserID, reassign bool) DepartureResult {
	h.Helper()
	h.Clock = h.Clock.Add(time.Minute)
	return h.removeMemberNow(user, reassign)
}

// removeMemberNow is removeMember without moving the clock.
func (h *testHelpdesk) removeMemberNow(user parley.UserID, reassign bool) (left DepartureResult) {
	h.Helper()
	err := h.DB.Transact(h, sqldb.Bulk, func(tx *store.DB) (err error) {
		left, err = h.RemoveMemberTx(h, tx,
			Departure{AccountID: h.Account, UserID: user, Reassign: reassign, By: "operator", At: h.Clock})
		if err != nil {
			return err
		}
		return tx.DropMember(h, h.Account, user, parley.CodeMemberNotFound)
	})
	if err != nil {
		h.Error(err)
	}
	return left
}

// lastEvent returns a ticket's newest event as text.
func (h *testHelpdesk) lastEvent(t *parley.Ticket) string {
	h.Helper()
	list := h.messages(t, store.MessageTypeEvent)
	if len(list) == 0 {
		return ""
	}
	e := list[len(list)-1].Event
	return fmt.Sprintf("%s by %s: %s→%s", e.Kind, e.DoneBy, e.AssignedFrom, e.AssignedTo)
}

func TestRemovedMemberLosesOpenTickets(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyRoundRobin, 2)
		ann, bea, general := users[0], users[1], h.generalTeam()
		h.Must(h.putRules([]parley.Rule{{Key: "vip", Name: "VIP", Enabled: true, MemberID: ann,
			All: []parley.Condition{{Field: "domain", Op: "is", Values: []string{"vip.example"}}}},
			{Key: "other", Name: "Other", Enabled: true, MemberID: bea,
				All: []parley.Condition{{Field: "domain", Op: "is", Values: []string{"other.example"}}}}}))
		own, others, done := h.mustOpen(newTicketRequest(1)), h.mustOpen(newTicketRequest(2)), h.mustOpen(newTicketRequest(3))
		vip := newTicketRequest(4)
		vip.Email = "c@vip.example"
		vipTicket := h.mustOpen(vip)
		if own.AssigneeID != ann || others.AssigneeID != bea || done.AssigneeID != ann || vipTicket.AssigneeID != ann ||
			vipTicket.TeamID != "" {
			h.Fatalf("%+v %+v %+v %+v", own, others, done, vipTicket)
		}
		h.changeTicket(done, Change{Category: parley.TicketClosed})
		other := h.addAgent(h.Account)
		request := newTicketRequest(1)
		request.Assignee = AssignTo(ann)
		far, err := h.Open(h, h.Account.AgentRef(other), request)
		h.Must(err)
		deleted := h.addAgent(h.Account)
		_, err = h.Open(h, h.Account.AgentRef(deleted), request)
		h.Must(err)
		h.Must(h.DB.DeleteAgent(h, h.Account.AgentRef(deleted), noon))

		left := h.removeMember(ann, false)
		if left.Teams != 1 || left.Unassigned != 3 || left.Reassigned != 0 || len(left.Rules) != 1 ||
			left.Rules[0].Key != "vip" || left.Rules[0].AgentID != h.Agent {
			h.Errorf("%+v", left)
		}
		for _, one := range []*parley.Ticket{own, vipTicket, far} {
			now := h.reloadTicket(one)
			if now.AssigneeID != "" || now.TeamID != one.TeamID || now.StatusID != one.StatusID ||
				!now.UpdatedAt.Equal(h.Clock) || h.lastEvent(one) != "assign by operator: "+string(ann)+"→" {
				h.Errorf("%+v %s", now, h.lastEvent(one))
			}
		}
		if now := h.reloadTicket(others); now.AssigneeID != bea || h.lastEvent(others) != "" {
			h.Errorf("%+v %s", now, h.lastEvent(others))
		}
		if n := dbs.CountRows(h.TB, h.DB.SQL(),
			`select count(*) from events where kind = 'ticket.updated' and account_id = ? and at = ?`,
			h.Account, h.Clock.UnixMilli()); n != 3 {
			h.Errorf("%d tickets were reported", n)
		}
		if team := h.generalTeam(); len(team.Members) != 1 || team.Members[0].User.ID != bea ||
			dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from team_members where user_id = ?`, ann) != 0 {
			h.Errorf("%+v", team.Members)
		}
		// Nothing is assigned to them any more; their rule continues with the default team.
		_, err = h.Change(h, h.ref(), own.Number, Change{Assignee: AssignTo(ann)}, "api")
		h.WantCode(err, parley.CodeTicketMember)
		if got := h.mustOpen(vip); got.AssigneeID != bea || got.TeamID != general.ID {
			h.Errorf("%+v", got)
		}
		h.WantCode(h.DB.Transact(h, sqldb.Bulk, func(tx *store.DB) error {
			_, err := h.RemoveMemberTx(h, tx, Departure{AccountID: h.Account, UserID: ann, By: "operator", At: h.Clock})
			return err
		}), parley.CodeMemberNotFound)
	})
}

// Closed tickets stay assigned to a former member; a ticket that is reopened has no assignee.
func TestClosedTicketsKeepAFormerMember(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		ann := h.addTeamMembers(parley.StrategyRoundRobin, 1)[0]
		bea := h.addMember(h.Account, "bea")
		var done []*parley.Ticket
		for n := range 5 {
			one := h.mustOpen(newTicketRequest(n))
			h.changeTicket(one, Change{Category: parley.TicketClosed})
			done = append(done, one)
		}
		h.removeMember(ann, true)
		for _, one := range done {
			if now := h.reloadTicket(one); now.AssigneeID != ann || now.Category != parley.TicketClosed {
				h.Errorf("%+v", now)
			}
		}
		h.changeTicket(done[0], Change{Category: parley.TicketOnYou})
		h.addConversationMessage(done[1].ConversationID, parley.AuthorUser, "", "Once more, please")
		_, err := h.Reply(h, h.ref(), done[2].Number, NewReply{Type: "reply", Content: "Hello again", AuthorID: bea})
		h.Must(err)
		for _, one := range done[:3] {
			if now := h.reloadTicket(one); now.AssigneeID != "" || !now.Category.IsOpen() ||
				h.lastEvent(one) != "assign by system: "+string(ann)+"→" {
				h.Errorf("%+v %s", now, h.lastEvent(one))
			}
		}
		h.changeTicket(done[3], Change{Category: parley.TicketOnYou, Assignee: AssignTo(bea)})
		if now := h.reloadTicket(done[3]); now.AssigneeID != bea ||
			h.lastEvent(done[3]) != "assign by api: "+string(ann)+"→"+string(bea) {
			h.Errorf("%+v %s", now, h.lastEvent(done[3]))
		}
		h.changeTicket(done[4], Change{Category: parley.TicketCancelled})
		if now := h.reloadTicket(done[4]); now.AssigneeID != ann {
			h.Errorf("%+v", now)
		}
	})
}

func TestTicketsOfARemovedMemberAreReassigned(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyRoundRobin, 3)
		manual, err := h.AddTeam(h, h.ref(), parley.Team{Name: "By hand", Strategy: parley.StrategyManual}, "operator")
		h.Must(err)
		h.Must(h.JoinTeam(h, h.ref(), manual.ID, parley.TeamMember{User: parley.User{ID: users[1]}}, "operator"))
		in := newTicketRequest(1)
		in.Assignee = AssignTo(users[0])
		in.TeamID = manual.ID
		byHand := h.mustOpen(in)
		in.TeamID = ""
		single := h.mustOpen(in)
		in.TeamID = h.generalTeam().ID
		var own []*parley.Ticket
		for range 6 {
			own = append(own, h.mustOpen(in))
		}
		left := h.removeMember(users[0], true)
		if left.Teams != 1 || left.Unassigned != 2 || left.Reassigned != 6 {
			h.Errorf("%+v", left)
		}
		var got []parley.UserID
		for _, one := range own {
			now := h.reloadTicket(one)
			got = append(got, now.AssigneeID)
			if now.TeamID != one.TeamID ||
				h.lastEvent(one) != "assign by operator: "+string(users[0])+"→"+string(now.AssigneeID) {
				h.Errorf("%+v %s", now, h.lastEvent(one))
			}
		}
		if want := []parley.UserID{users[1], users[2], users[1], users[2], users[1], users[2]}; !slices.Equal(got, want) {
			h.Errorf("%v, want %v", got, want)
		}
		for _, one := range []*parley.Ticket{byHand, single} {
			if now := h.reloadTicket(one); now.AssigneeID != "" || now.TeamID != one.TeamID {
				h.Errorf("%+v", now)
			}
		}
	})
}

// Whatever happens while a member is removed, in the end they have no open ticket and are in no team.
func TestNoTicketIsAssignedToALeavingMember(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyRoundRobin, 2)
		ann, team := users[0], h.generalTeam()
		var open []*parley.Ticket
		for n := range 8 {
			open = append(open, h.mustOpen(newTicketRequest(n)))
		}
		closed := h.mustOpen(newTicketRequest(99))
		h.changeTicket(closed, Change{Category: parley.TicketClosed, Assignee: AssignTo(ann)})
		allowed := func(err error) {
			if err != nil && !parley.IsCode(err, parley.CodeTicketMember) {
				h.Error(err)
			}
		}
		var left DepartureResult
		check.Concurrently(25, func(i int) {
			switch {
			case i == 12:
				left = h.removeMemberNow(ann, true)
			case i%4 == 0:
				_, err := h.Open(h, h.ref(), newTicketRequest(i))
				allowed(err)
			case i%4 == 1:
				in := newTicketRequest(i)
				in.Assignee = AssignTo(ann)
				_, err := h.Open(h, h.ref(), in)
				allowed(err)
			case i%4 == 2:
				_, err := h.Change(h, h.ref(), open[i%8].Number,
					Change{Assignee: AssignTo(ann), Category: parley.TicketOnYou}, "api")
				allowed(err)
			case i == 23:
				_, err := h.Change(h, h.ref(), closed.Number, Change{Category: parley.TicketOnYou}, "api")
				allowed(err)
			default:
				allowed(h.JoinTeam(h, h.ref(), team.ID, parley.TeamMember{User: parley.User{ID: ann}}, "operator"))
			}
		})
		if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from tickets where assignee_id = ? and is_open = 1`,
			ann); n != 0 {
			h.Errorf("%d open tickets are assigned to a removed member: %+v", n, left)
		}
		if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from team_members where user_id = ?`, ann); n != 0 {
			h.Errorf("a removed member is in %d teams", n)
		}
	})
}
