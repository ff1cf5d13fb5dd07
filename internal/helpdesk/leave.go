package helpdesk

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// Departure describes a member who leaves the account.
type Departure struct {
	AccountID parley.AccountID
	UserID    parley.UserID
	Reassign  bool // the teams of their open tickets assign them to others
	By        string
	At        time.Time
}

// DepartureResult says what happened to the work of a member who left.
type DepartureResult struct {
	Teams      int           // that they were in
	Unassigned int           // open tickets without an assignee now
	Reassigned int           // open tickets with another assignee now
	Rules      []parley.Rule // that name them; they continue with their teams
}

// RemoveMemberTx removes a member from the teams of all the account's agents, and unassigns their open tickets, in the
// transaction that ends the membership next. The tickets stay with their teams. Closed tickets keep their assignee, and
// messages their author. Fails with TEAM_MEMBER_NOT_FOUND.
func (s *Service) RemoveMemberTx(ctx context.Context, tx *store.DB, d Departure) (r DepartureResult, err error) {
	u := s.newUpdate(tx, d.At)
	agents, err := tx.LockHelpdesks(ctx, d.AccountID) // from here on no strategy can pick them
	if err != nil {
		return r, err
	}
	for _, agent := range agents { // tickets are locked before members, as everywhere
		if _, err := u.lockOpenTickets(ctx, d.AccountID.AgentRef(agent), d.UserID); err != nil {
			return r, err
		}
	}
	// from here on no change can name them
	if _, err := tx.LockMember(ctx, d.AccountID, d.UserID, parley.CodeMemberNotFound); err != nil {
		return r, err
	}
	var tickets []*parley.Ticket
	for _, agent := range agents {
		open, err := u.leaveTeams(ctx, d.AccountID.AgentRef(agent), d.UserID, &r)
		if err != nil {
			return r, err
		}
		tickets = append(tickets, open...)
	}
	err = u.releaseTickets(ctx, d, tickets, &r)
	return r, err
}

// leaveTeams removes the member from the agent's teams, and returns their open tickets.
func (u *update) leaveTeams(ctx context.Context, ref parley.AgentRef, user parley.UserID,
	r *DepartureResult) ([]*parley.Ticket, error) {
	n, err := u.tx.DropFromTeams(ctx, ref, user)
	if err != nil {
		return nil, err
	}
	rules, err := u.tx.Rules(ctx, ref)
	if err != nil {
		return nil, err
	}
	r.Teams += n
	r.Rules = append(r.Rules, slices.DeleteFunc(rules, func(r parley.Rule) bool { return r.MemberID != user })...)
	return u.lockOpenTickets(ctx, ref, user)
}

func (u *update) lockOpenTickets(ctx context.Context, ref parley.AgentRef,
	user parley.UserID) (list []*parley.Ticket, err error) {
	numbers, err := u.tx.OpenTicketNumbers(ctx, ref, user)
	for _, number := range numbers {
		t, _, err := u.lockTicket(ctx, ref, number)
		switch {
		case parley.IsCode(err, parley.CodeTicketNotFound): // deleted meanwhile
		case err != nil:
			return nil, err
		case t.AssigneeID == user && t.Category.IsOpen():
			list = append(list, t)
		}
	}
	return list, err
}

// releaseTickets unassigns or reassigns the tickets, each with an event in its messages. It records the events last:
// that locks the account's row.
func (u *update) releaseTickets(ctx context.Context, d Departure, tickets []*parley.Ticket, r *DepartureResult) error {
	events := make([]store.NewEvent, len(tickets))
	for i, t := range tickets {
		if t.AssigneeID = ""; d.Reassign && t.TeamID != "" {
			if _, err := u.assignByStrategy(ctx, t, routingRecord{}); err != nil {
				return err
			}
		}
		if t.AssigneeID == "" {
			r.Unassigned++
		} else {
			r.Reassigned++
		}
		e := parley.TicketEvent{Kind: "assign", AssignedFrom: string(d.UserID), AssignedTo: string(t.AssigneeID)}
		var err error
		if events[i], err = u.storeEvents(ctx, t, []parley.TicketEvent{e}, d.By); err != nil {
			return err
		}
	}
	return u.recordEvents(ctx, d.AccountID, events...)
}
