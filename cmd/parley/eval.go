package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/chat"
	"parley/internal/eval"
	"parley/internal/server"
)

type evalCmd struct {
	Set      []string `sep:"none" placeholder:"DIR|FILE" help:"@eval-set"`
	Baseline bool     `help:"Find passages with plain BM25, and answer nothing."`
	Compare  string   `placeholder:"FILE" help:"Output of an earlier run with --json, to compare question by question."`
	Agent    string   `placeholder:"ID" help:"Give an agent its own past questions again, in place of a set."`
	Search   string   `enum:",words,vectors,both" default:"" placeholder:"WHAT" help:"@eval-search"`
	NoRerank bool     `help:"Leave passages in the order of the search, though a reranking server is configured."`
	Across   []string `placeholder:"PAIR,…" help:"@eval-across"`
	Limit    int      `default:"100" placeholder:"N" help:"Past questions of the agent, the newest (${default})."`
	server.ModelConfig
}

func (c *evalCmd) Run(p *process) error {
	switch {
	case (len(c.Set) == 0) == (c.Agent == ""):
		return newUsageError("give either --set or --agent")
	case c.Agent != "" && (c.Baseline || c.Compare != "" || c.Search != "" || c.NoRerank || len(c.Across) > 0):
		return newUsageError("--baseline, --compare, --search, --no-rerank and --across go with --set")
	case c.Search != "" && c.searchMode() != eval.SearchWords && (!c.HasEmbedding() || c.Baseline):
		return newUsageError("--search %s needs an embedding server (--embed-url) or model (--embedding-model), and goes "+
			"without --baseline", c.Search)
	case c.Agent != "":
		return c.replayAgent(p)
	}
	if err := c.Check(); err != nil {
		return usageError{err}
	}
	before, err := c.readEarlierReport()
	if err != nil {
		return err
	}
	sets, err := c.readNamedSets()
	if err != nil {
		return err
	}
	if len(c.Across) > 0 {
		if sets, err = eval.AcrossLanguages(sets, c.Across); err != nil {
			return newUsageError("--across: %v", err)
		}
	}
	dictionaries, err := c.OpenDictionaries(slog.Default())
	if err != nil {
		return asRefusal(err)
	}
	table, err := c.NewRegistry()
	if err != nil {
		return err
	}
	defer table.Close()
	back, ok := table.Lookup("auto")
	if !ok {
		return errors.New("no model answers for \"auto\"")
	}
	runner := eval.Runner{Backend: back, Baseline: c.Baseline, Dictionaries: dictionaries, Now: time.Now,
		OnProgress: p.progressPrinter()}
	if c.HasEmbedding() && c.searchMode() != eval.SearchWords && !c.Baseline {
		e, err := c.OpenEmbedding()
		if err != nil {
			return usageError{err}
		}
		defer e.Close()
		runner.Embedder, runner.QuestionEmbedder = e.Passages, e.Questions
		runner.Search, runner.VectorWeight = c.searchMode(), c.EmbedWeight
	}
	if r := c.Reranker(); r != nil && !c.Baseline && !c.NoRerank {
		defer r.Close()
		runner.Reranker = &chat.QueryReranker{Reranker: r, Timeout: c.RerankWait, Now: time.Now,
			Logger: slog.New(slog.DiscardHandler)}
	}
	report, err := runner.RunAll(p, sets)
	if err != nil {
		return err
	}
	return p.printReport(report, before)
}

// searchMode returns how passages are searched for where they have vectors.
func (c *evalCmd) searchMode() eval.SearchMode {
	return cmp.Or(eval.SearchMode(c.Search), eval.SearchBoth)
}

func (c *evalCmd) readNamedSets() (all []eval.Set, err error) {
	for _, name := range c.Set {
		info, err := os.Stat(name)
		if err != nil {
			return nil, newReadError("set", name, err)
		}
		dir, file := name, ""
		if !info.IsDir() {
			dir, file = filepath.Dir(name), filepath.Base(name)
		}
		sets, err := readSets(dir, file)
		if err != nil {
			return nil, newReadError("set", name, err)
		}
		all = append(all, sets...)
	}
	numberDuplicates(all)
	return all, nil
}

// newReadError returns an error that names the file of the command line that cannot be used, and why.
func newReadError(flag, name string, err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) && (path.Path == name || path.Path == ".") {
		err = path.Err
	}
	return &parley.Error{Code: parley.CodeInvalidBody, Message: fmt.Sprintf("--%s %s: %v", flag, name, err),
		Details: map[string]string{flag: name}}
}

func readSets(dir, file string) ([]eval.Set, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return eval.ReadSets(root.FS(), file)
}

// numberDuplicates numbers sets of the same name, so that their names differ.
func numberDuplicates(sets []eval.Set) {
	seen := map[string]int{}
	for i := range sets {
		name := sets[i].Name
		if seen[name]++; seen[name] > 1 {
			sets[i].Name = fmt.Sprintf("%s %d", name, seen[name])
		}
	}
}

func (c *evalCmd) readEarlierReport() (*eval.Report, error) {
	if c.Compare == "" {
		return nil, nil
	}
	content, err := os.ReadFile(c.Compare)
	if err != nil {
		return nil, newReadError("compare", c.Compare, err)
	}
	var report eval.Report
	if err := json.Unmarshal(content, &report); err != nil {
		return nil, newReadError("compare", c.Compare, fmt.Errorf("not the output of parley eval --json: %w", err))
	}
	if len(report.Sets) == 0 {
		return nil, newReadError("compare", c.Compare, errors.New("not the output of parley eval --json: it holds no sets"))
	}
	return &report, nil
}

// progressPrinter returns a callback that shows the progress of a run: a line that changes on a terminal, elsewhere one
// line for each set.
func (p *process) progressPrinter() func(set string, done, all int) {
	live := isTerminal(p.stderr)
	return func(set string, done, all int) {
		switch {
		case live && done == all:
			fmt.Fprintf(p.stderr, "\r%s: %d of %d questions\n", set, done, all)
		case live:
			fmt.Fprintf(p.stderr, "\r%s: %d of %d questions", set, done, all)
		case done == all:
			fmt.Fprintf(p.stderr, "%s: %s\n", set, formatCount(all, "question", "questions"))
		}
	}
}

func (c *evalCmd) replayAgent(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is below 1", c.Limit)
	}
	return printAdmin(p, admin.Replay, admin.ReplayRequest{ID: c.Agent, Limit: c.Limit}, p.printReplay)
}

func (p *process) printReplay(done eval.Replay) error {
	fmt.Fprintf(p.stdout, "%s asked again: %d answered the same, %d otherwise\n",
		formatCount(len(done.Turns), "question", "questions"), done.Same, len(done.Turns)-done.Same)
	if done.Skipped > 0 {
		fmt.Fprintf(p.stdout, "%s left out: answered by another model, with tools, or no longer there\n",
			formatCount(done.Skipped, "turn", "turns"))
	}
	for _, t := range done.Turns {
		if t.State == eval.ReplaySame {
			continue
		}
		fmt.Fprintf(p.stdout, "\n%s  %s  %s\n  %s\n  before: %s\n  now:    %s\n", t.State, t.ConversationID,
			t.At.Format(time.RFC3339), shorten(t.Question), shorten(t.Before), shorten(t.Now))
	}
	return nil
}

// printReport prints the measurements, compared with those of an earlier run where there is one.
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

// printFigures prints a row for each set, and one for all sets where there are several.
func (p *process) printFigures(r *eval.Report) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w,
		"SET\tQUESTIONS\tPASSAGES\tR@1\tR@5\tMAP\tNDCG@10\tREFUSED RIGHTLY\tWRONGLY\tAUC\tCITED EXACTLY\tMS FIND\tMS ANSWER")
	row := func(name, passages string, f *eval.Figures) {
		fmt.Fprintf(w, "%s\t%d\t%s", name, f.Asked, passages)
		for _, share := range []*float64{f.R1, f.R5, f.MAP, f.NDCG, f.RefusalRecall, f.FalseRefusals, f.AUC,
			f.CitationSupport} {
			fmt.Fprint(w, "\t"+formatShare(share))
		}
		fmt.Fprintf(w, "\t%.1f\t%.1f\n", f.FindP50, f.AnswerP50)
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
	if !r.Baseline {
		if err := p.printOutcomes(r); err != nil {
			return err
		}
	}
	p.printReranks(r)
	p.printCurves(r)
	return nil
}

// printOutcomes prints what customers got: of questions that the sources answer, of others, and of the former while
// what answers them is not there.
func (p *process) printOutcomes(r *eval.Report) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nSET\tSOURCES\tASKED\tRIGHT\tWRONG\tUNSURE, RIGHT\tUNSURE, WRONG\tASKED BACK\tREFUSED\t"+
		"BREVITY\tSENTENCES\tAT P90")
	row := func(name, sources string, o *eval.Outcomes, lengths string) {
		if o == nil || o.Asked == 0 {
			return
		}
		fmt.Fprintf(w, "%s\t%s\t%d", name, sources, o.Asked)
		for _, n := range []int{o.Right, o.Wrong, o.UnsureRight, o.UnsureWrong, o.AskedBack, o.Refused} {
			fmt.Fprintf(w, "\t%.3f", float64(n)/float64(o.Asked))
		}
		fmt.Fprintln(w, lengths)
	}
	rows := func(name string, f *eval.Figures) {
		row(name, "answer it", &f.Answered, fmt.Sprintf("\t%s\t%.0f\t%.0f", formatShare(f.Brevity), f.SentencesP50,
			f.SentencesP90))
		row(name, "do not", &f.Open, "\t-\t-\t-")
		row(name, "without it", f.LeftOut, "\t-\t-\t-")
	}
	for _, s := range r.Sets {
		rows(s.Name, &s.Figures)
	}
	if len(r.Sets) > 1 {
		rows("all", &r.Figures)
	}
	return w.Flush()
}

// printReranks says how many questions a reranking server has ordered the passages of. The others have figures of the
// search alone.
func (p *process) printReranks(r *eval.Report) {
	count := map[string]int{}
	for _, s := range r.Sets {
		for _, t := range s.Trials {
			if t.Rerank != "" {
				count[t.Rerank]++
			}
		}
	}
	for i, state := range slices.Sorted(maps.Keys(count)) {
		if i == 0 {
			fmt.Fprint(p.stdout, "\nreranked:")
		}
		fmt.Fprintf(p.stdout, "  %s %d", state, count[state])
	}
	if len(count) > 0 {
		fmt.Fprintln(p.stdout)
	}
}

// falseRefusalShares lists the shares of false refusals at which a curve is shown.
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

// printComparison prints how the figures changed and which questions have another result.
func (p *process) printComparison(before, now *eval.Report, c *eval.Comparison) {
	fmt.Fprintf(p.stdout,
		"\nBeside the earlier run: %d better, %d worse, %d with another answer, %d the same, %d in one run only\n",
		c.Better, c.Worse, c.Other, c.Same, c.Missing)
	for _, s := range now.Sets {
		i := slices.IndexFunc(before.Sets, func(o *eval.Result) bool { return o.Name == s.Name })
		if i >= 0 {
			o := before.Sets[i]
			fmt.Fprintf(p.stdout,
				"%s: R@1 %s to %s, R@5 %s to %s, MAP %s to %s, refused rightly %s to %s, wrongly %s to %s\n", s.Name,
				formatShare(o.R1), formatShare(s.R1), formatShare(o.R5), formatShare(s.R5),
				formatShare(o.MAP), formatShare(s.MAP), formatShare(o.RefusalRecall), formatShare(s.RefusalRecall),
				formatShare(o.FalseRefusals), formatShare(s.FalseRefusals))
		}
	}
	for _, change := range c.Changes {
		fmt.Fprintf(p.stdout, "\n%s  %s %s  rank %s to %s%s\n  %s\n", change.Kind, change.Set, change.ID,
			formatRank(change.Rank[0]), formatRank(change.Rank[1]), formatRefusal(change.Refused), shorten(change.Question))
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
