package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/datadir"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Restored says what a restore has done.
type Restored struct {
	Path     string // of the backup
	Manifest Manifest
	Replaced string   // the folder that the data from before were moved to; empty if there were none
	LeftOut  []string // tables of the backup that are not Parley's
}

func (in *Installation) inData(name string) string { return filepath.Join(in.Data, name) }

// restoring begins the name of the folder that a restore prepares the data in.
const restoring = ".restore-"

// Restore puts a backup back into an installation that has no data, while no server runs. It checks every checksum
// before it changes anything. With replace, data in a data directory are moved aside first; a PostgreSQL database must
// be empty.
func (in *Installation) Restore(ctx context.Context, from string, replace bool) (_ *Restored, err error) {
	isNew, err := in.makeData(from)
	if err != nil {
		return nil, err
	}
	defer func() {
		if isNew && err != nil {
			err = errors.Join(err, in.removeNewData())
		}
	}()
	lock, err := datadir.TryLock(in.Data, "parley restore")
	if err != nil {
		if errors.Is(err, datadir.ErrLocked) {
			err = fmt.Errorf("%w; stop that first (%s)", err, in.Data)
		}
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	staging, err := os.MkdirTemp(in.Data, restoring)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staging)) }()
	r := &restore{Installation: in, staging: staging, replace: replace}
	if err := r.open(ctx, from); err != nil {
		return nil, err
	}
	if in.isPostgres() {
		err = r.restoreTables(ctx)
	} else {
		err = r.restoreFiles(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &Restored{Path: from, Manifest: *r.manifest, Replaced: r.replaced, LeftOut: r.leftOut}, nil
}

// makeData makes the data directory, and reports whether it was not there. It fails for a backup that is not there: a
// mistyped command makes no directory.
func (in *Installation) makeData(from string) (isNew bool, err error) {
	if !IsBucket(from) {
		if _, err := os.Stat(from); err != nil {
			return false, fmt.Errorf("%w; name the folder or the file of a backup", err)
		}
	}
	_, err = os.Stat(in.Data)
	isNew = errors.Is(err, fs.ErrNotExist)
	return isNew, os.MkdirAll(in.Data, 0o700)
}

// removeNewData removes a data directory that a restore has made before it failed. One with anything in it but the file
// of the lock stays.
func (in *Installation) removeNewData() error {
	entries, err := os.ReadDir(in.Data)
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() != datadir.LockFile }) {
		return err
	}
	return os.RemoveAll(in.Data)
}

// restore is one restore.
type restore struct {
	*Installation
	staging  string // a folder in the data directory, which is removed at the end
	replace  bool
	dir      string // where the files of the backup are
	manifest *Manifest
	replaced string
	leftOut  []string
}

// open reads a backup, checks it, and compares it with the installation.
func (r *restore) open(ctx context.Context, from string) (err error) {
	if r.dir, err = r.unpack(ctx, from); err != nil {
		return err
	}
	if r.manifest, err = readManifest(r.dir); errors.Is(err, fs.ErrNotExist) {
		return r.noBackup(ctx, from)
	}
	if err != nil {
		return err
	}
	return r.compare()
}

// unpack returns the folder in which the files of a backup are.
func (r *restore) unpack(ctx context.Context, from string) (dir string, err error) {
	switch info, err := os.Stat(from); {
	case IsBucket(from) && !strings.HasSuffix(from, archiveSuffix):
		return "", r.noBackup(ctx, from)
	case IsBucket(from):
	case err != nil:
		return "", err
	case info.IsDir():
		return from, nil
	}
	archive, err := r.openBackup(ctx, from)
	if err != nil {
		return "", err
	}
	defer func() { _ = archive.Close() }() // it was only read
	dir = filepath.Join(r.staging, "archive")
	if err := extract(archive, dir); err != nil {
		return "", fmt.Errorf("%s is no backup of Parley, or it is damaged: %w", from, err)
	}
	return dir, nil
}

// compare compares the backup with the installation and with its own checksums.
func (r *restore) compare() error {
	want := sqldb.SQLite
	if r.isPostgres() {
		want = sqldb.Postgres
	}
	if r.manifest.Database != want.String() {
		return fmt.Errorf("the backup is of a database of the kind %s, and this installation has one of the kind %s: "+
			"PARLEY_DATABASE_URL decides which", r.manifest.Database, want)
	}
	newest, err := sqldb.NewestVersion(store.Migrations())
	isNewer := r.manifest.Schema > newest && (r.isPostgres() || r.manifest.Reader > newest)
	if err == nil && isNewer {
		err = fmt.Errorf("the backup is of a database at version %d, and this program knows %d: it belongs to a newer "+
			"program. %s", r.manifest.Schema, newest, r.manifest.advice())
	}
	if err != nil {
		return err
	}
	return r.manifest.check(r.dir)
}

// noBackup says that a folder is no backup, and which are in it.
func (r *restore) noBackup(ctx context.Context, folder string) error {
	list, err := r.List(ctx, folder)
	if IsBucket(folder) && err != nil {
		return err
	}
	if err != nil || len(list) == 0 {
		return fmt.Errorf("%s is no backup of Parley: it has no %s", folder, manifestName)
	}
	return fmt.Errorf("%s is a folder of backups; name one of them, such as the newest: %s", folder,
		list[len(list)-1].Path)
}

// extract unpacks an archive into a folder.
func extract(archive io.Reader, dir string) error {
	zipped, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	for in := tar.NewReader(zipped); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(header.Name)
		if header.Typeflag != tar.TypeReg || !filepath.IsLocal(name) {
			return fmt.Errorf("it holds %q, which is no file of a backup", header.Name)
		}
		if err := writeFile(filepath.Join(dir, name), in); err != nil {
			return err
		}
	}
}

// writeFile writes a new file with its folders, and returns when it is on disk.
func writeFile(path string, from io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from) //nolint:gosec // a backup of the operator's may be as large as it is
	return errors.Join(err, to.Sync(), to.Close())
}

// restoreFiles puts the database and the uploaded files in their places. The database comes last: a server does not
// start on files without one.
func (r *restore) restoreFiles(ctx context.Context) error {
	present, err := r.presentData()
	if err != nil {
		return err
	}
	if len(present) > 0 && !r.replace {
		return fmt.Errorf("%s is not empty: it holds %s. Name another folder with --data, or give --replace, which moves "+
			"what is there aside", r.Data, strings.Join(present, ", "))
	}
	prepared := filepath.Join(r.staging, "data")
	if err := r.prepareFiles(ctx, prepared); err != nil {
		return err
	}
	if err := r.moveAside(present); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(prepared, filesFolder)); err == nil {
		if err := os.Rename(filepath.Join(prepared, filesFolder), r.inData(filesFolder)); err != nil {
			return err
		}
	}
	if err := os.Rename(filepath.Join(prepared, databaseName), r.databaseFile()); err != nil {
		return err
	}
	return syncPath(r.Data)
}

// prepareFiles makes the files of the new data directory and checks the database.
func (r *restore) prepareFiles(ctx context.Context, to string) error {
	place := copyFile
	if strings.HasPrefix(r.dir, r.staging) {
		place = moveFile
	}
	for _, f := range r.manifest.Files {
		name := filepath.FromSlash(f.Name)
		if err := place(filepath.Join(r.dir, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	if err := checkRestored(ctx, filepath.Join(to, databaseName)); err != nil {
		return err
	}
	return giveToOwner(r.Data, to)
}

func copyFile(from, to string) error {
	file, err := os.Open(from) //nolint:gosec // a file of the backup
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	return writeFile(to, file)
}

func moveFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// checkRestored checks that a database is whole.
func checkRestored(ctx context.Context, file string) error {
	snapshot, err := sqldb.OpenSnapshot(ctx, sqldb.Config{URL: file})
	if err != nil {
		return err
	}
	damages, err := snapshot.Damages(ctx, false)
	if len(damages) > 0 {
		err = errors.Join(err, fmt.Errorf("the database of the backup is damaged: %s", damages[0]))
	}
	return errors.Join(err, snapshot.Close())
}

// giveToOwner makes the user that owns the data directory the owner of files which the administrator restores.
func giveToOwner(data, dir string) error {
	info, err := os.Stat(data)
	if err != nil {
		return err
	}
	owner, known := datadir.OwnerID(info)
	if !known || os.Geteuid() != 0 || owner == 0 {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, owner, -1))
	})
}

// harmless are names in a data directory that hold no data.
var harmless = []string{datadir.LockFile, "admin.sock", "lost+found", "files.lock"}

// presentData lists what is in the data directory.
func (r *restore) presentData() (names []string, err error) {
	entries, err := os.ReadDir(r.Data)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		isTemporary := slices.ContainsFunc([]string{restoring, stagingPrefix, replacedPrefix},
			func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if !slices.Contains(harmless, name) && !isTemporary {
			names = append(names, name)
		}
	}
	return names, nil
}

const replacedPrefix = "replaced-"

// moveAside moves what is in the data directory into a folder of its own there.
func (r *restore) moveAside(present []string) error {
	if len(present) == 0 {
		return nil
	}
	r.replaced = r.inData(replacedPrefix + r.Now().UTC().Format(timeLayout))
	if err := os.Mkdir(r.replaced, 0o700); err != nil {
		return err
	}
	for _, name := range present {
		if err := os.Rename(r.inData(name), filepath.Join(r.replaced, name)); err != nil {
			return err
		}
	}
	return nil
}

// restoreTables fills an empty PostgreSQL database.
func (r *restore) restoreTables(ctx context.Context) error {
	if err := r.checkEmpty(ctx); err != nil {
		return err
	}
	if err := store.MigrateTo(ctx, r.database(), r.manifest.Schema); err != nil {
		return err
	}
	known, err := r.listTables(ctx)
	if err != nil {
		return err
	}
	var loads []sqldb.TableLoad
	for _, t := range r.manifest.Tables {
		if !slices.Contains(known, t.Name) {
			r.leftOut = append(r.leftOut, t.Name)
			continue
		}
		loads = append(loads, sqldb.TableLoad{Table: t.columns(), Rows: t.Rows, Open: func() (io.ReadCloser, error) {
			return os.Open(filepath.Join(r.dir, filepath.FromSlash(t.fileName())))
		}})
	}
	return sqldb.LoadTables(ctx, r.database(), loads)
}

// listTables lists the names of the tables that there are.
func (r *restore) listTables(ctx context.Context) (names []string, err error) {
	snapshot, err := sqldb.OpenSnapshot(ctx, r.database())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	tables, err := snapshot.Tables(ctx)
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names, err
}

// checkEmpty fails unless the database holds no account, and no other schema than the backup's.
func (r *restore) checkEmpty(ctx context.Context) (err error) {
	snapshot, err := sqldb.OpenSnapshot(ctx, r.database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	tables, err := snapshot.Tables(ctx)
	if err != nil || len(tables) == 0 {
		return err
	}
	schema, err := snapshot.Schema(ctx, store.Migrations())
	if err != nil {
		return err
	}
	isOwn := schema.Version == r.manifest.Schema
	if isOwn {
		accounts, err := store.New(snapshot.DB).OldestAccounts(ctx, 1)
		if err != nil || len(accounts) == 0 {
			return err
		}
	}
	return errors.New("the database is not empty, and nothing was restored: create another one and name it in " +
		"PARLEY_DATABASE_URL")
}
