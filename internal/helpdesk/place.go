package helpdesk

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// routingRecord tells how a ticket came to its team and its assignee. It is kept with the ticket.
type routingRecord struct {
	Rule     string        `json:"rule,omitempty"`     // key of the rule that fired
	Team     parley.TeamID `json:"team,omitempty"`     // that took it
	Assignee parley.UserID `json:"assignee,omitempty"` // who got it
	Why      string        `json:"why"`                // given, rule, strategy, nobody
}

func (r routingRecord) json() json.RawMessage {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings always encode
	}
	return b
}

// routeTicket finds the team and the assignee of a new ticket, whose team, subject, customer, channel and priority are as they were given
// (interface 4.2, rules 3 to 5). Fails with TICKET_TEAM_NOT_FOUND and TICKET_TEAM_MEMBER_NOT_FOUND. The helpdesk must be held.
func (d *Service) routeTicket(ctx context.Context, tx *store.DB, t *parley.Ticket, body string, assignee Assignee, now time.Time) (r routingRecord, err error) {
	r = routingRecord{Team: t.TeamID, Why: "given"}
	switch {
	case assignee.isSet:
		t.AssigneeID, err = resolveAssignee(ctx, tx, t, assignee)
		r.Assignee = t.AssigneeID
		return r, err
	case t.TeamID == "":
		if r, err = applyRules(ctx, tx, t, body); err != nil {
			return r, err
		}
	}
	if t.TeamID, t.AssigneeID = r.Team, r.Assignee; r.Team == "" && r.Assignee != "" {
		return r, nil // a rule that names a member alone
	}
	return d.assignByStrategy(ctx, tx, t, r, now)
}

// resolveAssignee returns the member that was named, or nobody, once the team that was named is known to be there.
func resolveAssignee(ctx context.Context, tx *store.DB, t *parley.Ticket, assignee Assignee) (parley.UserID, error) {
	if t.TeamID != "" {
		if _, err := tx.Team(ctx, t.AccountID, t.AgentID, t.TeamID); err != nil {
			return "", err
		}
	}
	return assignee.resolve(ctx, tx, t.AccountID)
}

func routingInputOf(t *parley.Ticket, body string) RoutingInput {
	return RoutingInput{Subject: t.Subject, Body: body, Email: t.Customer.Email, Channel: t.Channel, Priority: t.Priority}
}

// applyRules asks the rules.
func applyRules(ctx context.Context, tx *store.DB, t *parley.Ticket, body string) (routingRecord, error) {
	rules, err := tx.Rules(ctx, t.AccountID, t.AgentID)
	if err != nil {
		return routingRecord{}, err
	}
	members, err := memberSet(ctx, tx, t.AccountID, rules)
	made := route(rules, members, routingInputOf(t, body))
	r := routingRecord{Team: made.TeamID, Assignee: made.MemberID, Why: "rule"}
	if made.Rule != nil {
		r.Rule = made.Rule.Key
	}
	return r, err
}

// memberSet tells who belongs to the account. Where no rule names anybody, nothing is read.
func memberSet(ctx context.Context, tx *store.DB, account parley.AccountID, rules []parley.Rule) (map[parley.UserID]bool, error) {
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

// assignByStrategy finds the team that takes the ticket, which is the default team where none is named. Unless a rule has named the assignee, a
// member is picked, and it is noted that it was their turn.
func (d *Service) assignByStrategy(ctx context.Context, tx *store.DB, t *parley.Ticket, r routingRecord, now time.Time) (routingRecord, error) {
	team, members, err := tx.TeamWithWorkload(ctx, t.AccountID, t.AgentID, t.TeamID)
	if err != nil {
		return r, err
	}
	if t.TeamID, r.Team = team.ID, team.ID; r.Assignee != "" {
		return r, nil
	}
	best := pickAssignee(team.Strategy, rateCandidates(team, members, now))
	if r.Why = "nobody"; best < 0 {
		return r, nil
	}
	r.Assignee, r.Why = members[best].User.ID, "strategy"
	t.AssigneeID = r.Assignee
	return r, tx.SetLastAssignment(ctx, t.AccountID, t.AgentID, team.ID, r.Assignee, nextTurn(members))
}
