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

// leaves ends a membership, as the operator does.
func (w *world) leaves(user parley.UserID, reassign bool) Left {
	w.Helper()
	w.Clock = w.Clock.Add(time.Minute)
	return w.leavesNow(user, reassign)
}

// leavesNow is leaves with a clock that stands.
func (w *world) leavesNow(user parley.UserID, reassign bool) (left Left) {
	w.Helper()
	err := w.DB.Transact(w, sqldb.Bulk, func(tx *store.DB) (err error) {
		left, err = w.LeaveTx(w, tx, Leaving{AccountID: w.Account, UserID: user, Reassign: reassign, By: "operator", At: w.Clock})
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

// last tells what has happened to a ticket most recently.
func (w *world) last(t *parley.Ticket) string {
	w.Helper()
	list := w.messages(t, store.TypeEvent)
	if len(list) == 0 {
		return ""
	}
	e := list[len(list)-1].Event
	return fmt.Sprintf("%s by %s: %s→%s", e.Kind, e.DoneBy, e.AssignedFrom, e.AssignedTo)
}

func TestAMemberLeaves(t *testing.T) {
	each(t, func(w *world) {
		users := w.staff(parley.StrategyRoundRobin, 2)
		ann, bea, general := users[0], users[1], w.general()
		w.must(w.PutRules(w, w.Account, w.Agent, []parley.Rule{{Key: "vip", Name: "VIP", Enabled: true, MemberID: ann, All: []parley.Condition{{Field: "domain", Op: "is", Values: []string{"vip.example"}}}},
			{Key: "other", Name: "Other", Enabled: true, MemberID: bea, All: []parley.Condition{{Field: "domain", Op: "is", Values: []string{"other.example"}}}}}, "operator"))
		own, others, done := w.opened(request(1)), w.opened(request(2)), w.opened(request(3))
		vip := request(4)
		vip.Email = "c@vip.example"
		alone := w.opened(vip)
		if own.AssigneeID != ann || others.AssigneeID != bea || done.AssigneeID != ann || alone.AssigneeID != ann || alone.TeamID != "" {
			w.Fatalf("%+v %+v %+v %+v", own, others, done, alone)
		}
		w.changed(done, Change{Category: parley.TicketClosed})
		sister := w.agent(w.Account)
		there := request(1)
		there.Assignee = To(ann)
		far, err := w.Open(w, w.Account, sister, there)
		w.must(err)
		gone := w.agent(w.Account)
		_, err = w.Open(w, w.Account, gone, there)
		w.must(err)
		w.must(w.DB.DeleteAgent(w, w.Account, gone, noon))

		left := w.leaves(ann, false)
		if left.Teams != 1 || left.Unassigned != 3 || left.Reassigned != 0 || len(left.Rules) != 1 || left.Rules[0].Key != "vip" || left.Rules[0].AgentID != w.Agent {
			w.Errorf("%+v", left)
		}
		for _, one := range []*parley.Ticket{own, alone, far} {
			now := w.read(one)
			if now.AssigneeID != "" || now.TeamID != one.TeamID || now.StatusID != one.StatusID || !now.UpdatedAt.Equal(w.Clock) || w.last(one) != "assign by operator: "+string(ann)+"→" {
				w.Errorf("%+v %s", now, w.last(one))
			}
		}
		if now := w.read(others); now.AssigneeID != bea || w.last(others) != "" {
			w.Errorf("%+v %s", now, w.last(others))
		}
		if n := w.count(`select count(*) from events where kind = 'ticket.updated' and account_id = ? and at = ?`, w.Account, w.Clock.UnixMilli()); n != 3 {
			w.Errorf("%d tickets were told of", n)
		}
		if team := w.general(); len(team.Members) != 1 || team.Members[0].User.ID != bea || w.count(`select count(*) from team_members where user_id = ?`, ann) != 0 {
			w.Errorf("%+v", team.Members)
		}
		// Nobody gives them anything any more; their rule goes on with the default team.
		_, err = w.Change(w, w.Account, w.Agent, own.Number, Change{Assignee: To(ann)}, "api")
		w.fails(err, parley.CodeTicketMember)
		if got := w.opened(vip); got.AssigneeID != bea || got.TeamID != general.ID {
			w.Errorf("%+v", got)
		}
		w.fails(w.DB.Transact(w, sqldb.Bulk, func(tx *store.DB) error {
			_, err := w.LeaveTx(w, tx, Leaving{AccountID: w.Account, UserID: ann, By: "operator", At: w.Clock})
			return err
		}), parley.CodeMemberNotFound)
	})
}

// TestClosedTicketsOfWhoHasLeft holds that they stay theirs, and that they are nobody's once they are open again.
func TestClosedTicketsOfWhoHasLeft(t *testing.T) {
	each(t, func(w *world) {
		ann := w.staff(parley.StrategyRoundRobin, 1)[0]
		bea := w.member(w.Account, "bea")
		var done []*parley.Ticket
		for n := range 5 {
			one := w.opened(request(n))
			w.changed(one, Change{Category: parley.TicketClosed})
			done = append(done, one)
		}
		w.leaves(ann, true)
		for _, one := range done {
			if now := w.read(one); now.AssigneeID != ann || now.Category != parley.TicketClosed {
				w.Errorf("%+v", now)
			}
		}
		w.changed(done[0], Change{Category: parley.TicketOnYou})
		w.hears(done[1].ConversationID, parley.ByUser, "", "Once more, please")
		_, err := w.Reply(w, w.Account, w.Agent, done[2].Number, NewReply{Type: "reply", Content: "Hello again", AuthorID: bea})
		w.must(err)
		for _, one := range done[:3] {
			if now := w.read(one); now.AssigneeID != "" || !now.Category.Open() || w.last(one) != "assign by system: "+string(ann)+"→" {
				w.Errorf("%+v %s", now, w.last(one))
			}
		}
		w.changed(done[3], Change{Category: parley.TicketOnYou, Assignee: To(bea)})
		if now := w.read(done[3]); now.AssigneeID != bea || w.last(done[3]) != "assign by api: "+string(ann)+"→"+string(bea) {
			w.Errorf("%+v %s", now, w.last(done[3]))
		}
		w.changed(done[4], Change{Category: parley.TicketCancelled})
		if now := w.read(done[4]); now.AssigneeID != ann {
			w.Errorf("%+v", now)
		}
	})
}

func TestTicketsOfWhoLeavesGoToTheirTeams(t *testing.T) {
	each(t, func(w *world) {
		users := w.staff(parley.StrategyRoundRobin, 3)
		manual, err := w.AddTeam(w, w.Account, w.Agent, parley.Team{Name: "By hand", Strategy: parley.StrategyManual}, "operator")
		w.must(err)
		w.must(w.JoinTeam(w, w.Account, w.Agent, manual.ID, parley.TeamMember{User: parley.User{ID: users[1]}}, "operator"))
		in := request(1)
		in.Assignee = To(users[0])
		in.TeamID = manual.ID
		byHand := w.opened(in)
		in.TeamID = ""
		alone := w.opened(in)
		in.TeamID = w.general().ID
		var own []*parley.Ticket
		for range 6 {
			own = append(own, w.opened(in))
		}
		left := w.leaves(users[0], true)
		if left.Teams != 1 || left.Unassigned != 2 || left.Reassigned != 6 {
			w.Errorf("%+v", left)
		}
		var got []parley.UserID
		for _, one := range own {
			now := w.read(one)
			got = append(got, now.AssigneeID)
			if now.TeamID != one.TeamID || w.last(one) != "assign by operator: "+string(users[0])+"→"+string(now.AssigneeID) {
				w.Errorf("%+v %s", now, w.last(one))
			}
		}
		if want := []parley.UserID{users[1], users[2], users[1], users[2], users[1], users[2]}; !slices.Equal(got, want) {
			w.Errorf("%v, want %v", got, want)
		}
		for _, one := range []*parley.Ticket{byHand, alone} {
			if now := w.read(one); now.AssigneeID != "" || now.TeamID != one.TeamID {
				w.Errorf("%+v", now)
			}
		}
	})
}

// TestNoTicketComesToWhoIsLeaving holds that whatever happens while a member leaves, they end up with no open ticket and no place in a
// team.
func TestNoTicketComesToWhoIsLeaving(t *testing.T) {
	each(t, func(w *world) {
		users := w.staff(parley.StrategyRoundRobin, 2)
		ann, team := users[0], w.general()
		var there []*parley.Ticket
		for n := range 8 {
			there = append(there, w.opened(request(n)))
		}
		closed := w.opened(request(99))
		w.changed(closed, Change{Category: parley.TicketClosed, Assignee: To(ann)})
		allowed := func(err error) {
			if err != nil && !parley.IsCode(err, parley.CodeTicketMember) {
				w.Error(err)
			}
		}
		var left Left
		together(25, func(i int) {
			switch {
			case i == 12:
				left = w.leavesNow(ann, true)
			case i%4 == 0:
				_, err := w.Open(w, w.Account, w.Agent, request(i))
				allowed(err)
			case i%4 == 1:
				in := request(i)
				in.Assignee = To(ann)
				_, err := w.Open(w, w.Account, w.Agent, in)
				allowed(err)
			case i%4 == 2:
				_, err := w.Change(w, w.Account, w.Agent, there[i%8].Number, Change{Assignee: To(ann), Category: parley.TicketOnYou}, "api")
				allowed(err)
			case i == 23:
				_, err := w.Change(w, w.Account, w.Agent, closed.Number, Change{Category: parley.TicketOnYou}, "api")
				allowed(err)
			default:
				allowed(w.JoinTeam(w, w.Account, w.Agent, team.ID, parley.TeamMember{User: parley.User{ID: ann}}, "operator"))
			}
		})
		if n := w.count(`select count(*) from tickets where assignee_id = ? and is_open = 1`, ann); n != 0 {
			w.Errorf("%d open tickets are with who has left: %+v", n, left)
		}
		if n := w.count(`select count(*) from team_members where user_id = ?`, ann); n != 0 {
			w.Errorf("who has left is in %d teams", n)
		}
	})
}
