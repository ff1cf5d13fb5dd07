package helpdesk

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// Leaving is a member who leaves the account.
type Leaving struct {
	AccountID parley.AccountID
	UserID    parley.UserID
	Reassign  bool // the teams of their open tickets pick somebody else
	By        string
	At        time.Time
}

// Left tells what became of the work of a member who leaves.
type Left struct {
	Teams      int           // that they were in
	Unassigned int           // open tickets that nobody has now
	Reassigned int           // open tickets that somebody else has now
	Rules      []parley.Rule // that name them; they go on with their teams
}

// mostRecorded is how many events are recorded at a time.
const mostRecorded = 500

// LeaveTx takes a member out of the teams of all the account's agents, and takes their open tickets from them, in the transaction that
// ends the membership next. The tickets stay with their teams. Closed tickets, and what the member wrote, stay theirs. Fails with
// TEAM_MEMBER_NOT_FOUND.
func (d *Desk) LeaveTx(ctx context.Context, tx *store.DB, l Leaving) (left Left, err error) {
	agents, err := tx.LockHelpdesks(ctx, l.AccountID) // from here on no strategy picks them
	if err != nil {
		return left, err
	}
	for _, agent := range agents { // tickets come before members, as wherever both are held
		if _, err := d.holdOpen(ctx, tx, l, agent); err != nil {
			return left, err
		}
	}
	if _, err := tx.LockMember(ctx, l.AccountID, l.UserID, parley.CodeMemberNotFound); err != nil { // from here on nobody names them
		return left, err
	}
	var tickets []*parley.Ticket
	for _, agent := range agents {
		held, err := d.leaveAgent(ctx, tx, l, agent, &left)
		if err != nil {
			return left, err
		}
		tickets = append(tickets, held...)
	}
	err = d.release(ctx, tx, l, tickets, &left)
	return left, err
}

// leaveAgent takes the member out of the agent's teams, and gives the open tickets that they had.
func (d *Desk) leaveAgent(ctx context.Context, tx *store.DB, l Leaving, agent parley.AgentID, left *Left) ([]*parley.Ticket, error) {
	n, err := tx.DropFromTeams(ctx, l.AccountID, agent, l.UserID)
	if err != nil {
		return nil, err
	}
	rules, err := tx.Rules(ctx, l.AccountID, agent)
	if err != nil {
		return nil, err
	}
	left.Teams += n
	left.Rules = append(left.Rules, slices.DeleteFunc(rules, func(r parley.Rule) bool { return r.MemberID != l.UserID })...)
	return d.holdOpen(ctx, tx, l, agent)
}

// holdOpen finds the member's open tickets of an agent and keeps every other writer out of them.
func (d *Desk) holdOpen(ctx context.Context, tx *store.DB, l Leaving, agent parley.AgentID) (list []*parley.Ticket, err error) {
	numbers, err := tx.OpenTicketsOf(ctx, l.AccountID, agent, l.UserID)
	for _, number := range numbers {
		t, _, err := d.hold(ctx, tx, l.AccountID, agent, number)
		switch {
		case parley.IsCode(err, parley.CodeTicketNotFound): // deleted meanwhile
		case err != nil:
			return nil, err
		case t.AssigneeID == l.UserID && t.Category.Open():
			list = append(list, t)
		}
	}
	return list, err
}

// release takes the tickets from the member, each with an event among its messages. It records them last: that holds the account's row.
func (d *Desk) release(ctx context.Context, tx *store.DB, l Leaving, tickets []*parley.Ticket, left *Left) error {
	events := make([]store.Event, len(tickets))
	for i, t := range tickets {
		if t.AssigneeID = ""; l.Reassign && t.TeamID != "" {
			if _, err := d.turn(ctx, tx, t, routing{}, l.At); err != nil {
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
		if events[i], err = d.noted(ctx, tx, t, []parley.TicketEvent{e}, l.By, l.At); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(events, mostRecorded) {
		if err := tx.Record(ctx, l.AccountID, l.At, some...); err != nil {
			return err
		}
	}
	return nil
}
