package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"parley/internal/eval"
)

// printReport prints what was measured, and beside it what another run has shown.
func (p *process) printReport(report, before *eval.Report) error {
	var compared *eval.Comparison
	if before != nil {
		compared = eval.Compare(before, report)
	}
	if p.commandLine.JSON {
		return p.printJSON(struct {
			*eval.Report
			Compared *eval.Comparison `json:"compared,omitempty"`
		}{report, compared})
	}
	if err := p.printFigures(report); err != nil || compared == nil {
		return err
	}
	p.printComparison(before, report, compared)
	return nil
}

// printFigures prints a row for each set, and one for all where there are several.
func (p *process) printFigures(r *eval.Report) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SET\tQUESTIONS\tPASSAGES\tR@1\tR@5\tMAP\tNDCG@10\tREFUSED RIGHTLY\tWRONGLY\tAUC\tCITED EXACTLY\tMS FIND\tMS ANSWER")
	row := func(name, passages string, f *eval.Figures) {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t%.1f\n", name, f.Asked, passages, formatShare(f.R1), formatShare(f.R5), formatShare(f.MAP), formatShare(f.NDCG),
			formatShare(f.RefusalRecall), formatShare(f.FalseRefusals), formatShare(f.AUC), formatShare(f.CitationSupport), f.FindP50, f.AnswerP50)
	}
	for _, s := range r.Sets {
		row(s.Name, fmt.Sprint(s.Passages), &s.Figures)
	}
	if len(r.Sets) > 1 {
		row("all", "-", &r.Figures)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	p.printCurves(r)
	return nil
}

// falseRefusalShares are the shares of false refusals at which a curve is shown.
var falseRefusalShares = []float64{.05, .10, .15, .20, .30}

func (p *process) printCurves(r *eval.Report) {
	show := func(name string, f *eval.Figures) {
		if len(f.Curve) == 0 {
			return
		}
		fmt.Fprintf(p.stdout, "\n%s: unanswerable questions refused when so many answerable ones are\n ", name)
		for _, rate := range falseRefusalShares {
			fmt.Fprintf(p.stdout, "  %.0f %%: %s", 100*rate, formatShare(f.RecallAt(rate)))
		}
		fmt.Fprintln(p.stdout)
	}
	for _, s := range r.Sets {
		show(s.Name, &s.Figures)
	}
	if len(r.Sets) > 1 {
		show("all", &r.Figures)
	}
}

func formatShare(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}

// printComparison prints how the figures moved and which questions have changed.
func (p *process) printComparison(before, now *eval.Report, c *eval.Comparison) {
	fmt.Fprintf(p.stdout, "\nBeside the earlier run: %d better, %d worse, %d with another answer, %d the same, %d in one run only\n", c.Better, c.Worse, c.Other, c.Same, c.Missing)
	for _, s := range now.Sets {
		i := slices.IndexFunc(before.Sets, func(o *eval.Result) bool { return o.Name == s.Name })
		if i >= 0 {
			o := before.Sets[i]
			fmt.Fprintf(p.stdout, "%s: R@1 %s to %s, R@5 %s to %s, MAP %s to %s, refused rightly %s to %s, wrongly %s to %s\n", s.Name, formatShare(o.R1), formatShare(s.R1), formatShare(o.R5), formatShare(s.R5),
				formatShare(o.MAP), formatShare(s.MAP), formatShare(o.RefusalRecall), formatShare(s.RefusalRecall), formatShare(o.FalseRefusals), formatShare(s.FalseRefusals))
		}
	}
	for _, change := range c.Changes {
		fmt.Fprintf(p.stdout, "\n%s  %s %s  rank %s to %s%s\n  %s\n", change.Kind, change.Set, change.ID, formatRank(change.Rank[0]), formatRank(change.Rank[1]), formatRefusal(change.Refused), shorten(change.Question))
		if change.Answer[0] != change.Answer[1] && !before.Baseline && !now.Baseline {
			fmt.Fprintf(p.stdout, "  before: %s\n  now:    %s\n", shorten(change.Answer[0]), shorten(change.Answer[1]))
		}
	}
}

func formatRank(rank int) string {
	if rank == 0 {
		return "none"
	}
	return fmt.Sprint(rank)
}

func formatRefusal(refused [2]bool) string {
	switch refused {
	case [2]bool{false, true}:
		return ", refused now"
	case [2]bool{true, false}:
		return ", answered now"
	}
	return ""
}
