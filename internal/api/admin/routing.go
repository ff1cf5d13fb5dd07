package admin

import (
	"context"

	"parley"
	"parley/internal/helpdesk"
)

// RouteRequest describes a ticket that somebody might open.
type RouteRequest struct {
	AgentID     string `path:"agentId" json:"-"`
	Subject     string `json:"subject"`
	Description string `json:"description"`
	Email       string `json:"email"`
	Channel     string `json:"channel,omitempty" enum:"@ticketChannel" name:"TicketChannel"` // empty is api
	Priority    string `json:"priority,omitempty" enum:"@priority"`                          // empty is none
}

// RouteResult says where the ticket would go, and why.
type RouteResult struct {
	Reason      string       `json:"why"`            // a sentence
	Rule        string       `json:"rule,omitempty"` // key of the one that fired
	Team        string       `json:"team,omitempty"` // name
	TeamID      string       `json:"teamId,omitempty"`
	DefaultTeam bool         `json:"defaultTeam"` // because no rule named a team
	Assignee    string       `json:"assignee,omitempty"`
	AssigneeID  string       `json:"assigneeId,omitempty"`
	Rules       []RuleResult `json:"rules"`
	Candidates  []Candidate  `json:"candidates"` // members of the team; none where the rule names the assignee
}

// RuleResult is what became of a rule.
type RuleResult struct {
	Rule
	Reached    bool              `json:"reached"` // it is enabled, and no earlier one fired
	Matched    bool              `json:"held"`    // its conditions hold, reached or not
	Fired      bool              `json:"fired"`
	Conditions []ConditionResult `json:"conditions"`
}

// ConditionResult is what became of a condition.
type ConditionResult struct {
	parley.Condition
	Group   string `json:"of"`   // all or any
	Text    string `json:"text"` // what it looked at
	Matched bool   `json:"held"`
}

// Candidate is a member of the team, with the reason why they would get the ticket or not.
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

func (s *Service) explainRoute(ctx context.Context, in RouteRequest) (RouteResult, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return RouteResult{}, err
	}
	x, err := s.Helpdesk.Explain(ctx, ref, helpdesk.RoutingInput{
		Subject:  in.Subject,
		Body:     in.Description,
		Email:    in.Email,
		Channel:  parley.TicketChannel(in.Channel),
		Priority: in.Priority,
	})
	if err != nil {
		return RouteResult{}, err
	}
	names, err := s.loadNames(ctx, ref)
	if err != nil {
		return RouteResult{}, err
	}
	return newRouteResult(&x, names), nil
}

func newRouteResult(x *helpdesk.Explanation, names nameTable) RouteResult {
	out := RouteResult{Reason: x.Summary, DefaultTeam: x.IsDefaultTeam, Rules: []RuleResult{}, Candidates: []Candidate{}}
	if x.FiredRule != nil {
		out.Rule = x.FiredRule.Key
	}
	if x.Team != nil {
		out.Team, out.TeamID = x.Team.Name, string(x.Team.ID)
	}
	if x.Assignee != nil {
		out.Assignee, out.AssigneeID = x.Assignee.Email, string(x.Assignee.ID)
	}
	for i := range x.Rules {
		r := &x.Rules[i]
		out.Rules = append(out.Rules, RuleResult{
			Rule:       names.newRule(&r.Rule),
			Reached:    r.WasReached,
			Matched:    r.Matches,
			Fired:      r.HasFired,
			Conditions: append(newConditionResults("all", r.All), newConditionResults("any", r.Any)...),
		})
	}
	for _, c := range x.Candidates {
		out.Candidates = append(out.Candidates, Candidate{
			UserID:   string(c.User.ID),
			Email:    c.User.Email,
			Name:     c.User.Name,
			Open:     c.Open,
			MaxOpen:  c.MaxOpen,
			Eligible: c.IsEligible,
			Picked:   c.IsPicked,
			Reason:   c.Reason,
		})
	}
	return out
}

func newConditionResults(of string, list []helpdesk.ConditionTrace) []ConditionResult {
	out := []ConditionResult{}
	for _, c := range list {
		out = append(out, ConditionResult{c.Condition, of, c.Text, c.Matches})
	}
	return out
}
