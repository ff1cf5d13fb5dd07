package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley"
	"parley/internal/admin"
	"parley/internal/agents"
	"parley/internal/house"
	"parley/internal/manifest"
)

// manifestFlags are what apply and diff share. The models count where no server runs that knows which there are.
type manifestFlags struct {
	File    string `required:"" short:"f" placeholder:"FILE" help:"Manifest to read: YAML, a document for each agent; - reads the standard input."`
	Account string `required:"" placeholder:"ID" help:"Account that has the agents, or gets them."`
	Prune   bool   `help:"Also delete actions, procedures and sources that have a key and are not in the manifest, in the sections that it has."`
	house.Models
}

type applyCmd struct {
	manifestFlags
	DryRun bool `help:"Check everything and tell what would change, and change nothing."`
}

func (c *applyCmd) Run(p *process) error {
	out, err := c.apply(p, c.DryRun)
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(out)
	}
	return p.applied(out.Agents, c.DryRun)
}

// apply reads the manifest and has it applied. The faults that reading finds and those that the data has come together.
func (c *manifestFlags) apply(p *process, dryRun bool) (out admin.ManifestApplied, err error) {
	text, err := c.read()
	if err != nil {
		return out, err
	}
	name := c.File
	if name == "-" {
		name = "stdin"
	}
	f := manifest.Read(name, text, manifest.Around{Open: c.open, Env: os.Getenv})
	p.warn(f.Warnings)
	in := admin.ApplyManifest{AccountID: c.Account, Secrets: f.Secrets, Prune: c.Prune, DryRun: dryRun || len(f.Faults) > 0}
	for _, d := range f.Documents {
		in.Documents = append(in.Documents, d.JSON)
	}
	if len(in.Documents) > 0 {
		out, err = admin.Call(p, c.reach(p), admin.Apply, in)
	}
	return out, p.explain(f, err)
}

// warn tells what looks wrong, on the error stream.
func (p *process) warn(notes []manifest.Note) {
	for _, n := range notes {
		if p.cli.JSON {
			_ = json.NewEncoder(p.stderr).Encode(map[string]any{"warning": map[string]string{n.Place(): n.Text}})
			continue
		}
		fmt.Fprintf(p.stderr, "warning: %s\n", n)
	}
}

// reach is the way to the data. It is told of the models, in case that no server is there to know them.
func (c *manifestFlags) reach(p *process) *admin.Reach {
	r := p.reach()
	r.Open = func(ctx context.Context) (*admin.Desk, error) {
		log, err := p.logger("text,warn")
		if err != nil {
			return nil, err
		}
		return house.OpenDesk(ctx, house.Config{Storage: p.cli.Storage, Models: c.Models, Now: time.Now, Logger: log})
	}
	return r
}

func (c *manifestFlags) read() ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, manifest.MaxBytes+1))
	}
	f, err := os.Open(c.File)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, manifest.MaxBytes+1))
}

// open opens a file that the manifest names, seen from its folder.
func (c *manifestFlags) open(path string) (io.ReadCloser, error) {
	if !filepath.IsAbs(path) && c.File != "-" {
		path = filepath.Join(filepath.Dir(c.File), path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New(path + " is not a regular file")
	}
	return os.Open(path)
}

// explain joins the faults of the file with those that a failure names, each at its line, in the order of the file.
func (p *process) explain(f *manifest.File, err error) error {
	var e *parley.Error
	if err != nil && !errors.As(err, &e) {
		return err
	}
	notes := f.Faults
	told := parley.Error{Code: parley.CodeInvalidBody, Message: f.Name + " is not as it must be."}
	if e != nil {
		for path, text := range e.Details {
			notes = append(notes, f.Place(path, text))
		}
		if e.Code != parley.CodeInvalidBody {
			told.Code, told.Message, told.Err = e.Code, e.Message, e.Err
		}
	}
	if len(notes) == 0 {
		return err
	}
	if !p.cli.JSON {
		return errors.New(told.Message + lines(manifest.Sorted(notes)))
	}
	told.Details = map[string]string{}
	for _, n := range notes {
		told.Details[n.Place()] = n.Text
	}
	return &told
}

func lines(notes []manifest.Note) string {
	var out strings.Builder
	for _, n := range notes {
		out.WriteString("\n  " + n.String())
	}
	return out.String()
}

// applied tells what became of each agent.
func (p *process) applied(list []agents.Applied, dryRun bool) error {
	for _, a := range list {
		name := orDash(a.Key)
		if a.Agent != "" {
			name += " (" + string(a.Agent) + ")"
		}
		switch {
		case len(a.Changes) == 0:
			name += ": no changes"
		case dryRun:
			name += ": would change"
		}
		if _, err := fmt.Fprintln(p.stdout, name); err != nil {
			return err
		}
		for _, c := range a.Changes {
			fmt.Fprintf(p.stdout, "  %s\n", summary(c))
		}
	}
	return nil
}

// summary tells a change in one line.
func summary(c agents.Change) string {
	line := c.Op + " " + c.Part
	if c.Key != "" {
		line += " " + c.Key
	}
	if c.Op == "update" {
		line += ": " + fields(c)
	}
	return line
}
