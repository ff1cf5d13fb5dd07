package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/manifest"
	"parley/internal/server"
)

// manifestFlags are the flags of apply and diff. The models matter only where no server runs: a server has its own.
type manifestFlags struct {
	File    string `required:"" short:"f" placeholder:"FILE" help:"@manifest-file"`
	Account string `required:"" placeholder:"ID" help:"Account that has the agents, or gets them."`
	Prune   bool   `help:"@manifest-prune"`
	server.ModelConfig
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
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	return p.printApplied(out.Agents, c.DryRun)
}

// apply reads and applies the manifest. Faults in the file and faults that applying finds are reported together.
func (mf *manifestFlags) apply(p *process, dryRun bool) (out admin.ManifestResult, err error) {
	text, err := mf.readManifest()
	if err != nil {
		return out, err
	}
	name := mf.File
	if name == "-" {
		name = "stdin"
	}
	f := manifest.Read(name, text, manifest.Environment{Open: mf.openNamedFile, Env: os.Getenv})
	p.printWarnings(f.Warnings)
	in := admin.ApplyManifest{
		AccountID: mf.Account,
		Secrets:   f.Secrets,
		Prune:     mf.Prune,
		DryRun:    dryRun || len(f.Faults) > 0,
	}
	for _, d := range f.Documents {
		in.Documents = append(in.Documents, d.JSON)
	}
	if len(in.Documents) > 0 {
		out, err = admin.Run(p, p.adminClient(mf.ModelConfig), admin.Apply, in)
	}
	for _, a := range out.Agents {
		for _, n := range a.Notes {
			p.printWarnings([]manifest.Note{f.Locate(n.Path, n.Text)})
		}
	}
	return out, p.joinFileFaults(f, err)
}

func (mf *manifestFlags) readManifest() ([]byte, error) {
	f := os.Stdin
	if mf.File != "-" {
		var err error
		if f, err = os.Open(mf.File); err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
	}
	return io.ReadAll(io.LimitReader(f, manifest.MaxBytes+1))
}

// openNamedFile opens a file that the manifest names, relative to the manifest's folder.
func (mf *manifestFlags) openNamedFile(path string) (io.ReadCloser, error) {
	if !filepath.IsAbs(path) && mf.File != "-" {
		path = filepath.Join(filepath.Dir(mf.File), path)
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

func (p *process) printWarnings(notes []manifest.Note) {
	for _, n := range notes {
		if p.commandLine.JSON {
			_ = json.NewEncoder(p.stderr).Encode(map[string]any{"warning": map[string]string{n.Position(): n.Text}})
			continue
		}
		fmt.Fprintf(p.stderr, "warning: %s\n", n)
	}
}

// joinFileFaults joins the faults of the file with those of err, each with its line, in the order of the file.
func (p *process) joinFileFaults(f *manifest.File, err error) error {
	var e *parley.Error
	if err != nil && !errors.As(err, &e) {
		return err
	}
	notes := f.Faults
	joined := parley.Error{Code: parley.CodeInvalidBody, Message: f.Name + " is not as it must be."}
	if e != nil {
		for path, text := range e.Details {
			notes = append(notes, f.Locate(path, text))
		}
		if e.Code != parley.CodeInvalidBody {
			joined.Code, joined.Message, joined.Err = e.Code, e.Message, e.Err
		}
	}
	if len(notes) == 0 {
		return err
	}
	if !p.commandLine.JSON {
		text := joined.Message
		for _, n := range manifest.SortNotes(notes) {
			text += "\n  " + n.String()
		}
		return refusal{errors.New(text)}
	}
	joined.Details = map[string]string{}
	for _, n := range notes {
		joined.Details[n.Position()] = n.Text
	}
	return &joined
}

func (p *process) printApplied(list []manifest.ApplyResult, dryRun bool) error {
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
		if err := p.printf("%s\n", name); err != nil {
			return err
		}
		for _, c := range a.Changes {
			fmt.Fprintf(p.stdout, "  %s\n", changeSummary(c))
		}
	}
	return nil
}

func changeSummary(c manifest.Change) string {
	line := c.Op + " " + c.Part
	if c.Key != "" {
		line += " " + c.Key
	}
	if c.Op == "update" {
		line += ": " + changedFields(c)
	}
	return line
}

type diffCmd struct{ manifestFlags }

// Run shows what apply would change. Its exit status is that of diff: 0 without differences, 1 with some, 2 for a
// failure.
func (c *diffCmd) Run(p *process) error {
	out, err := c.apply(p, true)
	if err == nil {
		err = p.printDifferences(out)
	}
	switch {
	case err != nil:
		panic(exitStatus(p.printError(err, 2)))
	case slices.ContainsFunc(out.Agents, func(a manifest.ApplyResult) bool { return len(a.Changes) > 0 }):
		panic(exitStatus(1))
	}
	return nil
}

func (p *process) printDifferences(out admin.ManifestResult) error {
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	for _, a := range out.Agents {
		for _, c := range a.Changes {
			if err := p.printDifference(a, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// printDifference prints a change the way diff does: the name of what changes, then its lines before and after.
func (p *process) printDifference(a manifest.ApplyResult, c manifest.Change) error {
	before, err := formatYAML(c.Before)
	if err != nil {
		return err
	}
	after, err := formatYAML(c.After)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(c.Part + " " + c.Key)
	if c.Part != "agent" {
		name = cmp.Or(a.Key, string(a.Agent)) + ": " + name
	}
	oldName, newName := name, name
	if c.Op == "create" {
		oldName = "(none)"
	}
	if c.Op == "delete" {
		newName = "(none)"
	}
	return p.printf("--- %s\n+++ %s\n%s", oldName, newName, manifest.Diff(before, after))
}

func formatYAML(object json.RawMessage) (string, error) {
	if object == nil || string(object) == "{}" {
		return "", nil
	}
	return manifest.Write(object)
}

func changedFields(c manifest.Change) string {
	var after map[string]json.RawMessage
	if json.Unmarshal(c.After, &after) != nil {
		return "all of it"
	}
	return strings.Join(slices.Sorted(maps.Keys(after)), ", ")
}

type exportAgentCmd struct {
	ID  string `arg:"" name:"agentid" help:"Agent to export."`
	Out string `placeholder:"DIR" help:"@manifest-out"`
}

func (c *exportAgentCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.ExportAgent, admin.ManifestQuery{ID: c.ID})
	if err != nil {
		return err
	}
	for _, part := range out.LeftOut {
		fmt.Fprintf(p.stderr, "left out: %s\n", part)
	}
	if p.commandLine.JSON && c.Out == "" {
		return p.printJSON(out)
	}
	text, err := manifest.Write(out.Document)
	switch {
	case err != nil:
		return err
	case c.Out != "":
		return c.writeFolder(p, text, out.Files)
	case len(out.Files) > 0:
		fmt.Fprintf(p.stderr, "not printed: %s that sources are; --out DIR writes them\n",
			formatCount(len(out.Files), "file", "files"))
	}
	return p.printf("%s", text)
}

// writeFolder writes the manifest and the files that it names to a folder, over nothing that is there.
func (c *exportAgentCmd) writeFolder(p *process, text string, files []manifest.ExportedFile) error {
	if err := os.MkdirAll(filepath.Join(c.Out, "files"), 0o755); err != nil {
		return err
	}
	folder, err := os.OpenRoot(c.Out) // whatever files are called, they lie in it
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	for _, f := range files {
		in := admin.SourceRef{AgentID: c.ID, SourceID: string(f.SourceID)}
		if err := writeNew(folder, f.Path, func(w io.Writer) error {
			return admin.Download(p, p.adminClient(server.ModelConfig{}), admin.ReadSourceFile, in, w)
		}); err != nil {
			return err
		}
	}
	return writeNew(folder, "agent.yaml", func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// writeNew writes a file that must not be there yet.
func writeNew(folder *os.Root, name string, write func(io.Writer) error) error {
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
