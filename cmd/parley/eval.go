package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/eval"
	"parley/internal/server"
)

type evalCmd struct {
	Set      []string `sep:"none" placeholder:"DIR|FILE" help:"Folder or file with a question set; may be given more than once."`
	Baseline bool     `help:"Find passages with plain BM25, and answer nothing."`
	Compare  string   `placeholder:"FILE" help:"Output of an earlier run with --json, to compare question by question."`
	Agent    string   `placeholder:"ID" help:"Give an agent its own past questions again, in place of a set."`
	Search   string   `enum:",words,vectors,both" default:"" placeholder:"WHAT" help:"What passages are found by: words, vectors, or both, which is usual with an embedding server."`
	Limit    int      `default:"100" placeholder:"N" help:"Past questions of the agent, the newest (${default})."`
	server.ModelConfig
}

func (c *evalCmd) Run(p *process) error {
	switch {
	case (len(c.Set) == 0) == (c.Agent == ""):
		return newUsageError("give either --set or --agent")
	case c.Agent != "" && (c.Baseline || c.Compare != "" || c.Search != ""):
		return newUsageError("--baseline, --compare and --search go with --set")
	case c.Search != "" && c.searchMode() != eval.SearchWords && (c.EmbedURL == "" || c.Baseline):
		return newUsageError("--search %s needs an embedding server (--embed-url) and goes without --baseline", c.Search)
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
	table, err := c.NewRegistry()
	if err != nil {
		return err
	}
	defer table.Close()
	back, ok := table.Lookup("auto")
	if !ok {
		return errors.New("no model answers for \"auto\"")
	}
	runner := eval.Runner{Backend: back, Baseline: c.Baseline, Now: time.Now, OnProgress: p.progressPrinter()}
	if e := c.Embedder(); e != nil && c.searchMode() != eval.SearchWords && !c.Baseline {
		defer e.Close()
		runner.Embedder, runner.Search, runner.VectorWeight = e, c.searchMode(), c.EmbedWeight
	}
	report, err := runner.RunAll(p, sets)
	if err != nil {
		return err
	}
	return p.printReport(report, before)
}

// searchMode is what passages are found by where there is an embedding server.
func (c *evalCmd) searchMode() eval.SearchMode {
	return cmp.Or(eval.SearchMode(c.Search), eval.SearchBoth)
}

// readNamedSets reads what --set names.
func (c *evalCmd) readNamedSets() (all []eval.Set, err error) {
	for _, name := range c.Set {
		info, err := os.Stat(name)
		if err != nil {
			return nil, newReadError("set", name, err)
		}
		dir, only := name, ""
		if !info.IsDir() {
			dir, only = filepath.Dir(name), filepath.Base(name)
		}
		sets, err := readSets(dir, only)
		if err != nil {
			return nil, newReadError("set", name, err)
		}
		all = append(all, sets...)
	}
	numberDuplicates(all)
	return all, nil
}

// newReadError says which of the files that the command line names cannot be used, and why.
func newReadError(flag, name string, why error) error {
	if path := (*fs.PathError)(nil); errors.As(why, &path) && (path.Path == name || path.Path == ".") {
		why = path.Err
	}
	return &parley.Error{Code: parley.CodeInvalidBody, Message: fmt.Sprintf("--%s %s: %v", flag, name, why),
		Details: map[string]string{flag: name}}
}

func readSets(dir, only string) ([]eval.Set, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return eval.ReadSets(root.FS(), only)
}

// numberDuplicates numbers sets of the same name, so that each can be found again.
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

// progressPrinter shows how far a run is: a line that changes on a terminal, elsewhere a line for each set.
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

// replayAgent returns the agent its past questions again.
func (c *evalCmd) replayAgent(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is below 1", c.Limit)
	}
	done, err := runAdmin(p, admin.Replay, admin.ReplayRequest{ID: c.Agent, Limit: c.Limit})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(done)
	}
	fmt.Fprintf(p.stdout, "%s asked again: %d answered the same, %d otherwise\n", formatCount(len(done.Turns), "question", "questions"), done.Same, len(done.Turns)-done.Same)
	if done.Skipped > 0 {
		fmt.Fprintf(p.stdout, "%s left out: answered by another model, with tools, or no longer there\n", formatCount(done.Skipped, "turn", "turns"))
	}
	for _, t := range done.Turns {
		if t.State == eval.ReplaySame {
			continue
		}
		fmt.Fprintf(p.stdout, "\n%s  %s  %s\n  %s\n  before: %s\n  now:    %s\n", t.State, t.ConversationID, t.At.Format(time.RFC3339), shorten(t.Question), shorten(t.Before), shorten(t.Now))
	}
	return nil
}
