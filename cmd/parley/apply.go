package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"parley/internal/api/admin"
	"parley/internal/manifest"
	"parley/internal/server"
)

// manifestFlags are what apply and diff share. The models count where no server runs that knows which there are.
type manifestFlags struct {
	File    string `required:"" short:"f" placeholder:"FILE" help:"Manifest to read: YAML, a document for each agent; - reads the standard input."`
	Account string `required:"" placeholder:"ID" help:"Account that has the agents, or gets them."`
	Prune   bool   `help:"Also delete actions, procedures, teams, rules and sources that have a key and are not in the manifest, in the sections that it has, and archive such statuses."`
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

// apply reads the manifest and has it applied. The faults that reading finds and those that the data has come together.
func (c *manifestFlags) apply(p *process, dryRun bool) (out admin.ManifestResult, err error) {
	text, err := c.readManifest()
	if err != nil {
		return out, err
	}
	name := c.File
	if name == "-" {
		name = "stdin"
	}
	f := manifest.Read(name, text, manifest.Environment{Open: c.openNamedFile, Env: os.Getenv})
	p.printWarnings(f.Warnings)
	in := admin.ApplyManifest{AccountID: c.Account, Secrets: f.Secrets, Prune: c.Prune, DryRun: dryRun || len(f.Faults) > 0}
	for _, d := range f.Documents {
		in.Documents = append(in.Documents, d.JSON)
	}
	if len(in.Documents) > 0 {
		out, err = admin.Run(p, p.adminClient(c.ModelConfig), admin.Apply, in)
	}
	for _, a := range out.Agents {
		for _, n := range a.Notes {
			p.printWarnings([]manifest.Note{f.Locate(n.Path, n.Text)})
		}
	}
	return out, p.joinFileFaults(f, err)
}

func (c *manifestFlags) readManifest() ([]byte, error) {
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

// openNamedFile opens a file that the manifest names, seen from its folder.
func (c *manifestFlags) openNamedFile(path string) (io.ReadCloser, error) {
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
