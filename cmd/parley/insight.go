package main

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/api/v2"
	"parley/internal/insight"
	"parley/internal/store"
	"parley/internal/synonym"
)

type insightsCmd struct {
	Agent   string `arg:"" help:"Agent whose conversations to count."`
	From    string `placeholder:"DAY" help:"First day, such as 2026-01-31 (UTC); by default 29 days before the last."`
	To      string `placeholder:"DAY" help:"Last day; by default today."`
	By      string `default:"day" enum:"${insightGroup}" help:"What the table is told apart by: ${enum} (${default})."`
	Rebuild bool   `help:"First judge all conversations anew. The figures are incomplete meanwhile."`
}

func (c *insightsCmd) Run(p *process) error {
	if c.Rebuild {
		if err := p.rebuildInsights(c.Agent); err != nil {
			return err
		}
	}
	r, err := runAdmin(p, admin.ShowInsights, admin.InsightsQuery{
		AgentID: c.Agent,
		From:    c.From,
		To:      c.To,
		GroupBy: parley.InsightGroup(c.By),
	})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(v2.NewInsights(&r))
	}
	return p.showInsights(&r)
}

// rebuildInsights judges all conversations of an agent again, step by step.
func (p *process) rebuildInsights(agent string) (err error) {
	var at insight.Progress
	for !at.Done {
		if at, err = runAdmin(p, admin.RebuildInsights, admin.RebuildRequest{AgentID: agent, Progress: at}); err != nil {
			return err
		}
		if isTerminal(os.Stderr) {
			fmt.Fprintf(p.stderr, "\rJudged %d", at.Analyzed)
		}
	}
	if isTerminal(os.Stderr) {
		fmt.Fprintln(p.stderr)
	}
	return nil
}

func (p *process) showInsights(r *insight.Report) error {
	t := r.Totals
	fmt.Fprintf(p.stdout, "%s to %s (UTC)\n\n", r.From.Format(time.DateOnly), r.To.Format(time.DateOnly))
	p.printFigure("Conversations", "%d with %d messages", t.Conversations, t.Messages)
	p.printFigure("Answers", "%d, of which %d refused", t.Answers, t.Refused)
	p.printFigure("Ratings", "%d up, %d down", t.PositiveRatings, t.NegativeRatings)
	p.printFigure("Escalated", "%d", t.Escalated)
	p.printFigure("Resolved", "%s: %d of %d; %d may still change", formatPercent(insight.ResolutionRate(t)), t.Resolved,
		t.Resolved+t.Unresolved(), r.Settling)
	p.printFigure("Unresolved", "%d handed over, %d rated negative, %d given up, %d asked again", t.HandedOver,
		t.Disliked, t.GivenUp, t.AskedAgain)
	fmt.Fprintln(p.stdout)
	var rows [][]string
	for _, s := range r.Series {
		if s.Conversations > 0 {
			rows = append(rows, sumsRow(s.Key, s.InsightSums))
		}
	}
	if err := p.printTable(groupHeadings[r.By]+insightColumns, "No conversations.", rows); err != nil {
		return err
	}
	if r.By != parley.GroupByTopic && len(r.Topics) > 0 {
		fmt.Fprintln(p.stdout)
		row := func(t insight.TopicSums) []string { return sumsRow(indentTopic(t), t.InsightSums) }
		if err := printRows(p, groupHeadings[parley.GroupByTopic]+insightColumns, "", r.Topics, row); err != nil {
			return err
		}
	}
	return p.showUnanswered(r)
}

const insightColumns = "\tCONVERSATIONS\tRESOLVED\tESCALATED\tREFUSED ANSWERS"

var groupHeadings = map[parley.InsightGroup]string{parley.GroupByDay: "DAY", parley.GroupByTopic: "TOPIC",
	parley.GroupByChannel: "CHANNEL", parley.GroupBySentiment: "SENTIMENT"}

func sumsRow(key string, s store.InsightSums) []string {
	return []string{
		cmp.Or(key, "unspecified"),
		strconv.FormatInt(s.Conversations, 10),
		formatPercent(insight.ResolutionRate(s)),
		strconv.FormatInt(s.Escalated, 10),
		strconv.FormatInt(s.Refused, 10),
	}
}

func indentTopic(t insight.TopicSums) string {
	if t.Parent != "" {
		return t.Parent + " › " + t.Name
	}
	return t.Name
}

func (p *process) showUnanswered(r *insight.Report) error {
	fmt.Fprintln(p.stdout)
	none := "No question stayed without an answer from the sources."
	if r.Withheld {
		none = "Questions and found topics are withheld: the agent masks personal data, or the account falls under HIPAA."
	}
	return printRows(p, "UNANSWERED\tLAST ASKED\tFOR EXAMPLE", none, r.Lacks, func(g insight.OpenGroup) []string {
		return []string{strconv.Itoa(g.Count), g.Last.Format(time.DateOnly), g.Example}
	})
}

func (p *process) printFigure(name, format string, args ...any) {
	fmt.Fprintf(p.stdout, "%-14s %s\n", name, fmt.Sprintf(format, args...))
}

func formatPercent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", *share*100)
}

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
