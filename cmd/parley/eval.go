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
	"parley/internal/admin"
	"parley/internal/eval"
	"parley/internal/house"
)

type evalCmd struct {
	Set      []string `sep:"none" placeholder:"DIR|FILE" help:"Folder or file with a question set; may be given more than once."`
	Baseline bool     `help:"Find passages with plain BM25, and answer nothing."`
	Compare  string   `placeholder:"FILE" help:"Output of an earlier run with --json, to compare question by question."`
	Agent    string   `placeholder:"ID" help:"Give an agent its own past questions again, in place of a set."`
	Search   string   `enum:",words,vectors,both" default:"" placeholder:"WHAT" help:"What passages are found by: words, vectors, or both, which is usual with an embedding server."`
	Limit    int      `default:"100" placeholder:"N" help:"Past questions of the agent, the newest (${default})."`
	house.Models
}

func (c *evalCmd) Run(p *process) error {
	switch {
	case (len(c.Set) == 0) == (c.Agent == ""):
		return misused("give either --set or --agent")
	case c.Agent != "" && (c.Baseline || c.Compare != "" || c.Search != ""):
		return misused("--baseline, --compare and --search go with --set")
	case c.Search != "" && c.searched() != eval.ByWords && (c.EmbedURL == "" || c.Baseline):
		return misused("--search %s needs an embedding server (--embed-url) and goes without --baseline", c.Search)
	case c.Agent != "":
		return c.replay(p)
	}
	if err := c.Check(); err != nil {
		return usageError{err}
	}
	before, err := c.earlier()
	if err != nil {
		return err
	}
	sets, err := c.sets()
	if err != nil {
		return err
	}
	table, err := c.Table()
	if err != nil {
		return err
	}
	defer table.Close()
	back, ok := table.Lookup("auto")
	if !ok {
		return errors.New("no model answers for \"auto\"")
	}
	runner := eval.Runner{Back: back, Baseline: c.Baseline, Now: time.Now, Step: p.progress()}
	if e := c.Embedder(); e != nil && c.searched() != eval.ByWords && !c.Baseline {
		defer e.Close()
		runner.Embedder, runner.Search, runner.Weight = e, c.searched(), c.EmbedWeight
	}
	report, err := runner.RunAll(p, sets)
	if err != nil {
		return err
	}
	return p.measured(report, before)
}

// searched is what passages are found by where there is an embedding server.
func (c *evalCmd) searched() eval.Search { return cmp.Or(eval.Search(c.Search), eval.ByBoth) }

// sets reads what --set names.
func (c *evalCmd) sets() (all []eval.Set, err error) {
	for _, name := range c.Set {
		info, err := os.Stat(name)
		if err != nil {
			return nil, unread("set", name, err)
		}
		dir, only := name, ""
		if !info.IsDir() {
			dir, only = filepath.Dir(name), filepath.Base(name)
		}
		sets, err := readSets(dir, only)
		if err != nil {
			return nil, unread("set", name, err)
		}
		all = append(all, sets...)
	}
	distinct(all)
	return all, nil
}

// unread says which of the files that the command line names cannot be used, and why.
func unread(flag, name string, why error) error {
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
	return eval.Read(root.FS(), only)
}

// distinct numbers sets of the same name, so that each can be found again.
func distinct(sets []eval.Set) {
	seen := map[string]int{}
	for i := range sets {
		name := sets[i].Name
		if seen[name]++; seen[name] > 1 {
			sets[i].Name = fmt.Sprintf("%s %d", name, seen[name])
		}
	}
}

func (c *evalCmd) earlier() (*eval.Report, error) {
	if c.Compare == "" {
		return nil, nil
	}
	content, err := os.ReadFile(c.Compare)
	if err != nil {
		return nil, unread("compare", c.Compare, err)
	}
	var report eval.Report
	if err := json.Unmarshal(content, &report); err != nil {
		return nil, unread("compare", c.Compare, fmt.Errorf("not the output of parley eval --json: %w", err))
	}
	if len(report.Sets) == 0 {
		return nil, unread("compare", c.Compare, errors.New("not the output of parley eval --json: it holds no sets"))
	}
	return &report, nil
}

// progress shows how far a run is: a line that changes on a terminal, elsewhere a line for each set.
func (p *process) progress() func(set string, done, all int) {
	live := terminal(p.stderr)
	return func(set string, done, all int) {
		switch {
		case live && done == all:
			fmt.Fprintf(p.stderr, "\r%s: %d of %d questions\n", set, done, all)
		case live:
			fmt.Fprintf(p.stderr, "\r%s: %d of %d questions", set, done, all)
		case done == all:
			fmt.Fprintf(p.stderr, "%s: %s\n", set, counted(all, "question", "questions"))
		}
	}
}

// replay gives the agent its past questions again.
func (c *evalCmd) replay(p *process) error {
	if c.Limit < 1 {
		return misused("--limit: %d is below 1", c.Limit)
	}
	done, err := call(p, admin.Replay, admin.ReplayAgent{ID: c.Agent, Limit: c.Limit})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(done)
	}
	fmt.Fprintf(p.stdout, "%s asked again: %d answered the same, %d otherwise\n", counted(len(done.Turns), "question", "questions"), done.Same, len(done.Turns)-done.Same)
	if done.Skipped > 0 {
		fmt.Fprintf(p.stdout, "%s left out: answered by another model, with tools, or no longer there\n", counted(done.Skipped, "turn", "turns"))
	}
	for _, t := range done.Turns {
		if t.State == eval.ReplaySame {
			continue
		}
		fmt.Fprintf(p.stdout, "\n%s  %s  %s\n  %s\n  before: %s\n  now:    %s\n", t.State, t.ConversationID, t.At.Format(time.RFC3339), shortened(t.Question), shortened(t.Before), shortened(t.Now))
	}
	return nil
}
