package main

import (
	"fmt"
	"strconv"
	"strings"

	"parley"
	"parley/internal/api/admin"
)

type ruleCmd struct {
	List    ruleListCmd    `cmd:"" help:"List an agent's routing rules in their order."`
	Add     ruleAddCmd     `cmd:"" help:"Add a rule."`
	Remove  ruleRemoveCmd  `cmd:"" help:"Remove a rule."`
	Move    ruleMoveCmd    `cmd:"" help:"Give a rule another place: the first one that holds decides."`
	Enable  ruleEnableCmd  `cmd:"" help:"Use a rule."`
	Disable ruleDisableCmd `cmd:"" help:"Keep a rule without using it."`
}

type ruleListCmd struct {
	Agent string `only:"" placeholder:"ID" help:"Agent whose routing rules they are."`
}

func (c *ruleListCmd) Run(p *process) error {
	return printAdmin(p, admin.ListRules, admin.AgentRef{ID: c.Agent}, p.printRules)
}

func (p *process) printRules(list []admin.Rule) error {
	var rows [][]string
	for i, r := range list {
		place, enabled, when := strconv.Itoa(i+1), yesNo(r.Enabled), formatRuleConditions(r)
		rows = append(rows, []string{place, r.Key, r.Name, enabled, when, orDash(r.Team), orDash(r.Assignee)})
	}
	return p.printTable("\tRULE\tNAME\tENABLED\tWHEN\tTEAM\tASSIGNEE",
		"No rules: every ticket goes to the default team.", rows)
}

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
	Agent    string   `only:"" placeholder:"ID" help:"Agent whose tickets the rule routes."`
	Key      string   `placeholder:"KEY" help:"Name of the rule in manifests and commands."`
	Name     string   `placeholder:"TEXT" help:"What the rule is called."`
	All      []string `sep:"none" placeholder:"CONDITION" help:"@rule-all"`
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
	return printAdmin(p, admin.AddRule, in, p.printRules)
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

type ruleRef struct {
	AgentID string `name:"agent" only:"" placeholder:"ID" help:"Agent whose rule it is."`
	Rule    string `arg:"" help:"Key of the rule."`
}

type ruleRemoveCmd struct{ ruleRef }

func (c *ruleRemoveCmd) Run(p *process) error {
	return printAdmin(p, admin.RemoveRule, admin.RuleRef(c.ruleRef), p.printRules)
}

type ruleMoveCmd struct {
	ruleRef
	To int `required:"" placeholder:"N" help:"Its place from now on; 1 is the first."`
}

func (c *ruleMoveCmd) Run(p *process) error {
	if c.To < 1 {
		return newUsageError("--to: the first place is 1")
	}
	in := admin.RuleMove{RuleRef: admin.RuleRef(c.ruleRef), Position: c.To}
	return printAdmin(p, admin.MoveRule, in, p.printRules)
}

type ruleEnableCmd struct{ ruleRef }

func (c *ruleEnableCmd) Run(p *process) error { return p.switchRule(c.ruleRef, true) }

type ruleDisableCmd struct{ ruleRef }

func (c *ruleDisableCmd) Run(p *process) error { return p.switchRule(c.ruleRef, false) }

func (p *process) switchRule(r ruleRef, isEnabled bool) error {
	in := admin.RuleSwitch{RuleRef: admin.RuleRef(r), Enabled: isEnabled}
	return printAdmin(p, admin.SwitchRule, in, p.printRules)
}

type routeCmd struct {
	Agent    string `only:"" placeholder:"ID" help:"Agent whose rules are asked."`
	Explain  bool   `help:"Show every rule with its conditions, and every member of the team."`
	Subject  string `placeholder:"TEXT" help:"Subject of the ticket."`
	Body     string `placeholder:"TEXT" help:"Description of the ticket."`
	Email    string `placeholder:"EMAIL" help:"Customer's e-mail address."`
	Channel  string `default:"api" placeholder:"NAME" help:"Channel the ticket comes from (${default})."`
	Priority string `default:"none" placeholder:"NAME" help:"Priority: none, low, normal, high or urgent (${default})."`
}

func (c *routeCmd) Run(p *process) error {
	in := admin.RouteRequest{
		AgentID:     c.Agent,
		Subject:     c.Subject,
		Description: c.Body,
		Email:       c.Email,
		Channel:     c.Channel,
		Priority:    c.Priority,
	}
	return printAdmin(p, admin.Route, in, func(out admin.RouteResult) error { return p.printRoute(out, c.Explain) })
}

func (p *process) printRoute(out admin.RouteResult, explain bool) error {
	if explain {
		p.printRuleResults(out.Rules)
		if err := p.printCandidates(out.Candidates); err != nil {
			return err
		}
	}
	fmt.Fprintln(p.stdout, out.Reason)
	p.printIfSet("rule", out.Rule)
	p.printIfSet("team", out.Team)
	p.printLine("assignee", "%s", orDash(out.Assignee))
	return nil
}

func (p *process) printRuleResults(list []admin.RuleResult) {
	for i, r := range list {
		outcome := "does not hold"
		switch {
		case r.Fired:
			outcome = "fires"
		case !r.Enabled && r.Matched:
			outcome = "is disabled; it would hold"
		case !r.Enabled:
			outcome = "is disabled"
		case r.Matched:
			outcome = "holds, and an earlier rule has fired"
		}
		fmt.Fprintf(p.stdout, "%d. %s (%s) %s\n", i+1, r.Name, r.Key, outcome)
		for _, c := range r.Conditions {
			fmt.Fprintf(p.stdout, "   %s %s: %s, for it is %q\n", c.Group, formatCondition(c.Condition),
				matchText(c.Matched), clipText(c.Text))
		}
	}
	if len(list) > 0 {
		fmt.Fprintln(p.stdout)
	}
}

func matchText(holds bool) string {
	if holds {
		return "holds"
	}
	return "does not hold"
}

func clipText(text string) string {
	clipped := parley.ClipText(text, 80)
	if clipped != text {
		clipped += "…"
	}
	return clipped
}

// printCandidates prints the members of the team, and why each of them would get the ticket or not.
func (p *process) printCandidates(list []admin.Candidate) error {
	if len(list) == 0 {
		return nil
	}
	row := func(c admin.Candidate) []string {
		open := strconv.Itoa(c.Open)
		if c.MaxOpen != nil {
			open += " of " + formatLimit(c.MaxOpen)
		}
		return []string{c.Email, open, yesNo(c.Picked), c.Reason}
	}
	if err := printRows(p, "MEMBER\tOPEN TICKETS\tPICKED\tREASON", "", list, row); err != nil {
		return err
	}
	return p.printf("\n")
}
