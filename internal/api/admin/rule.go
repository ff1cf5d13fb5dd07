package admin

import (
	"context"
	"slices"

	"parley"
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
	AgentID  string             `json:"agentId"`
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
	AgentID  string `json:"agentId"`
	Rule     string `json:"rule"`
	Position int    `json:"to,omitempty"` // the place it gets, from 1 on
	Enabled  *bool  `json:"on,omitempty"` // whether it is in force from now on
}

// The verbs on routing rules. Each gives all of them as they are then.
var (
	ListRules  = Command[AgentID, []Rule]{"rule.list", false, (*Service).listRules}
	AddRule    = Command[NewRule, []Rule]{"rule.add", false, (*Service).addRule}
	RemoveRule = Command[RuleRef, []Rule]{"rule.remove", false, (*Service).removeRule}
	MoveRule   = Command[RuleRef, []Rule]{"rule.move", false, (*Service).moveRule}
	SwitchRule = Command[RuleRef, []Rule]{"rule.switch", false, (*Service).switchRule}
)

func (d *Service) listRules(ctx context.Context, in AgentID) ([]Rule, error) {
	account, agent, err := d.findAgent(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	found, err := d.Helpdesk.Rules(ctx, account, agent)
	if err != nil {
		return nil, err
	}
	who, err := d.loadNames(ctx, account, agent)
	list := make([]Rule, len(found))
	for i := range found {
		list[i] = who.newRule(&found[i])
	}
	return list, err
}

// nameTable are the names behind the ids of a helpdesk.
type nameTable struct {
	teams   map[parley.TeamID]string
	members map[parley.UserID]parley.User
}

func (d *Service) loadNames(ctx context.Context, account parley.AccountID, agent parley.AgentID) (nameTable, error) {
	p := nameTable{map[parley.TeamID]string{}, map[parley.UserID]parley.User{}}
	teams, err := d.Helpdesk.Teams(ctx, account, agent)
	if err != nil {
		return p, err
	}
	for _, t := range teams {
		p.teams[t.ID] = t.Name
	}
	members, err := d.DB.Members(ctx, account)
	for _, m := range members {
		p.members[m.User.ID] = m.User
	}
	return p, err
}

func (p nameTable) newRule(r *parley.Rule) Rule {
	return Rule{Key: r.Key, Name: r.Name, Enabled: r.Enabled, All: append([]parley.Condition{}, r.All...), Any: append([]parley.Condition{}, r.Any...),
		Team: p.teams[r.TeamID], TeamID: string(r.TeamID), Assignee: p.members[r.MemberID].Email, UserID: string(r.MemberID)}
}

func (d *Service) addRule(ctx context.Context, in NewRule) ([]Rule, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	r, err := d.newRule(ctx, account, agent, in)
	if err != nil {
		return nil, err
	}
	err = d.Helpdesk.ChangeRules(ctx, account, agent, operatorName, func(rules []parley.Rule) ([]parley.Rule, error) {
		if slices.ContainsFunc(rules, func(o parley.Rule) bool { return o.Key == r.Key }) {
			return nil, parley.NewErrorf(parley.CodeAlreadyExists, "The agent has a rule with the key %s.", r.Key)
		}
		return slices.Insert(rules, ruleIndex(in.Position, len(rules)), r), nil
	})
	if err != nil {
		return nil, err
	}
	return d.listRules(ctx, AgentID{in.AgentID})
}

// ruleIndex returns the index of a place from 1 on among n; 0 and what is beyond the end are the last.
func ruleIndex(at, n int) int {
	if at < 1 || at > n {
		return n
	}
	return at - 1
}

func (d *Service) newRule(ctx context.Context, account parley.AccountID, agent parley.AgentID, in NewRule) (r parley.Rule, err error) {
	if err := checkKey(in.Key); err != nil {
		return r, err
	}
	r = parley.Rule{ID: parley.RuleID(parley.NewUUID()), Key: in.Key, Name: in.Name, Enabled: !in.Disabled, All: in.All, Any: in.Any}
	if r.Key == "" {
		r.Key = string(r.ID)
	}
	if r.Name == "" {
		r.Name = r.Key
	}
	if in.Team != "" {
		t, err := d.findTeam(ctx, account, agent, in.Team)
		if err != nil {
			return r, err
		}
		r.TeamID = t.ID
	}
	if in.Assignee != "" {
		r.MemberID, err = d.findMember(ctx, account, in.Assignee)
	}
	return r, err
}

func (d *Service) removeRule(ctx context.Context, in RuleRef) ([]Rule, error) {
	return d.changeRules(ctx, in, func(rules []parley.Rule, i int) []parley.Rule { return slices.Delete(rules, i, i+1) })
}

func (d *Service) moveRule(ctx context.Context, in RuleRef) ([]Rule, error) {
	return d.changeRules(ctx, in, func(rules []parley.Rule, i int) []parley.Rule {
		moved := rules[i]
		rules = slices.Delete(rules, i, i+1)
		return slices.Insert(rules, ruleIndex(in.Position, len(rules)), moved)
	})
}

func (d *Service) switchRule(ctx context.Context, in RuleRef) ([]Rule, error) {
	return d.changeRules(ctx, in, func(rules []parley.Rule, i int) []parley.Rule {
		replaceIfSet(&rules[i].Enabled, in.Enabled)
		return rules
	})
}

// changeRules changes the rules around the one that is named.
func (d *Service) changeRules(ctx context.Context, in RuleRef, do func(rules []parley.Rule, i int) []parley.Rule) ([]Rule, error) {
	account, agent, err := d.findAgent(ctx, in.AgentID)
	if err != nil {
		return nil, err
	}
	err = d.Helpdesk.ChangeRules(ctx, account, agent, operatorName, func(rules []parley.Rule) ([]parley.Rule, error) {
		i := slices.IndexFunc(rules, func(r parley.Rule) bool { return r.Key == in.Rule })
		if i < 0 {
			return nil, parley.NewErrorf(parley.CodeNotFound, "The agent has no rule with the key %q.", in.Rule)
		}
		return do(rules, i), nil
	})
	if err != nil {
		return nil, err
	}
	return d.listRules(ctx, AgentID{in.AgentID})
}
