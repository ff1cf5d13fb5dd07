package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"parley/internal/datadir"
	"parley/internal/ingest"
	"parley/internal/s3"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Installation is what is backed up, or what a backup is put back into.
type Installation struct {
	Data        string           // data directory
	DatabaseURL string           // of PostgreSQL; empty for the SQLite file in the data directory
	Program     string           // the version of this program
	Now         func() time.Time // required
	Logger      *slog.Logger     // nil = slog.Default()
	S3          *s3.Client       // the service of backups whose place begins with s3://; nil for none

	// OnSnapshot is called with the database as it is backed up, before anything is copied; may be nil.
	OnSnapshot func(*sqldb.Snapshot) error
}

// Result is a backup that was made.
type Result struct {
	Path     string
	Manifest Manifest
}

// lockTime is how long a backup waits for a command that has the data open, and for files that are being removed.
const lockTime = 5 * time.Second

func (in *Installation) isPostgres() bool { return in.DatabaseURL != "" }

func (in *Installation) databaseFile() string { return in.inData(databaseName) }

// database returns what to open.
func (in *Installation) database() sqldb.Config {
	c := sqldb.Config{URL: in.DatabaseURL, Logger: in.Logger, Program: in.Program}
	if !in.isPostgres() {
		c.URL = in.databaseFile()
	}
	return c
}

// Write makes a backup, while a server runs or without one: in a folder, as a folder of its own or as an archive, or
// as an archive in a bucket. Its name says when it was made.
func (in *Installation) Write(ctx context.Context, to string, asArchive bool) (*Result, error) {
	if IsBucket(to) {
		return in.writeToBucket(ctx, to)
	}
	return in.writeToFolder(ctx, to, asArchive)
}

func (in *Installation) writeToFolder(ctx context.Context, folder string, asArchive bool) (_ *Result, err error) {
	release, err := in.prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	w, err := newWriter(folder, asArchive, Manifest{Format: format, Program: in.Program, CreatedAt: in.Now().UTC(),
		Files: []File{}})
	if err != nil {
		return nil, err
	}
	uploads, err := in.writeDatabase(ctx, w)
	if err == nil {
		err = in.writeUploads(ctx, w, uploads)
	}
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		return nil, errors.Join(err, w.remove())
	}
	return &Result{Path: w.path, Manifest: w.manifest}, nil
}

// prepare keeps uploaded files from being removed, and opens a SQLite database that no server has open, which puts its
// log in order. What it has done ends with release.
func (in *Installation) prepare(ctx context.Context) (release func() error, err error) {
	if in.isPostgres() {
		return func() error { return nil }, nil
	}
	if err := datadir.CheckDatabase(in.databaseFile()); err != nil {
		return nil, err
	}
	if _, err := os.Stat(in.databaseFile()); err != nil {
		return nil, fmt.Errorf("there is no database to back up: %w; --data or PARLEY_DATA names the data directory", err)
	}
	hold, err := datadir.HoldFiles(ctx, in.Data, lockTime)
	if err != nil {
		return nil, err
	}
	lock, err := datadir.TryLock(in.Data, "parley backup")
	if errors.Is(err, datadir.ErrLocked) { // a server has the database open, or another command
		return hold.Unlock, nil
	}
	if err != nil {
		return nil, errors.Join(err, hold.Unlock())
	}
	db, err := sqldb.Open(ctx, in.database())
	if err != nil {
		return nil, errors.Join(err, lock.Unlock(), hold.Unlock())
	}
	return func() error { return errors.Join(db.Close(), lock.Unlock(), hold.Unlock()) }, nil
}

// writeDatabase copies the database and returns the uploaded files that it names and that lie beside it.
func (in *Installation) writeDatabase(ctx context.Context, w *writer) (uploads []store.StoredFile, err error) {
	snapshot, err := sqldb.OpenSnapshot(ctx, in.database())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	schema, err := snapshot.Schema(ctx, store.Migrations())
	if err != nil {
		return nil, err
	}
	w.manifest.Database = snapshot.DB.Dialect().String()
	w.manifest.Schema, w.manifest.Reader = schema.Version, schema.Reader
	w.manifest.Needs = schema.ReaderProgram
	if in.isPostgres() { // its tables are put back into the schema that they come from, or a newer one
		w.manifest.Needs = schema.Program
	}
	if in.OnSnapshot != nil {
		if err := in.OnSnapshot(snapshot); err != nil {
			return nil, err
		}
	}
	if in.isPostgres() {
		return nil, writeTables(ctx, w, snapshot)
	}
	if err := snapshot.CopyFile(ctx, w.pathOf(databaseName)); err != nil {
		return nil, fmt.Errorf("copy the database: %w", err)
	}
	err = store.New(snapshot.DB).EachStoredFile(ctx, func(f store.StoredFile) { uploads = append(uploads, f) })
	if err != nil {
		return nil, err
	}
	return uploads, w.addMade(databaseName)
}

// ownTables are the tables that migrating writes.
var ownTables = []string{"goose_db_version", "migration_sums", "migration_readers"}

func writeTables(ctx context.Context, w *writer, snapshot *sqldb.Snapshot) error {
	tables, err := snapshot.Tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if slices.Contains(ownTables, t.Name) {
			continue
		}
		table := Table{Name: t.Name, Columns: t.Columns}
		if table.Rows, err = writeTable(ctx, w, snapshot, table); err != nil {
			return fmt.Errorf("copy the table %s: %w", t.Name, err)
		}
		w.manifest.Tables = append(w.manifest.Tables, table)
	}
	return nil
}

func writeTable(ctx context.Context, w *writer, snapshot *sqldb.Snapshot, t Table) (rows int64, err error) {
	to, err := w.create(t.fileName())
	if err != nil {
		return 0, err
	}
	rows, err = snapshot.CopyTable(ctx, t.columns(), to)
	if err := errors.Join(err, to.Close()); err != nil {
		return 0, err
	}
	return rows, w.addMade(t.fileName())
}

// writeUploads copies the uploaded files. One that is gone or damaged does not prevent the backup of all the others:
// the manifest says so, and the log.
func (in *Installation) writeUploads(ctx context.Context, w *writer, uploads []store.StoredFile) error {
	files := &ingest.Files{Dir: in.inData(filesFolder)}
	for _, f := range uploads {
		if err := ctx.Err(); err != nil {
			return err
		}
		path, onDisk := files.PathOf(f.Location)
		if !onDisk {
			continue
		}
		name := strings.Join([]string{filesFolder, f.Hash[:2], f.Hash}, "/")
		err := w.addUpload(name, path, f.Hash)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errChanged) {
			w.manifest.Missing = append(w.manifest.Missing, f.Hash)
			in.logger().Warn("an uploaded file is missing or damaged; the backup lacks it", "file", path, "err", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (in *Installation) logger() *slog.Logger {
	if in.Logger == nil {
		return slog.Default()
	}
	return in.Logger
}
