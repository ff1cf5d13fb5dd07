package helpdesk

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// routing tells how a ticket came to its team and its assignee. It is kept with the ticket.
type routing struct {
	Rule     string        `json:"rule,omitempty"`     // key of the rule that fired
	Team     parley.TeamID `json:"team,omitempty"`     // that took it
	Assignee parley.UserID `json:"assignee,omitempty"` // who got it
	Why      string        `json:"why"`                // given, rule, strategy, nobody
}

func (r routing) json() json.RawMessage {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings always encode
	}
	return b
}

// place finds the team and the assignee of a new ticket, whose team, subject, customer, channel and priority are as they were given
// (interface 4.2, rules 3 to 5). Fails with TICKET_TEAM_NOT_FOUND and TICKET_TEAM_MEMBER_NOT_FOUND. The helpdesk must be held.
func (d *Desk) place(ctx context.Context, tx *store.DB, t *parley.Ticket, body string, who Assignee, now time.Time) (r routing, err error) {
	r = routing{Team: t.TeamID, Why: "given"}
	switch {
	case who.set:
		t.AssigneeID, err = assigned(ctx, tx, t, who)
		r.Assignee = t.AssigneeID
		return r, err
	case t.TeamID == "":
		if r, err = ruled(ctx, tx, t, body); err != nil {
			return r, err
		}
	}
	if t.TeamID, t.AssigneeID = r.Team, r.Assignee; r.Team == "" && r.Assignee != "" {
		return r, nil // a rule that names a member alone
	}
	return d.turn(ctx, tx, t, r, now)
}

// assigned gives the member that was named, or nobody, once the team that was named is known to be there.
func assigned(ctx context.Context, tx *store.DB, t *parley.Ticket, who Assignee) (parley.UserID, error) {
	if t.TeamID != "" {
		if _, err := tx.Team(ctx, t.AccountID, t.AgentID, t.TeamID); err != nil {
			return "", err
		}
	}
	return who.find(ctx, tx, t.AccountID)
}

func sketch(t *parley.Ticket, body string) Sketch {
	return Sketch{Subject: t.Subject, Body: body, Email: t.Customer.Email, Channel: t.Channel, Priority: t.Priority}
}

// ruled asks the rules.
func ruled(ctx context.Context, tx *store.DB, t *parley.Ticket, body string) (routing, error) {
	rules, err := tx.Rules(ctx, t.AccountID, t.AgentID)
	if err != nil {
		return routing{}, err
	}
	members, err := named(ctx, tx, t.AccountID, rules)
	made := route(rules, members, sketch(t, body))
	r := routing{Team: made.TeamID, Assignee: made.MemberID, Why: "rule"}
	if made.Rule != nil {
		r.Rule = made.Rule.Key
	}
	return r, err
}

// named tells who belongs to the account. Where no rule names anybody, nothing is read.
func named(ctx context.Context, tx *store.DB, account parley.AccountID, rules []parley.Rule) (map[parley.UserID]bool, error) {
	if !slices.ContainsFunc(rules, func(r parley.Rule) bool { return r.MemberID != "" }) {
		return nil, nil
	}
	ids, err := tx.MemberIDs(ctx, account)
	members := make(map[parley.UserID]bool, len(ids))
	for _, id := range ids {
		members[id] = true
	}
	return members, err
}

// turn finds the team that takes the ticket, which is the default team where none is named. Unless a rule has named the assignee, a
// member is picked, and it is noted that it was their turn.
func (d *Desk) turn(ctx context.Context, tx *store.DB, t *parley.Ticket, r routing, now time.Time) (routing, error) {
	team, members, err := tx.TeamAtWork(ctx, t.AccountID, t.AgentID, t.TeamID)
	if err != nil {
		return r, err
	}
	if t.TeamID, r.Team = team.ID, team.ID; r.Assignee != "" {
		return r, nil
	}
	best := pick(team.Strategy, candidates(team, members, now))
	if r.Why = "nobody"; best < 0 {
		return r, nil
	}
	r.Assignee, r.Why = members[best].User.ID, "strategy"
	t.AssigneeID = r.Assignee
	return r, tx.TookTurn(ctx, t.AccountID, t.AgentID, team.ID, r.Assignee, nextTurn(members))
}
