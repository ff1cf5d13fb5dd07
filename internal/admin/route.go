package admin

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/internal/helpdesk"
)

// RouteAsk describes a ticket that somebody might open.
type RouteAsk struct {
	AgentID  string `json:"agentId"`
	Subject  string `json:"subject"`
	Body     string `json:"body"`
	Email    string `json:"email"`
	Channel  string `json:"channel,omitempty"`  // empty is api
	Priority string `json:"priority,omitempty"` // empty is none
}

// Routed tells where the ticket would go, and why.
type Routed struct {
	Why         string      `json:"why"`            // a sentence
	Rule        string      `json:"rule,omitempty"` // key of the one that fired
	Team        string      `json:"team,omitempty"` // name
	TeamID      string      `json:"teamId,omitempty"`
	DefaultTeam bool        `json:"defaultTeam"` // because no rule named a team
	Assignee    string      `json:"assignee,omitempty"`
	AssigneeID  string      `json:"assigneeId,omitempty"`
	Rules       []RuleFate  `json:"rules"`
	Candidates  []Candidate `json:"candidates"` // members of the team; none where the rule names the assignee
}

// RuleFate is what became of a rule.
type RuleFate struct {
	Rule
	Reached    bool            `json:"reached"` // it is enabled, and no earlier one fired
	Held       bool            `json:"held"`    // its conditions hold, reached or not
	Fired      bool            `json:"fired"`
	Conditions []ConditionFate `json:"conditions"`
}

// ConditionFate is what became of a condition.
type ConditionFate struct {
	parley.Condition
	Of   string `json:"of"`   // all or any
	Text string `json:"text"` // what it looked at
	Held bool   `json:"held"`
}

// Candidate is a member of the team, and why they would get the ticket or not.
type Candidate struct {
	UserID   string `json:"userId"`
	Email    string `json:"email"`
	Name     string `json:"name"`
	Open     int    `json:"openTickets"`
	MaxOpen  *int   `json:"maxOpen"`
	Eligible bool   `json:"eligible"`
	Picked   bool   `json:"picked"`
	Reason   string `json:"reason"`
}

// Route explains where a ticket would go, and opens none.
var Route = Verb[RouteAsk, Routed]{"route", false, (*Desk).route}

func (d *Desk) route(ctx context.Context, in RouteAsk) (Routed, error) {
	account, agent, err := d.agent(ctx, in.AgentID)
	if err != nil {
		return Routed{}, err
	}
	if err := in.check(); err != nil {
		return Routed{}, err
	}
	x, err := d.Helpdesk.Explain(ctx, account, agent, helpdesk.Sketch{Subject: in.Subject, Body: in.Body, Email: in.Email, Channel: parley.TicketChannel(in.Channel), Priority: in.Priority})
	if err != nil {
		return Routed{}, err
	}
	who, err := d.people(ctx, account, agent)
	if err != nil {
		return Routed{}, err
	}
	return routedOf(&x, who), nil
}

func (in *RouteAsk) check() error {
	if in.Channel != "" && !slices.Contains(parley.TicketChannels(), parley.TicketChannel(in.Channel)) {
		return parley.Failf(parley.CodeInvalidBody, "%q is no channel of tickets.", in.Channel)
	}
	if in.Priority != "" && !slices.Contains(parley.Priorities(), in.Priority) {
		return parley.Failf(parley.CodeInvalidBody, "The priority must be one of: %s.", strings.Join(parley.Priorities(), ", "))
	}
	return nil
}

func routedOf(x *helpdesk.Explanation, who people) Routed {
	out := Routed{Why: x.Why, DefaultTeam: x.Default, Rules: []RuleFate{}, Candidates: []Candidate{}}
	if x.Fired != nil {
		out.Rule = x.Fired.Key
	}
	if x.Team != nil {
		out.Team, out.TeamID = x.Team.Name, string(x.Team.ID)
	}
	if x.Assignee != nil {
		out.Assignee, out.AssigneeID = x.Assignee.Email, string(x.Assignee.ID)
	}
	for i := range x.Rules {
		r := &x.Rules[i]
		out.Rules = append(out.Rules, RuleFate{Rule: who.rule(&r.Rule), Reached: r.Reached, Held: r.Held, Fired: r.Fired,
			Conditions: append(fates("all", r.All), fates("any", r.Any)...)})
	}
	for _, c := range x.Candidates {
		out.Candidates = append(out.Candidates, Candidate{UserID: string(c.User.ID), Email: c.User.Email, Name: c.User.Name, Open: c.Open, MaxOpen: c.MaxOpen,
			Eligible: c.Eligible, Picked: c.Picked, Reason: c.Reason})
	}
	return out
}

func fates(of string, list []helpdesk.ConditionTrace) []ConditionFate {
	out := []ConditionFate{}
	for _, c := range list {
		out = append(out, ConditionFate{c.Condition, of, c.Text, c.Held})
	}
	return out
}
