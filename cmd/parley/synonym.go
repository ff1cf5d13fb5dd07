package main

import (
	"fmt"
	"strings"

	"parley/internal/api/admin"
	"parley/internal/synonym"
)

type synonymsCmd struct {
	Propose synonymsProposeCmd `cmd:"" help:"Propose groups with which unanswered questions would be answered."`
	Accept  synonymsAcceptCmd  `cmd:"" help:"Add a group, or words to the groups that hold one of them."`
}

type synonymsProposeCmd struct {
	Agent string `arg:"" help:"Agent whose unanswered questions are read."`
}

func (c *synonymsProposeCmd) Run(p *process) error {
	return printAdmin(p, admin.ProposeSynonyms, admin.AgentRef{ID: c.Agent}, func(out synonym.Proposals) error {
		return p.printProposals(c.Agent, out)
	})
}

func (p *process) printProposals(agent string, out synonym.Proposals) error {
	switch {
	case out.Withheld:
		return p.printf("Questions are withheld: the agent masks personal data, or the account falls under HIPAA.\n")
	case len(out.Proposals) == 0:
		return p.printf("No proposals. Unanswered questions read: %d.\n", out.Questions)
	}
	for _, g := range out.Proposals {
		fmt.Fprintf(p.stdout, "%s  (unanswered questions: %d)\n", strings.Join(g.Words, " = "), g.Questions)
		for _, a := range g.Answers {
			fmt.Fprintf(p.stdout, "  %s\n    %s\n    (%s)\n", a.Question, indentLines(a.Answer), orDash(a.Source))
		}
		fmt.Fprintf(p.stdout, "  parley synonyms accept %s %s\n\n", agent, strings.Join(g.Words, " "))
	}
	return nil
}

func indentLines(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

type synonymsAcceptCmd struct {
	Agent string   `arg:"" help:"Agent whose search is to treat the words as equal."`
	Words []string `arg:"" help:"Two to ten words or phrases that mean the same."`
}

func (c *synonymsAcceptCmd) Run(p *process) error {
	in := admin.NewSynonyms{AgentID: c.Agent, Words: c.Words}
	return printAdmin(p, admin.AcceptSynonyms, in, func(out admin.SynonymGroups) error {
		return printRows(p, "GROUP", "No synonyms.", out.Groups, func(group []string) []string {
			return []string{strings.Join(group, ", ")}
		})
	})
}
