package admin

import (
	"cmp"
	"context"
	"slices"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
)

// Rule is a routing rule as the operator sees it.
type Rule struct {
	Key      string             `json:"key"`
	Name     string             `json:"name"`
	Enabled  bool               `json:"enabled"`
	All      []parley.Condition `json:"all"`
	Any      []parley.Condition `json:"any"`
	Team     string             `json:"team,omitempty"`     // name
	TeamID   string             `json:"teamId,omitempty"`   // empty leaves it to the assignee
	Assignee string             `json:"assignee,omitempty"` // e-mail address
	UserID   string             `json:"assigneeId,omitempty"`
}

// NewRule asks for a routing rule.
type NewRule struct {
	AgentID  string             `path:"agentId" json:"-"`
	Key      string             `json:"key,omitempty"`  // empty is the rule's id
	Name     string             `json:"name,omitempty"` // empty is the key
	Disabled bool               `json:"disabled"`
	All      []parley.Condition `json:"all,omitempty"`
	Any      []parley.Condition `json:"any,omitempty"`
	Team     string             `json:"team,omitempty"`     // id, key or name
	Assignee string             `json:"assignee,omitempty"` // e-mail address
	Position int                `json:"at,omitempty"`       // its place from 1 on; 0 is the last
}

// RuleRef names a rule by its key.
type RuleRef struct {
	AgentID string `path:"agentId" json:"-"`
	Rule    string `path:"rule" json:"-"`
}

// RuleValues says what a rule is to be. Its key, its place and whether it is in force stay.
type RuleValues struct {
	RuleRef
	Name     string             `json:"name,omitempty"` // empty is the key
	All      []parley.Condition `json:"all,omitempty"`
	Any      []parley.Condition `json:"any,omitempty"`
	Team     string             `json:"team,omitempty"`     // id, key or name
	Assignee string             `json:"assignee,omitempty"` // e-mail address
}

// RuleMove moves a rule to another place.
type RuleMove struct {
	RuleRef
	Position int `json:"to"` // from 1 on
}

// RuleSwitch puts a rule in force, or out of it.
type RuleSwitch struct {
	RuleRef
	Enabled bool `json:"on"`
}

func (s *Service) listRules(ctx context.Context, in AgentRef) ([]Rule, error) {
	ref, err := s.findAgent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := s.Helpdesk.Rules(ctx, ref)
	if err != nil {
		return nil, err
	}
	names, err := s.loadNames(ctx, ref)
	return httpapi.ConvertList(found, names.newRule), err
}

// nameTable holds the names of a helpdesk's teams and of its account's members by their ids.
type nameTable struct {
	teams   map[parley.TeamID]string
	members map[parley.UserID]parley.User
}

func (s *Service) loadNames(ctx context.Context, ref parley.AgentRef) (nameTable, error) {
	names := nameTable{map[parley.TeamID]string{}, map[parley.UserID]parley.User{}}
	teams, err := s.Helpdesk.Teams(ctx, ref)
	if err != nil {
		return names, err
	}
	for _, t := range teams {
		names.teams[t.ID] = t.Name
	}
	members, err := s.DB.Members(ctx, ref.Account)
	for _, m := range members {
		names.members[m.User.ID] = m.User
	}
	return names, err
}

func (t nameTable) newRule(r *parley.Rule) Rule {
	return Rule{
		Key:      r.Key,
		Name:     r.Name,
		Enabled:  r.Enabled,
		All:      append([]parley.Condition{}, r.All...),
		Any:      append([]parley.Condition{}, r.Any...),
		Team:     t.teams[r.TeamID],
		TeamID:   string(r.TeamID),
		Assignee: t.members[r.MemberID].Email,
		UserID:   string(r.MemberID),
	}
}

func (s *Service) addRule(ctx context.Context, in NewRule) ([]Rule, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	r, err := s.newRule(ctx, ref, in)
	if err != nil {
		return nil, err
	}
	err = s.Helpdesk.ChangeRules(ctx, ref, s.actor(),
		func(rules []parley.Rule) ([]parley.Rule, error) {
			if slices.ContainsFunc(rules, func(o parley.Rule) bool { return o.Key == r.Key }) {
				return nil, parley.NewErrorf(parley.CodeAlreadyExists, "The agent has a rule with the key %s.", r.Key)
			}
			return slices.Insert(rules, ruleIndex(in.Position, len(rules)), r), nil
		})
	if err != nil {
		return nil, err
	}
	return s.listRules(ctx, AgentRef{in.AgentID})
}

// ruleIndex returns the index of a position, which counts from 1, among n rules. 0 and what lies behind the end are the
// last.
func ruleIndex(position, n int) int {
	if position < 1 || position > n {
		return n
	}
	return position - 1
}

func (s *Service) newRule(ctx context.Context, ref parley.AgentRef, in NewRule) (r parley.Rule, err error) {
	r = parley.Rule{
		ID:      parley.RuleID(parley.NewUUID()),
		Key:     in.Key,
		Name:    in.Name,
		Enabled: !in.Disabled,
		All:     in.All,
		Any:     in.Any,
	}
	r.Key = cmp.Or(r.Key, string(r.ID))
	r.Name = cmp.Or(r.Name, r.Key)
	if in.Team != "" {
		t, err := s.findTeam(ctx, ref, in.Team)
		if err != nil {
			return r, err
		}
		r.TeamID = t.ID
	}
	if in.Assignee != "" {
		r.MemberID, err = s.findAssignee(ctx, ref.Account, in.Assignee)
	}
	return r, err
}

// findAssignee returns the id of a member by it or by the e-mail address. Fails with TICKET_TEAM_MEMBER_NOT_FOUND.
func (s *Service) findAssignee(ctx context.Context, account parley.AccountID, text string) (parley.UserID, error) {
	if !parley.IsUUID(text) {
		return s.findMember(ctx, account, text, parley.CodeTicketMember)
	}
	m, err := s.DB.Member(ctx, account, parley.UserID(text), parley.CodeTicketMember)
	if err != nil {
		return "", err
	}
	return m.User.ID, nil
}

func (s *Service) replaceRule(ctx context.Context, in RuleValues) ([]Rule, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	to, err := s.newRule(ctx, ref, NewRule{
		Key:      in.Rule,
		Name:     in.Name,
		All:      in.All,
		Any:      in.Any,
		Team:     in.Team,
		Assignee: in.Assignee,
	})
	if err != nil {
		return nil, err
	}
	return s.changeRules(ctx, in.RuleRef, func(rules []parley.Rule, i int) []parley.Rule {
		r := &rules[i]
		r.Name, r.All, r.Any, r.TeamID, r.MemberID = to.Name, to.All, to.Any, to.TeamID, to.MemberID
		return rules
	})
}

func (s *Service) removeRule(ctx context.Context, in RuleRef) ([]Rule, error) {
	return s.changeRules(ctx, in, func(rules []parley.Rule, i int) []parley.Rule {
		return slices.Delete(rules, i, i+1)
	})
}

func (s *Service) moveRule(ctx context.Context, in RuleMove) ([]Rule, error) {
	return s.changeRules(ctx, in.RuleRef, func(rules []parley.Rule, i int) []parley.Rule {
		moved := rules[i]
		rules = slices.Delete(rules, i, i+1)
		return slices.Insert(rules, ruleIndex(in.Position, len(rules)), moved)
	})
}

func (s *Service) switchRule(ctx context.Context, in RuleSwitch) ([]Rule, error) {
	return s.changeRules(ctx, in.RuleRef, func(rules []parley.Rule, i int) []parley.Rule {
		rules[i].Enabled = in.Enabled
		return rules
	})
}

// changeRules changes the rules of an agent by change, which gets them with the index of the named one.
func (s *Service) changeRules(
	ctx context.Context, in RuleRef, change func(rules []parley.Rule, i int) []parley.Rule,
) ([]Rule, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	changeAll := func(rules []parley.Rule) ([]parley.Rule, error) {
		i := slices.IndexFunc(rules, func(r parley.Rule) bool { return r.Key == in.Rule })
		if i < 0 {
			return nil, parley.NewErrorf(parley.CodeNotFound, "Rule %q not found.", in.Rule)
		}
		return change(rules, i), nil
	}
	if err := s.Helpdesk.ChangeRules(ctx, ref, s.actor(), changeAll); err != nil {
		return nil, err
	}
	return s.listRules(ctx, AgentRef{in.AgentID})
}

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
