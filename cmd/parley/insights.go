package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"parley/internal/admin"
	"parley/internal/api"
	"parley/internal/insight"
	"parley/internal/store"
)

type insightsCmd struct {
	Agent   string `arg:"" help:"Agent whose conversations to count."`
	From    string `placeholder:"DAY" help:"First day, such as 2026-01-31 (UTC); by default 29 days before the last."`
	To      string `placeholder:"DAY" help:"Last day; by default today."`
	By      string `default:"day" enum:"day,topic,channel,sentiment" help:"What the table is told apart by: ${enum} (${default})."`
	Rebuild bool   `help:"First judge all conversations anew. The figures are incomplete meanwhile."`
}

func (c *insightsCmd) Run(p *process) error {
	if c.Rebuild {
		if err := p.rebuildInsights(c.Agent); err != nil {
			return err
		}
	}
	r, err := call(p, admin.ShowInsights, admin.InsightsAsk{AgentID: c.Agent, From: c.From, To: c.To, By: store.SumsGroup(c.By)})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(api.InsightsOf(&r))
	}
	return p.showInsights(&r)
}

// rebuildInsights judges all conversations of an agent anew, step by step.
func (p *process) rebuildInsights(agent string) (err error) {
	var at insight.Progress
	for !at.Done {
		if at, err = call(p, admin.RebuildInsights, admin.RebuildAsk{AgentID: agent, At: at}); err != nil {
			return err
		}
		if terminal(os.Stderr) {
			fmt.Fprintf(p.stderr, "\rJudged %d", at.Judged)
		}
	}
	if terminal(os.Stderr) {
		fmt.Fprintln(p.stderr)
	}
	return nil
}

func (p *process) showInsights(r *insight.Report) error {
	t := r.Totals
	fmt.Fprintf(p.stdout, "%s to %s (UTC)\n\n", r.From.Format(time.DateOnly), r.To.Format(time.DateOnly))
	p.figure("Conversations", "%d with %d messages", t.Conversations, t.Messages)
	p.figure("Answers", "%d, of which %d refused", t.Answers, t.Refused)
	p.figure("Ratings", "%d up, %d down", t.Up, t.Down)
	p.figure("Escalated", "%d", t.Escalated)
	p.figure("Resolved", "%s: %d of %d; %d may still change", percent(insight.Rate(t)), t.Resolved, t.Resolved+t.Unresolved(), r.Settling)
	p.figure("Unresolved", "%d handed over, %d rated negative, %d given up, %d asked again", t.HandedOver, t.Disliked, t.GivenUp, t.AskedAgain)
	fmt.Fprintln(p.stdout)
	var rows [][]string
	for _, s := range r.Series {
		if s.Conversations > 0 {
			rows = append(rows, sumsRow(s.Key, s.Sums))
		}
	}
	if err := p.table(headings[r.By]+columns, "No conversations.", rows); err != nil {
		return err
	}
	if r.By != store.ByTopic && len(r.Topics) > 0 {
		rows = nil
		for _, topic := range r.Topics {
			rows = append(rows, sumsRow(indented(topic), topic.Sums))
		}
		fmt.Fprintln(p.stdout)
		if err := p.table(headings[store.ByTopic]+columns, "", rows); err != nil {
			return err
		}
	}
	return p.showLacks(r)
}

const columns = "\tCONVERSATIONS\tRESOLVED\tESCALATED\tREFUSED ANSWERS"

var headings = map[store.SumsGroup]string{store.ByDay: "DAY", store.ByTopic: "TOPIC", store.ByChannel: "CHANNEL", store.BySentiment: "SENTIMENT"}

func sumsRow(key string, s store.Sums) []string {
	if key == "" {
		key = "unspecified"
	}
	return []string{key, strconv.FormatInt(s.Conversations, 10), percent(insight.Rate(s)), strconv.FormatInt(s.Escalated, 10), strconv.FormatInt(s.Refused, 10)}
}

func indented(t insight.TopicSums) string {
	if t.Parent != "" {
		return t.Parent + " › " + t.Name
	}
	return t.Name
}

// showLacks prints what the sources lack.
func (p *process) showLacks(r *insight.Report) error {
	var rows [][]string
	for _, g := range r.Lacks {
		rows = append(rows, []string{strconv.Itoa(g.Count), g.Last.Format(time.DateOnly), g.Example})
	}
	fmt.Fprintln(p.stdout)
	none := "No question stayed without an answer from the sources."
	if r.Withheld {
		none = "Questions and found topics are withheld: the agent masks personal data, or the account falls under HIPAA."
	}
	return p.table("UNANSWERED\tLAST ASKED\tFOR EXAMPLE", none, rows)
}

func (p *process) figure(name, format string, args ...any) {
	fmt.Fprintf(p.stdout, "%-14s %s\n", name, fmt.Sprintf(format, args...))
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", *share*100)
}
