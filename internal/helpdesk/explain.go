package helpdesk

import (
	"cmp"
	"context"

	"parley"
	"parley/internal/store"
)

// Explanation says where a new ticket would go, and why.
type Explanation struct {
	Rules         []RuleTrace  // all of them, in their order
	FiredRule     *parley.Rule // nil if none did
	Team          *parley.Team // nil if the rule names a member alone
	IsDefaultTeam bool         // the team is the default one, because no rule named a team
	Candidates    []Candidate  // of the team; nil if the rule names the assignee
	Assignee      *parley.User // nil if nobody gets it
	Summary       string       // a sentence for people
}

// RuleTrace is the result of one rule.
type RuleTrace struct {
	Rule       parley.Rule
	WasReached bool // no earlier rule had fired, and it is switched on
	Matches    bool // its conditions hold, whether or not it was reached
	HasFired   bool
	All        []ConditionTrace
	Any        []ConditionTrace
}

// ConditionTrace is the result of one condition.
type ConditionTrace struct {
	parley.Condition
	Text    string // the value of its field
	Matches bool
}

// Explain returns where such a ticket would go now. Nothing is stored, except a new help desk if there is none yet.
// Fails with AGENT_NOT_FOUND.
func (s *Service) Explain(ctx context.Context, ref parley.AgentRef, in RoutingInput) (Explanation, error) {
	if err := s.createIfMissing(ctx, ref); err != nil {
		return Explanation{}, err
	}
	in.Channel = cmp.Or(in.Channel, parley.TicketAPI)
	in.Priority = cmp.Or(in.Priority, parley.Priorities()[0])
	e := Explanation{}
	r, err := explainRules(ctx, s.DB, ref, in, &e)
	if err == nil && (r.TeamID != "" || r.MemberID == "") {
		err = s.explainTeam(ctx, ref, r, &e)
	}
	e.Summary = e.summary()
	return e, err
}

func explainRules(ctx context.Context, db *store.DB, ref parley.AgentRef, s RoutingInput,
	e *Explanation) (Decision, error) {
	rules, err := db.Rules(ctx, ref)
	if err != nil {
		return Decision{}, err
	}
	members, err := memberSet(ctx, db, ref.Account, rules)
	if err != nil {
		return Decision{}, err
	}
	r := route(rules, members, s)
	e.FiredRule, e.Rules = r.Rule, ruleTraces(rules, r.Rule, s)
	if r.MemberID == "" {
		return r, nil
	}
	m, err := db.Member(ctx, ref.Account, r.MemberID, parley.CodeTicketMember)
	if err == nil {
		e.Assignee = &m.User
	}
	return r, err
}

// explainTeam adds the team that gets the ticket and, unless a rule names the assignee, its candidates.
func (s *Service) explainTeam(ctx context.Context, ref parley.AgentRef, r Decision, e *Explanation) error {
	team, members, err := s.DB.TeamWithWorkload(ctx, ref, r.TeamID)
	if err != nil {
		return err
	}
	if e.Team, e.IsDefaultTeam = team, r.TeamID == ""; r.MemberID != "" {
		return nil
	}
	e.Candidates = rateCandidates(team, members, s.now())
	if best := pickAssignee(team.Strategy, e.Candidates); best >= 0 {
		e.Assignee = &e.Candidates[best].User
	}
	return nil
}

func ruleTraces(rules []parley.Rule, fired *parley.Rule, s RoutingInput) []RuleTrace {
	list, open := make([]RuleTrace, len(rules)), true
	for i := range rules {
		r := &rules[i]
		list[i] = RuleTrace{Rule: *r, WasReached: open && r.Enabled, Matches: matchesRule(r, s), HasFired: r == fired,
			All: conditionTraces(r.All, s), Any: conditionTraces(r.Any, s)}
		open = open && r != fired
	}
	return list
}

func conditionTraces(list []parley.Condition, s RoutingInput) []ConditionTrace {
	traces := make([]ConditionTrace, len(list))
	for i, c := range list {
		traces[i] = ConditionTrace{c, s.value(c.Field), matchesCondition(c, s)}
	}
	return traces
}

func (e *Explanation) summary() string {
	text := "No rule fired"
	if e.FiredRule != nil {
		text = "The rule " + e.FiredRule.Name + " fired"
	}
	switch {
	case e.FiredRule != nil && e.Assignee != nil && e.Candidates == nil:
		return text + ": it names " + e.Assignee.Name + "."
	case e.Team == nil:
		return text + "."
	case e.IsDefaultTeam:
		text += ", so the default team " + e.Team.Name + " takes the ticket"
	default:
		text += ": the team " + e.Team.Name + " takes the ticket"
	}
	if e.Assignee != nil {
		return text + ", and " + e.Assignee.Name + " gets it."
	}
	return text + ", and nobody gets it yet."
}
