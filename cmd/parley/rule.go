package main

import (
	"strconv"
	"strings"

	"parley"
	"parley/internal/api/admin"
)

// ruleCmd holds the commands on routing rules.
type ruleCmd struct {
	List    ruleListCmd    `cmd:"" help:"List an agent's routing rules in their order."`
	Add     ruleAddCmd     `cmd:"" help:"Add a rule."`
	Remove  ruleRemoveCmd  `cmd:"" help:"Remove a rule."`
	Move    ruleMoveCmd    `cmd:"" help:"Give a rule another place: the first one that holds decides."`
	Enable  ruleEnableCmd  `cmd:"" help:"Use a rule."`
	Disable ruleDisableCmd `cmd:"" help:"Keep a rule without using it."`
}

type ruleListCmd struct {
	Agent string `required:"" placeholder:"ID" help:"Agent whose routing rules they are."`
}

func (c *ruleListCmd) Run(p *process) error {
	list, err := runAdmin(p, admin.ListRules, admin.AgentRef{ID: c.Agent})
	if err != nil {
		return err
	}
	return p.printRules(list)
}

func (p *process) printRules(list []admin.Rule) error {
	if p.commandLine.JSON {
		return p.printJSON(list)
	}
	var rows [][]string
	for i, r := range list {
		rows = append(rows, []string{
			strconv.Itoa(i + 1),
			r.Key,
			r.Name,
			yesNo(r.Enabled),
			formatRuleConditions(r),
			orDash(r.Team),
			orDash(r.Assignee),
		})
	}
	return p.printTable("\tRULE\tNAME\tENABLED\tWHEN\tTEAM\tASSIGNEE",
		"No rules: every ticket goes to the default team.", rows)
}

// formatRuleConditions describes the conditions of a rule.
func formatRuleConditions(r admin.Rule) string {
	all, some := formatConditions(r.All, " and "), formatConditions(r.Any, " or ")
	switch {
	case all == "" && some == "":
		return "always"
	case all == "":
		return some
	case some == "":
		return all
	case len(r.Any) == 1:
		return all + " and " + some
	}
	return all + " and (" + some + ")"
}

func formatConditions(list []parley.Condition, between string) string {
	var parts []string
	for _, c := range list {
		parts = append(parts, formatCondition(c))
	}
	return strings.Join(parts, between)
}

// formatCondition formats a condition as it is typed.
func formatCondition(c parley.Condition) string {
	return c.Field + " " + c.Op + " " + strings.Join(c.Values, "|")
}

type ruleAddCmd struct {
	Agent    string   `required:"" placeholder:"ID" help:"Agent whose tickets the rule routes."`
	Key      string   `placeholder:"KEY" help:"Name of the rule in manifests and commands."`
	Name     string   `placeholder:"TEXT" help:"What the rule is called."`
	All      []string `sep:"none" placeholder:"CONDITION" help:"Condition that must hold, such as \"subject contains invoice|bill\"; may be given again."`
	Any      []string `sep:"none" placeholder:"CONDITION" help:"Condition of which one must hold; may be given again."`
	Team     string   `placeholder:"TEAM" help:"Team that gets the ticket: its id, key or name."`
	Assignee string   `placeholder:"EMAIL" help:"Member who gets the ticket."`
	At       int      `placeholder:"N" help:"Place of the rule, from 1 on; the last when left out."`
	Disabled bool     `help:"Keep the rule without using it."`
}

func (c *ruleAddCmd) Run(p *process) error {
	in := admin.NewRule{
		AgentID:  c.Agent,
		Key:      c.Key,
		Name:     c.Name,
		Disabled: c.Disabled,
		Team:     c.Team,
		Assignee: c.Assignee,
		Position: c.At,
	}
	var err error
	if in.All, err = parseConditions("--all", c.All); err != nil {
		return err
	}
	if in.Any, err = parseConditions("--any", c.Any); err != nil {
		return err
	}
	out, err := runAdmin(p, admin.AddRule, in)
	if err != nil {
		return err
	}
	return p.printRules(out)
}

// parseConditions parses conditions such as "subject contains invoice|bill". The helpdesk checks the field and the
// operator.
func parseConditions(flag string, texts []string) (list []parley.Condition, err error) {
	for _, text := range texts {
		field, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		op, values, ok := strings.Cut(strings.TrimSpace(rest), " ")
		if !ok {
			return nil,
				newUsageError("%s: %q is not a field, an operator and values, such as \"subject contains invoice|bill\"",
					flag, text)
		}
		c := parley.Condition{Field: field, Op: op}
		for v := range strings.SplitSeq(values, "|") {
			c.Values = append(c.Values, strings.TrimSpace(v))
		}
		list = append(list, c)
	}
	return list, nil
}

// ruleRef names a rule.
type ruleRef struct {
	Agent string `required:"" placeholder:"ID" help:"Agent whose rule it is."`
	Rule  string `arg:"" help:"Key of the rule."`
}

func (r ruleRef) adminRef() admin.RuleRef {
	return admin.RuleRef{AgentID: r.Agent, Rule: r.Rule}
}

type ruleRemoveCmd struct{ ruleRef }

func (c *ruleRemoveCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.RemoveRule, c.adminRef())
	if err != nil {
		return err
	}
	return p.printRules(out)
}

type ruleMoveCmd struct {
	ruleRef
	To int `required:"" placeholder:"N" help:"Its place from now on; 1 is the first."`
}

func (c *ruleMoveCmd) Run(p *process) error {
	if c.To < 1 {
		return newUsageError("--to: the first place is 1")
	}
	out, err := runAdmin(p, admin.MoveRule, admin.RuleMove{RuleRef: c.adminRef(), Position: c.To})
	if err != nil {
		return err
	}
	return p.printRules(out)
}

type ruleEnableCmd struct{ ruleRef }

func (c *ruleEnableCmd) Run(p *process) error { return p.switchRule(c.ruleRef, true) }

type ruleDisableCmd struct{ ruleRef }

func (c *ruleDisableCmd) Run(p *process) error { return p.switchRule(c.ruleRef, false) }

func (p *process) switchRule(r ruleRef, isEnabled bool) error {
	out, err := runAdmin(p, admin.SwitchRule, admin.RuleSwitch{RuleRef: r.adminRef(), Enabled: isEnabled})
	if err != nil {
		return err
	}
	return p.printRules(out)
}
