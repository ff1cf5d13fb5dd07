package main

import (
	"fmt"
	"strings"
	"time"

	"parley/internal/backup"
	"parley/internal/server"
	"parley/internal/sqldb"
)

type backupCmd struct {
	Folder  string `arg:"" help:"Folder of backups, or bucket of an S3 service: s3://BUCKET/FOLDER."`
	Archive bool   `help:"Make one file, parley-TIME.tar.gz, in place of a folder; in a bucket it always is."`
	Keep    int    `placeholder:"N" help:"Afterwards remove the oldest backups there, but for the newest N."`

	server.S3Config
}

// backupResult is what the command prints as JSON.
type backupResult struct {
	Path      string    `json:"path"`
	CreatedAt time.Time `json:"createdAt"`
	Database  string    `json:"database"`
	Schema    int64     `json:"schema"`
	Program   string    `json:"program"`
	Bytes     int64     `json:"bytes"`
	Uploads   int       `json:"uploads"`
	Missing   []string  `json:"missing,omitempty"`
	Removed   []string  `json:"removed,omitempty"`
	Replaced  string    `json:"replaced,omitempty"`
	LeftOut   []string  `json:"leftOut,omitempty"`
}

func newBackupResult(path string, m backup.Manifest) backupResult {
	return backupResult{Path: path, CreatedAt: m.CreatedAt, Database: m.Database, Schema: m.Schema, Program: m.Program,
		Bytes: m.Bytes(), Uploads: m.Uploads(), Missing: m.Missing}
}

// installation returns what the settings name.
func (p *process) installation(service server.S3Config) (*backup.Installation, error) {
	if err := service.Check(); err != nil {
		return nil, usageError{err}
	}
	log, err := p.newLogger(p.logSetting("text,warn"))
	storage := p.commandLine.StorageConfig
	return &backup.Installation{Data: storage.Data, DatabaseURL: storage.DatabaseURL, Program: version, Now: time.Now,
		Logger: log, S3: service.Client(time.Now)}, err
}

func (c *backupCmd) Run(p *process) error {
	if c.Keep < 0 {
		return newUsageError("--keep: %d is below 0", c.Keep)
	}
	in, err := p.installation(c.S3Config)
	if err != nil {
		return err
	}
	stored, err := in.Write(p, c.Folder, c.Archive)
	if err != nil {
		return asRefusal(err)
	}
	result := newBackupResult(stored.Path, stored.Manifest)
	if c.Keep > 0 {
		removed, err := in.Prune(p, c.Folder, c.Keep)
		if err != nil {
			return fmt.Errorf("the backup %s was made; remove older ones: %w", stored.Path, err)
		}
		for _, b := range removed {
			result.Removed = append(result.Removed, b.Path)
		}
	}
	return p.printBackup(result)
}

func (p *process) printBackup(r backupResult) error {
	if p.commandLine.JSON {
		return p.printJSON(r)
	}
	for _, path := range r.Removed {
		if err := p.printf("Removed %s.\n", path); err != nil {
			return err
		}
	}
	if len(r.Missing) > 0 {
		if err := p.printf("%s missing or damaged: see the log above, and parley doctor.\n",
			formatCount(len(r.Missing), "uploaded file is", "uploaded files are")); err != nil {
			return err
		}
	}
	return p.printf("%s: %s. Keep PARLEY_SECRET_KEY and the other settings too: they are not in it.\n", r.Path,
		formatBackup(r))
}

// formatBackup says what is in a backup. PostgreSQL holds the uploaded files itself.
func formatBackup(r backupResult) string {
	files := formatCount(r.Uploads, "uploaded file", "uploaded files") + " beside it"
	if r.Database == sqldb.Postgres.String() {
		files = "with the uploaded files in it"
	}
	return fmt.Sprintf("%s database, %s, %s", r.Database, files, formatBytes(r.Bytes))
}

// formatBytes returns a size in the unit that leaves something of it to see.
func formatBytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

type restoreCmd struct {
	Backup  string `arg:"" help:"Backup to restore: its folder, its file, or s3://BUCKET/FOLDER/FILE."`
	Replace bool   `help:"Move the data that are there aside first."`

	server.S3Config
}

func (c *restoreCmd) Run(p *process) error {
	in, err := p.installation(c.S3Config)
	if err != nil {
		return err
	}
	done, err := in.Restore(p, c.Backup, c.Replace)
	if err != nil {
		return asRefusal(err)
	}
	result := newBackupResult(done.Path, done.Manifest)
	result.Replaced, result.LeftOut = done.Replaced, done.LeftOut
	if p.commandLine.JSON {
		return p.printJSON(result)
	}
	if done.Replaced != "" {
		if err := p.printf("Moved the data that were there to %s.\n", done.Replaced); err != nil {
			return err
		}
	}
	if len(done.LeftOut) > 0 {
		if err := p.printf("Left out tables that are not Parley's: %s.\n", strings.Join(done.LeftOut, ", ")); err != nil {
			return err
		}
	}
	return p.printf("Restored what was backed up on %s by Parley %s: %s.\nStart the server with the same "+
		"PARLEY_SECRET_KEY as before; \"parley doctor\" checks the rest.\n",
		result.CreatedAt.Local().Format("2006-01-02 15:04:05"), result.Program, formatBackup(result))
}
