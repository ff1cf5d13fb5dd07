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

// recordBatchSize is how many events are recorded at a time.
const recordBatchSize = 500

// RemoveMemberTx removes a member from the teams of all the account's agents, and unassigns their open tickets, in the
// transaction that ends the membership next. The tickets stay with their teams. Closed tickets keep their assignee, and
// messages their author. Fails with TEAM_MEMBER_NOT_FOUND.
func (d *Service) RemoveMemberTx(ctx context.Context, tx *store.DB, l Departure) (left DepartureResult, err error) {
	agents, err := tx.LockHelpdesks(ctx, l.AccountID) // from here on no strategy can pick them
	if err != nil {
		return left, err
	}
	for _, agent := range agents { // tickets are locked before members, as everywhere
		if _, err := d.lockOpenTickets(ctx, tx, l, agent); err != nil {
			return left, err
		}
	}
	// from here on no change can name them
	if _, err := tx.LockMember(ctx, l.AccountID, l.UserID, parley.CodeMemberNotFound); err != nil {
		return left, err
	}
	var tickets []*parley.Ticket
	for _, agent := range agents {
		open, err := d.leaveTeams(ctx, tx, l, agent, &left)
		if err != nil {
			return left, err
		}
		tickets = append(tickets, open...)
	}
	err = d.releaseTickets(ctx, tx, l, tickets, &left)
	return left, err
}

// leaveTeams removes the member from the agent's teams, and returns their open tickets.
func (d *Service) leaveTeams(ctx context.Context, tx *store.DB, l Departure, agent parley.AgentID,
	left *DepartureResult) ([]*parley.Ticket, error) {
	n, err := tx.DropFromTeams(ctx, l.AccountID.AgentRef(agent), l.UserID)
	if err != nil {
		return nil, err
	}
	rules, err := tx.Rules(ctx, l.AccountID.AgentRef(agent))
	if err != nil {
		return nil, err
	}
	left.Teams += n
	left.Rules = append(left.Rules, slices.DeleteFunc(rules, func(r parley.Rule) bool {
		return r.MemberID != l.UserID
	})...)
	return d.lockOpenTickets(ctx, tx, l, agent)
}

// lockOpenTickets locks and returns the member's open tickets of an agent.
func (d *Service) lockOpenTickets(ctx context.Context, tx *store.DB, l Departure,
	agent parley.AgentID) (list []*parley.Ticket, err error) {
	numbers, err := tx.OpenTicketNumbers(ctx, l.AccountID.AgentRef(agent), l.UserID)
	for _, number := range numbers {
		t, _, err := d.lockTicket(ctx, tx, l.AccountID.AgentRef(agent), number)
		switch {
		case parley.IsCode(err, parley.CodeTicketNotFound): // deleted meanwhile
		case err != nil:
			return nil, err
		case t.AssigneeID == l.UserID && t.Category.IsOpen():
			list = append(list, t)
		}
	}
	return list, err
}

// releaseTickets unassigns or reassigns the tickets, each with an event in its messages. It records the events last:
// that locks the account's row.
func (d *Service) releaseTickets(ctx context.Context, tx *store.DB, l Departure, tickets []*parley.Ticket,
	left *DepartureResult) error {
	events := make([]store.NewEvent, len(tickets))
	for i, t := range tickets {
		if t.AssigneeID = ""; l.Reassign && t.TeamID != "" {
			if _, err := d.assignByStrategy(ctx, tx, t, routingRecord{}, l.At); err != nil {
				return err
			}
		}
		if t.AssigneeID == "" {
			left.Unassigned++
		} else {
			left.Reassigned++
		}
		e := parley.TicketEvent{Kind: "assign", AssignedFrom: string(l.UserID), AssignedTo: string(t.AssigneeID)}
		var err error
		if events[i], err = d.storeEvents(ctx, tx, t, []parley.TicketEvent{e}, l.By, l.At); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(events, recordBatchSize) {
		if err := tx.RecordEvents(ctx, l.AccountID, l.At, batch...); err != nil {
			return err
		}
	}
	return nil
}
