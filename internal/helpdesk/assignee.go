package helpdesk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/store"
)

// Assignee says whom to assign a ticket to. The zero value leaves it to the rules and the team.
type Assignee struct {
	isSet bool
	id    parley.UserID
	email string
}

// AutoAssign leaves the assignment to the routing rules and the team's strategy.
func AutoAssign() Assignee { return Assignee{} }

// Unassigned leaves the ticket unassigned.
func Unassigned() Assignee { return Assignee{isSet: true} }

// AssignTo assigns the ticket to the member with the id.
func AssignTo(id parley.UserID) Assignee { return Assignee{isSet: true, id: lowerID(id)} }

// AssignToEmail assigns the ticket to the member with the e-mail address, in any case.
func AssignToEmail(address string) Assignee { return Assignee{isSet: true, email: address} }

// resolve returns the id of the member, who is locked until the transaction ends, or an empty id for nobody. Fails with
// TICKET_TEAM_MEMBER_NOT_FOUND for who is not a member of the account.
func (a Assignee) resolve(ctx context.Context, tx *store.DB, account parley.AccountID) (parley.UserID, error) {
	user := a.id
	switch {
	case a.email != "":
		m, err := tx.MemberByEmail(ctx, account, a.email, parley.CodeTicketMember)
		if err != nil {
			return "", err
		}
		user = m.User.ID
	case user == "":
		return "", nil
	}
	_, err := tx.ShareLockMember(ctx, account, user, parley.CodeTicketMember)
	return user, err
}

// Candidate is a member of the team of a ticket, with the reason why they got it or not.
type Candidate struct {
	User       parley.User
	Open       int   // open tickets
	MaxOpen    *int  // the most open tickets; nil is no limit
	LastTurn   int64 // number of their last assignment
	IsEligible bool
	IsPicked   bool
	Reason     string
}

// rateCandidates returns the members of the team, in the order in which they joined, and whether each is eligible.
func rateCandidates(team *parley.Team, members []store.MemberWorkload, at time.Time) []Candidate {
	list := make([]Candidate, len(members))
	for i, m := range members {
		c := Candidate{User: m.User, Open: m.OpenTickets, MaxOpen: cmp.Or(m.MaxOpen, team.MaxOpen),
			LastTurn: m.LastAssignment}
		hours := m.Hours
		if len(hours) == 0 {
			hours = team.Hours
		}
		switch {
		case m.IsAway:
			c.Reason = "is away"
		case !isOnShift(hours, at):
			c.Reason = "is off shift"
		case c.MaxOpen != nil && c.Open >= *c.MaxOpen:
			c.Reason = fmt.Sprintf("has %d open tickets, the most is %d", c.Open, *c.MaxOpen)
		default:
			c.IsEligible = true
		}
		list[i] = c
	}
	return list
}

// pickAssignee marks the member who gets the ticket by the team's strategy, and returns the index; -1 is nobody. Of
// equal ones the first of the list is taken, who joined first or, at the same time, has the smaller id.
func pickAssignee(strategy parley.Strategy, list []Candidate) int {
	best := -1
	if strategy != parley.StrategyManual {
		for i, c := range list {
			if c.IsEligible && (best < 0 || compareTurns(strategy, c, list[best]) < 0) {
				best = i
			}
		}
	}
	for i := range list {
		c := &list[i]
		if c.IsPicked = i == best; c.Reason == "" {
			c.Reason = pickReason(strategy, i == best)
		}
	}
	return best
}

func compareTurns(strategy parley.Strategy, a, b Candidate) int {
	if strategy == parley.StrategyBalanced {
		return cmp.Or(cmp.Compare(a.Open, b.Open), cmp.Compare(a.LastTurn, b.LastTurn))
	}
	return cmp.Compare(a.LastTurn, b.LastTurn)
}

func pickReason(strategy parley.Strategy, picked bool) string {
	switch {
	case strategy == parley.StrategyManual:
		return "the team hands out its tickets itself"
	case strategy == parley.StrategyBalanced && picked:
		return "has the fewest open tickets"
	case strategy == parley.StrategyBalanced:
		return "somebody has fewer open tickets, or has waited longer"
	case picked:
		return "it is their turn"
	}
	return "it is somebody else's turn"
}

// nextTurn returns the number of the next assignment.
func nextTurn(members []store.MemberWorkload) int64 {
	if len(members) == 0 {
		return 1
	}
	return 1 + slices.MaxFunc(members, func(a, b store.MemberWorkload) int {
		return cmp.Compare(a.LastAssignment, b.LastAssignment)
	}).LastAssignment
}

// routingRecord says how a ticket got its team and its assignee. It is stored with the ticket.
type routingRecord struct {
	Rule     string        `json:"rule,omitempty"`     // key of the rule that fired
	Team     parley.TeamID `json:"team,omitempty"`     // that took it
	Assignee parley.UserID `json:"assignee,omitempty"` // who got it
	Reason   string        `json:"why"`                // given, rule, strategy, nobody
}

func (r routingRecord) json() json.RawMessage {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings always encode
	}
	return b
}

// routeTicket sets the team and the assignee of a new ticket by its team, subject, customer, channel and priority.
// Fails with TICKET_TEAM_NOT_FOUND and TICKET_TEAM_MEMBER_NOT_FOUND. The help desk must be locked.
func (u *update) routeTicket(ctx context.Context, t *parley.Ticket, body string,
	assignee Assignee) (r routingRecord, err error) {
	r = routingRecord{Team: t.TeamID, Reason: "given"}
	switch {
	case assignee.isSet:
		t.AssigneeID, err = resolveAssignee(ctx, u.tx, t, assignee)
		r.Assignee = t.AssigneeID
		return r, err
	case t.TeamID == "":
		if r, err = applyRules(ctx, u.tx, t, body); err != nil {
			return r, err
		}
	}
	if t.TeamID, t.AssigneeID = r.Team, r.Assignee; r.Team == "" && r.Assignee != "" {
		return r, nil // a rule that names only a member
	}
	return u.assignByStrategy(ctx, t, r)
}

// resolveAssignee returns the requested member, or nobody. It checks first that the requested team exists.
func resolveAssignee(ctx context.Context, tx *store.DB, t *parley.Ticket, assignee Assignee) (parley.UserID, error) {
	if t.TeamID != "" {
		if _, err := tx.Team(ctx, t.AgentRef(), t.TeamID); err != nil {
			return "", err
		}
	}
	return assignee.resolve(ctx, tx, t.AccountID)
}

func applyRules(ctx context.Context, tx *store.DB, t *parley.Ticket, body string) (routingRecord, error) {
	rules, err := tx.Rules(ctx, t.AgentRef())
	if err != nil {
		return routingRecord{}, err
	}
	members, err := memberSet(ctx, tx, t.AccountID, rules)
	decision := route(rules, members,
		RoutingInput{Subject: t.Subject, Body: body, Email: t.Customer.Email, Channel: t.Channel, Priority: t.Priority})
	r := routingRecord{Team: decision.TeamID, Assignee: decision.MemberID, Reason: "rule"}
	if decision.Rule != nil {
		r.Rule = decision.Rule.Key
	}
	return r, err
}

// memberSet returns the members of the account. Where no rule names a member, nothing is read.
func memberSet(ctx context.Context, tx *store.DB, account parley.AccountID,
	rules []parley.Rule) (map[parley.UserID]bool, error) {
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

// assignByStrategy finds the team that takes the ticket, which is the default team if none is named. Unless a rule
// has named the assignee, a member is picked, and it is noted that it was their turn.
func (u *update) assignByStrategy(ctx context.Context, t *parley.Ticket, r routingRecord) (routingRecord, error) {
	team, members, err := u.tx.TeamWithWorkload(ctx, t.AgentRef(), t.TeamID)
	if err != nil {
		return r, err
	}
	if t.TeamID, r.Team = team.ID, team.ID; r.Assignee != "" {
		return r, nil
	}
	best := pickAssignee(team.Strategy, rateCandidates(team, members, u.now))
	if r.Reason = "nobody"; best < 0 {
		return r, nil
	}
	r.Assignee, r.Reason = members[best].User.ID, "strategy"
	t.AssigneeID = r.Assignee
	return r, u.tx.SetLastAssignment(ctx, t.AgentRef(), team.ID, r.Assignee, nextTurn(members))
}
