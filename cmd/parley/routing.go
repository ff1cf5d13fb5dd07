package main

import (
	"fmt"
	"strconv"

	"parley/internal/api/admin"
)

type routeCmd struct {
	Agent    string `required:"" placeholder:"ID" help:"Agent whose rules are asked."`
	Explain  bool   `help:"Show every rule with its conditions, and every member of the team."`
	Subject  string `placeholder:"TEXT" help:"Subject of the ticket."`
	Body     string `placeholder:"TEXT" help:"Description of the ticket."`
	Email    string `placeholder:"EMAIL" help:"Customer's e-mail address."`
	Channel  string `default:"api" placeholder:"NAME" help:"Channel the ticket comes from (${default})."`
	Priority string `default:"none" placeholder:"NAME" help:"Priority: none, low, normal, high or urgent (${default})."`
}

func (c *routeCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.Route, admin.RouteRequest{
		AgentID:     c.Agent,
		Subject:     c.Subject,
		Description: c.Body,
		Email:       c.Email,
		Channel:     c.Channel,
		Priority:    c.Priority,
	})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	if c.Explain {
		p.printRuleResults(out.Rules)
		if err := p.printCandidates(out.Candidates); err != nil {
			return err
		}
	}
	fmt.Fprintln(p.stdout, out.Why)
	p.printIfSet("rule", out.Rule)
	p.printIfSet("team", out.Team)
	p.printLine("assignee", "%s", orDash(out.Assignee))
	return nil
}

// printRuleResults prints every rule with the results of its conditions.
func (p *process) printRuleResults(list []admin.RuleResult) {
	for i, r := range list {
		fate := "does not hold"
		switch {
		case r.Fired:
			fate = "fires"
		case !r.Enabled && r.Matched:
			fate = "is disabled; it would hold"
		case !r.Enabled:
			fate = "is disabled"
		case r.Matched:
			fate = "holds, and an earlier rule has fired"
		}
		fmt.Fprintf(p.stdout, "%d. %s (%s) %s\n", i+1, r.Name, r.Key, fate)
		for _, c := range r.Conditions {
			fmt.Fprintf(p.stdout, "   %s %s: %s, for it is %q\n", c.Group, formatCondition(c.Condition),
				matchMark(c.Matched), clipText(c.Text))
		}
	}
	if len(list) > 0 {
		fmt.Fprintln(p.stdout)
	}
}

func matchMark(yes bool) string {
	if yes {
		return "holds"
	}
	return "does not hold"
}

// clipText returns the beginning of a text.
func clipText(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// printCandidates prints the members of the team, and why each of them would get the ticket or not.
func (p *process) printCandidates(list []admin.Candidate) error {
	if len(list) == 0 {
		return nil
	}
	var rows [][]string
	for _, c := range list {
		open := strconv.Itoa(c.Open)
		if c.MaxOpen != nil {
			open += " of " + formatLimit(c.MaxOpen)
		}
		rows = append(rows, []string{c.Email, open, yesNo(c.Picked), c.Reason})
	}
	if err := p.printTable("MEMBER\tOPEN TICKETS\tPICKED\tREASON", "", rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.stdout)
	return err
}
