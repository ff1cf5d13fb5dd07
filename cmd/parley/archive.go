package main

import (
	"fmt"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/archive"
	"parley/internal/store"
)

// archiver returns what the settings name, with a progress bar on a terminal.
func (p *process) archiver() (*archive.Installation, error) {
	log, err := p.newLogger("text,warn")
	storage := p.commandLine.StorageConfig
	in := &archive.Installation{Data: storage.Data, DatabaseURL: storage.DatabaseURL, Program: version, Now: time.Now,
		Logger: log}
	if isTerminal(p.stderr) {
		in.OnProgress = func(step string, done, all int64) {
			fmt.Fprint(p.stderr, formatBar(step, done, all, done == all))
		}
	}
	return in, err
}

// archiveResult is what the commands print as JSON.
type archiveResult struct {
	Path      string          `json:"path"`
	AccountID string          `json:"accountId"`
	From      string          `json:"from,omitempty"` // the id in the archive, of an import
	Rows      int64           `json:"rows"`
	Agents    int64           `json:"agents"`
	Messages  int64           `json:"messages"`
	Files     int             `json:"files"`
	Missing   []string        `json:"missing,omitempty"` // files that were gone
	LeftOut   []store.LeftOut `json:"leftOut"`
}

func newArchiveResult(path, account string, m *archive.Manifest) archiveResult {
	return archiveResult{Path: path, AccountID: account, Rows: m.Rows(), Agents: m.RowsOf("agents"),
		Messages: m.RowsOf("messages"), Files: m.Files, Missing: m.Missing, LeftOut: m.LeftOut}
}

// String says what is in the archive.
func (r archiveResult) String() string {
	return fmt.Sprintf("%s, %s, %s", formatCount(int(r.Agents), "agent", "agents"),
		formatCount(int(r.Messages), "message", "messages"), formatCount(r.Files, "file", "files"))
}

type archiveExportCmd struct {
	File    string `arg:"" help:"@archive-file"`
	Account string `required:"" placeholder:"ID" help:"Account to export."`
}

func (c *archiveExportCmd) Run(p *process) error {
	in, err := p.archiver()
	if err != nil {
		return err
	}
	if _, err := runAdmin(p, admin.NoteExport, admin.ExportNote{AccountID: c.Account}); err != nil {
		return err
	}
	m, err := in.Export(p, parley.AccountID(c.Account), c.File)
	if err != nil {
		return err
	}
	result := newArchiveResult(c.File, c.Account, m)
	if p.commandLine.JSON {
		return p.printJSON(result)
	}
	if len(m.Missing) > 0 {
		if err := p.printf("%s missing or damaged, and not in it: see parley doctor.\n",
			formatCount(len(m.Missing), "uploaded file is", "uploaded files are")); err != nil {
			return err
		}
	}
	return p.printf("%s: %s. Secrets are not in it: keys, passwords, and those of actions, webhooks and servers of "+
		"models.\n", c.File, result)
}

type archiveImportCmd struct {
	File   string `arg:"" help:"File that parley archive export has written."`
	NewIDs bool   `name:"new-ids" help:"@archive-new-ids"`
}

func (c *archiveImportCmd) Run(p *process) error {
	in, err := p.archiver()
	if err != nil {
		return err
	}
	done, err := in.Import(p, c.File, archive.Options{NewIDs: c.NewIDs, Actor: "operator"})
	if err != nil {
		return err
	}
	result := newArchiveResult(c.File, string(done.Account), &done.Manifest)
	result.From = string(done.Manifest.Account)
	if p.commandLine.JSON {
		return p.printJSON(result)
	}
	return p.printf("Imported the account %s: %s.\nIts members set passwords by links (\"parley member link\"), and "+
		"keys, secrets of actions, webhooks and servers of models are set again.\n", result.AccountID, result)
}
