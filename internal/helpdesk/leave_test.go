package helpdesk

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// removeMember ends a membership, as the operator does.
func (w *testHelpdesk) removeMember(user parley.UserID, reassign bool) DepartureResult {
	w.Helper()
	w.Clock = w.Clock.Add(time.Minute)
	return w.removeMemberNow(user, reassign)
}

// removeMemberNow is leaves with a clock that stands.
func (w *testHelpdesk) removeMemberNow(user parley.UserID, reassign bool) (left DepartureResult) {
	w.Helper()
	err := w.DB.Transact(w, sqldb.Bulk, func(tx *store.DB) (err error) {
		left, err = w.RemoveMemberTx(w, tx,
			Departure{AccountID: w.Account, UserID: user, Reassign: reassign, By: "operator", At: w.Clock})
		if err != nil {
			return err
		}
		return tx.DropMember(w, w.Account, user, parley.CodeMemberNotFound)
	})
	if err != nil {
		w.Error(err)
	}
	return left
}

// lastEvent tells what has happened to a ticket most recently.
func (w *testHelpdesk) lastEvent(t *parley.Ticket) string {
	w.Helper()
	list := w.messages(t, store.MessageTypeEvent)
	if len(list) == 0 {
		return ""
	}
	e := list[len(list)-1].Event
	return fmt.Sprintf("%s by %s: %s→%s", e.Kind, e.DoneBy, e.AssignedFrom, e.AssignedTo)
}

func TestAMemberLeaves(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyRoundRobin, 2)
		ann, bea, general := users[0], users[1], w.generalTeam()
		w.must(w.putRules([]parley.Rule{{Key: "vip", Name: "VIP", Enabled: true, MemberID: ann,
			All: []parley.Condition{{Field: "domain", Op: "is", Values: []string{"vip.example"}}}},
			{Key: "other", Name: "Other", Enabled: true, MemberID: bea,
				All: []parley.Condition{{Field: "domain", Op: "is", Values: []string{"other.example"}}}}}))
		own, others, done := w.mustOpen(newTicketRequest(1)), w.mustOpen(newTicketRequest(2)), w.mustOpen(newTicketRequest(3))
		vip := newTicketRequest(4)
		vip.Email = "c@vip.example"
		alone := w.mustOpen(vip)
		if own.AssigneeID != ann || others.AssigneeID != bea || done.AssigneeID != ann || alone.AssigneeID != ann ||
			alone.TeamID != "" {
			w.Fatalf("%+v %+v %+v %+v", own, others, done, alone)
		}
		w.changeTicket(done, Change{Category: parley.TicketClosed})
		sister := w.addAgent(w.Account)
		there := newTicketRequest(1)
		there.Assignee = AssignTo(ann)
		far, err := w.Open(w, w.Account.AgentRef(sister), there)
		w.must(err)
		deleted := w.addAgent(w.Account)
		_, err = w.Open(w, w.Account.AgentRef(deleted), there)
		w.must(err)
		w.must(w.DB.DeleteAgent(w, w.Account.AgentRef(deleted), noon))

		left := w.removeMember(ann, false)
		if left.Teams != 1 || left.Unassigned != 3 || left.Reassigned != 0 || len(left.Rules) != 1 ||
			left.Rules[0].Key != "vip" || left.Rules[0].AgentID != w.Agent {
			w.Errorf("%+v", left)
		}
		for _, one := range []*parley.Ticket{own, alone, far} {
			now := w.reloadTicket(one)
			if now.AssigneeID != "" || now.TeamID != one.TeamID || now.StatusID != one.StatusID ||
				!now.UpdatedAt.Equal(w.Clock) || w.lastEvent(one) != "assign by operator: "+string(ann)+"→" {
				w.Errorf("%+v %s", now, w.lastEvent(one))
			}
		}
		if now := w.reloadTicket(others); now.AssigneeID != bea || w.lastEvent(others) != "" {
			w.Errorf("%+v %s", now, w.lastEvent(others))
		}
		if n := w.countRows(`select count(*) from events where kind = 'ticket.updated' and account_id = ? and at = ?`,
			w.Account, w.Clock.UnixMilli()); n != 3 {
			w.Errorf("%d tickets were told of", n)
		}
		if team := w.generalTeam(); len(team.Members) != 1 || team.Members[0].User.ID != bea ||
			w.countRows(`select count(*) from team_members where user_id = ?`, ann) != 0 {
			w.Errorf("%+v", team.Members)
		}
		// Nobody returns them anything any more; their rule goes on with the default team.
		_, err = w.Change(w, w.ref(), own.Number, Change{Assignee: AssignTo(ann)}, "api")
		w.wantCode(err, parley.CodeTicketMember)
		if got := w.mustOpen(vip); got.AssigneeID != bea || got.TeamID != general.ID {
			w.Errorf("%+v", got)
		}
		w.wantCode(w.DB.Transact(w, sqldb.Bulk, func(tx *store.DB) error {
			_, err := w.RemoveMemberTx(w, tx, Departure{AccountID: w.Account, UserID: ann, By: "operator", At: w.Clock})
			return err
		}), parley.CodeMemberNotFound)
	})
}

// TestClosedTicketsOfWhoHasLeft holds that they stay theirs, and that they are nobody's once they are open again.
func TestClosedTicketsOfWhoHasLeft(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		ann := w.addTeamMembers(parley.StrategyRoundRobin, 1)[0]
		bea := w.addMember(w.Account, "bea")
		var done []*parley.Ticket
		for n := range 5 {
			one := w.mustOpen(newTicketRequest(n))
			w.changeTicket(one, Change{Category: parley.TicketClosed})
			done = append(done, one)
		}
		w.removeMember(ann, true)
		for _, one := range done {
			if now := w.reloadTicket(one); now.AssigneeID != ann || now.Category != parley.TicketClosed {
				w.Errorf("%+v", now)
			}
		}
		w.changeTicket(done[0], Change{Category: parley.TicketOnYou})
		w.addConversationMessage(done[1].ConversationID, parley.AuthorUser, "", "Once more, please")
		_, err := w.Reply(w, w.ref(), done[2].Number, NewReply{Type: "reply", Content: "Hello again", AuthorID: bea})
		w.must(err)
		for _, one := range done[:3] {
			if now := w.reloadTicket(one); now.AssigneeID != "" || !now.Category.IsOpen() ||
				w.lastEvent(one) != "assign by system: "+string(ann)+"→" {
				w.Errorf("%+v %s", now, w.lastEvent(one))
			}
		}
		w.changeTicket(done[3], Change{Category: parley.TicketOnYou, Assignee: AssignTo(bea)})
		if now := w.reloadTicket(done[3]); now.AssigneeID != bea ||
			w.lastEvent(done[3]) != "assign by api: "+string(ann)+"→"+string(bea) {
			w.Errorf("%+v %s", now, w.lastEvent(done[3]))
		}
		w.changeTicket(done[4], Change{Category: parley.TicketCancelled})
		if now := w.reloadTicket(done[4]); now.AssigneeID != ann {
			w.Errorf("%+v", now)
		}
	})
}

func TestTicketsOfWhoLeavesGoToTheirTeams(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyRoundRobin, 3)
		manual, err := w.AddTeam(w, w.ref(), parley.Team{Name: "By hand", Strategy: parley.StrategyManual}, "operator")
		w.must(err)
		w.must(w.JoinTeam(w, w.ref(), manual.ID, parley.TeamMember{User: parley.User{ID: users[1]}}, "operator"))
		in := newTicketRequest(1)
		in.Assignee = AssignTo(users[0])
		in.TeamID = manual.ID
		byHand := w.mustOpen(in)
		in.TeamID = ""
		alone := w.mustOpen(in)
		in.TeamID = w.generalTeam().ID
		var own []*parley.Ticket
		for range 6 {
			own = append(own, w.mustOpen(in))
		}
		left := w.removeMember(users[0], true)
		if left.Teams != 1 || left.Unassigned != 2 || left.Reassigned != 6 {
			w.Errorf("%+v", left)
		}
		var got []parley.UserID
		for _, one := range own {
			now := w.reloadTicket(one)
			got = append(got, now.AssigneeID)
			if now.TeamID != one.TeamID ||
				w.lastEvent(one) != "assign by operator: "+string(users[0])+"→"+string(now.AssigneeID) {
				w.Errorf("%+v %s", now, w.lastEvent(one))
			}
		}
		if want := []parley.UserID{users[1], users[2], users[1], users[2], users[1], users[2]}; !slices.Equal(got, want) {
			w.Errorf("%v, want %v", got, want)
		}
		for _, one := range []*parley.Ticket{byHand, alone} {
			if now := w.reloadTicket(one); now.AssigneeID != "" || now.TeamID != one.TeamID {
				w.Errorf("%+v", now)
			}
		}
	})
}

// TestNoTicketComesToWhoIsLeaving holds that whatever happens while a member leaves, they end up with no open ticket
// and no place in a team.
func TestNoTicketComesToWhoIsLeaving(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyRoundRobin, 2)
		ann, team := users[0], w.generalTeam()
		var there []*parley.Ticket
		for n := range 8 {
			there = append(there, w.mustOpen(newTicketRequest(n)))
		}
		closed := w.mustOpen(newTicketRequest(99))
		w.changeTicket(closed, Change{Category: parley.TicketClosed, Assignee: AssignTo(ann)})
		allowed := func(err error) {
			if err != nil && !parley.IsCode(err, parley.CodeTicketMember) {
				w.Error(err)
			}
		}
		var left DepartureResult
		runConcurrently(25, func(i int) {
			switch {
			case i == 12:
				left = w.removeMemberNow(ann, true)
			case i%4 == 0:
				_, err := w.Open(w, w.ref(), newTicketRequest(i))
				allowed(err)
			case i%4 == 1:
				in := newTicketRequest(i)
				in.Assignee = AssignTo(ann)
				_, err := w.Open(w, w.ref(), in)
				allowed(err)
			case i%4 == 2:
				_, err := w.Change(w, w.ref(), there[i%8].Number,
					Change{Assignee: AssignTo(ann), Category: parley.TicketOnYou}, "api")
				allowed(err)
			case i == 23:
				_, err := w.Change(w, w.ref(), closed.Number, Change{Category: parley.TicketOnYou}, "api")
				allowed(err)
			default:
				allowed(w.JoinTeam(w, w.ref(), team.ID, parley.TeamMember{User: parley.User{ID: ann}}, "operator"))
			}
		})
		if n := w.countRows(`select count(*) from tickets where assignee_id = ? and is_open = 1`, ann); n != 0 {
			w.Errorf("%d open tickets are with who has left: %+v", n, left)
		}
		if n := w.countRows(`select count(*) from team_members where user_id = ?`, ann); n != 0 {
			w.Errorf("who has left is in %d teams", n)
		}
	})
}
