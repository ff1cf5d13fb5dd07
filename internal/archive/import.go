package archive

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"parley"
	"parley/internal/datadir"
	"parley/internal/ingest"
	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// lockTime is how long to wait for a command that has the data open, and for files that are being removed.
const lockTime = 5 * time.Second

// Options say how an account is imported.
type Options struct {
	NewIDs bool   // give everything new ids, so that the account may be there twice
	Actor  string // who imports it, for the audit chain

	// Owner becomes an owner of the account, whatever they are in the archive; empty for nobody.
	Owner parley.UserID
}

// Imported says what an import has done.
type Imported struct {
	Account  parley.AccountID // its id in this installation
	Plan     string           // its plan, which the installation may not have
	Manifest Manifest
}

// Import reads an account from a file. It checks all of the archive, and that no id of it is taken, before it writes
// anything. Rows are then written in steps, and those of the account and its agents in the last one, so that until then
// nobody finds any of them. An import that was killed or stopped is gone on with by the next one of the same archive;
// one that fails takes back what it has written. On SQLite no server may run meanwhile.
func (in *Installation) Import(ctx context.Context, path string, o Options) (_ *Imported, err error) {
	f, err := openFile(path)
	if err != nil {
		return nil, notImported(err)
	}
	defer func() { err = errors.Join(err, f.close()) }()
	release, err := in.prepareImport(f)
	if err != nil {
		return nil, notImported(err)
	}
	defer func() { err = errors.Join(err, release()) }()
	db, err := store.Open(ctx, in.database())
	if err != nil {
		return nil, notImported(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return newImporter(in, db, f, o).run(ctx)
}

// ImportInto is Import into a database that this process has open, while it serves: others write between the steps.
// Files that a failed one has put into the folder are left to the server's sweep: somebody may be uploading equal ones.
func (in *Installation) ImportInto(ctx context.Context, db *store.DB, path string, o Options) (_ *Imported, err error) {
	f, err := openFile(path)
	if err != nil {
		return nil, notImported(err)
	}
	defer func() { err = errors.Join(err, f.close()) }()
	if !in.isPostgres() {
		hold, err := datadir.HoldFiles(ctx, in.Data, lockTime)
		if err == nil {
			defer func() { _ = hold.Unlock() }()
			err = in.checkSpace(f)
		}
		if err != nil {
			return nil, notImported(err)
		}
	}
	im := newImporter(in, db, f, o)
	im.leavesFiles = true
	return im.run(ctx)
}

// run checks the archive and writes it.
func (im *importer) run(ctx context.Context) (*Imported, error) {
	if err := im.findUnfinished(ctx); err != nil {
		return nil, notImported(err)
	}
	if err := im.check(ctx); err != nil {
		return nil, notImported(err)
	}
	if err := im.write(ctx); err != nil {
		return nil, im.abort(ctx, err)
	}
	return &Imported{Account: im.insert.Account, Plan: im.plan, Manifest: *im.f.manifest}, nil
}

// NothingImported begins the message of an import that has left nothing.
const NothingImported = "Nothing was imported"

// notImported says that an import has left nothing, and why.
func notImported(err error) error {
	var known *parley.Error
	if !errors.As(err, &known) {
		return fmt.Errorf("nothing was imported: %w", err)
	}
	e := *known
	e.Message = NothingImported + ". " + known.Message
	if errors.Is(err, sqldb.ErrFull) {
		e.Message = NothingImported + ": the disk or the database is full."
	}
	return &e
}

// prepareImport makes sure that there is space and that nobody else has the database open.
func (in *Installation) prepareImport(f *file) (release func() error, err error) {
	if in.isPostgres() {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(in.Data, 0o700); err != nil {
		return nil, err
	}
	if err := in.checkSpace(f); err != nil {
		return nil, err
	}
	if err := datadir.CheckDatabase(in.inData(databaseName)); err != nil {
		return nil, err
	}
	lock, err := datadir.TryLock(in.Data, "parley archive import")
	if errors.Is(err, datadir.ErrLocked) {
		err = fmt.Errorf("%w; stop that first (%s)", err, in.Data)
	}
	if err != nil {
		return nil, err
	}
	return lock.Unlock, nil
}

// checkSpace refuses an archive that does not fit on the disk of the data directory: rows with their indexes take twice
// the space of records, and so does the log in which they are written.
func (in *Installation) checkSpace(f *file) error {
	records, files := f.bytes()
	free, all := datadir.DiskSpace(in.Data)
	if needed := 4*records + files; all > 0 && needed > free {
		e := parley.WrapError(parley.CodeUnderMaintenance, syscall.ENOSPC)
		e.Message = fmt.Sprintf("The archive needs %d MB in the data directory, where %d MB are free.", needed>>20, free>>20)
		return e
	}
	return nil
}

// importer is one import.
type importer struct {
	in       *Installation
	db       *store.DB
	f        *file
	o        Options
	ids      idMap
	insert   store.ArchiveInsert
	plan     string           // of the account
	known    map[string]bool  // ids of users in the archive that the installation has already
	agents   map[string]bool  // ids of agents in the archive
	agentIDs []parley.AgentID // of this installation, in the order of the archive
	used     map[string]bool  // hashes of files that rows name
	rules    *rules           // that rows must hold to
	rows     int64            // of this pass
	state    store.ArchiveImport

	leavesFiles bool // in the folder, of an import that fails, to whoever sweeps
}

func newImporter(in *Installation, db *store.DB, f *file, o Options) *importer {
	im := &importer{in: in, db: db, f: f, o: o, known: map[string]bool{}, agents: map[string]bool{},
		used: map[string]bool{}, rules: newRules(in.CheckAction), ids: idMap{users: map[string]string{}}}
	im.insert = store.ArchiveInsert{Now: in.Now(), PlaceOf: in.files().PlaceOf,
		NewSecret: func() string { return hex.EncodeToString(randomBytes()) }}
	return im
}

func randomBytes() []byte {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	return b[:]
}

// check reads all of the archive and compares it with the installation. It writes nothing.
func (im *importer) check(ctx context.Context) error {
	for _, t := range store.ArchiveTables() {
		check := im.newTableCheck(ctx, t)
		err := im.f.eachRow(t, func(row []any) error {
			im.countRow("check")
			return errors.Join(check.row(row), ctx.Err())
		})
		if err == nil {
			err = check.finish()
		}
		if err != nil {
			return err
		}
	}
	return im.checkFiles(ctx)
}

func (im *importer) countRow(step string) {
	im.rows++
	im.in.progress(step, im.rows, im.f.manifest.Rows())
}

func (im *importer) checkFiles(ctx context.Context) error {
	done := int64(0)
	for hash, z := range im.f.files {
		if !im.used[hash] {
			return damaged(fmt.Errorf("nothing names the file %s", z.Name))
		}
		if err := checkFile(hash, z); err != nil {
			return damaged(err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		done++
		im.in.progress("check files", done, int64(len(im.f.files)))
	}
	for hash := range im.used {
		if im.f.files[hash] == nil && !slices.Contains(im.f.manifest.Missing, hash) {
			return damaged(fmt.Errorf("it lacks the file %s", hash))
		}
	}
	return nil
}

// writeLast writes the rows that make all others visible, what follows from them, and that the import is over.
func (im *importer) writeLast(ctx context.Context) error {
	before := im.rows
	return im.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		im.rows = before
		if err := tx.EndImport(ctx, &im.state); err != nil {
			return err
		}
		for _, t := range store.ArchiveTables() {
			if t.IsWrittenAhead() {
				continue
			}
			if err := im.writeTable(ctx, tx, t); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return im.finish(ctx, tx)
	})
}

func (im *importer) writeTable(ctx context.Context, tx *store.DB, t *store.ArchiveTable) error {
	rows := make([][]any, 0, store.MaxArchiveRows)
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		err := im.insert.Insert(ctx, tx, t, rows)
		rows = rows[:0]
		return err
	}
	err := im.f.eachRow(t, func(row []any) error {
		im.countRow("import")
		if t.Name == "users" && im.known[row[0].(string)] {
			return nil
		}
		if err := im.ids.apply(t, row); err != nil {
			return err
		}
		if rows = append(rows, row); len(rows) < store.MaxArchiveRows {
			return nil
		}
		return errors.Join(flush(), ctx.Err())
	})
	if err == nil {
		err = flush()
	}
	return writeError(t, err)
}

// referenceError says in which line of the archive a row names another one that is not there.
func (im *importer) referenceError(err error) error {
	e, ok := errors.AsType[*store.ArchiveReferenceError](err)
	if !ok {
		return err
	}
	column, named := e.Table.ColumnIndex(e.Column.Name), e.ID
	place := im.placeOf(e.Table, func(row []any) bool {
		id, _ := row[column].(string)
		isIt := id != "" && im.ids.inColumn(e.Column, id) == e.ID
		if isIt {
			named = id
		}
		return isIt
	})
	return damaged(fmt.Errorf("%s: %s", place, e.Explain(named)))
}

// checkCounters fails if a conversation would give the number of a message once more.
func (im *importer) checkCounters(ctx context.Context) error {
	id, err := im.db.FindConversationBehind(ctx, im.state.Account, im.agentIDs)
	if err != nil || id == "" {
		return err
	}
	t := store.FindArchiveTable("conversations")
	column := t.ColumnIndex("id")
	place := im.placeOf(t, func(row []any) bool { return im.ids.of(row[column].(string)) == id })
	return damaged(fmt.Errorf("%s: last_seq: a message of the conversation has a higher number", place))
}

// placeOf returns the place of a row in the archive.
func (im *importer) placeOf(t *store.ArchiveTable, isIt func(row []any) bool) string {
	line := 0
	err := im.f.eachRow(t, func(row []any) error {
		if line++; isIt(row) {
			return errFound
		}
		return nil
	})
	if !errors.Is(err, errFound) {
		return recordsName(t.Name)
	}
	return fmt.Sprintf("%s, line %d", recordsName(t.Name), line)
}

var errFound = errors.New("archive: the row is found")

// writeError says which table could not be written.
func writeError(t *store.ArchiveTable, err error) error {
	switch {
	case sqldb.IsDuplicate(err):
		return damaged(fmt.Errorf("%s has rows that exclude each other", recordsName(t.Name)))
	case err != nil:
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return nil
}

// finish checks what was written, leaves jobs for what an archive does not hold, and records the import.
func (im *importer) finish(ctx context.Context, tx *store.DB) error {
	account := im.insert.Account
	if err := tx.CheckArchiveReferences(ctx, account, im.agentIDs, false); err != nil {
		return im.referenceError(err)
	}
	if err := tx.ReadArchiveRows(ctx, account, im.agentIDs, false); err != nil {
		return damaged(err)
	}
	if err := tx.FinishArchive(ctx, account); err != nil {
		return err
	}
	if err := (&search.Indexer{DB: tx, Now: im.in.Now}).Rebuild(ctx, account); err != nil {
		return err
	}
	queue := &jobs.Queue{Now: im.in.Now}
	sources := &ingest.Service{DB: tx, Queue: queue, Now: im.in.Now}
	if err := sources.EnqueueImported(ctx, tx, account, im.agentIDs); err != nil {
		return err
	}
	if err := insight.EnqueueImported(ctx, tx, queue, account, im.insert.Now); err != nil {
		return err
	}
	if im.o.Owner != "" {
		if err := tx.MakeOwner(ctx, account, im.o.Owner, im.insert.Now); err != nil {
			return err
		}
	}
	return tx.NoteArchive(ctx, account, im.insert.Now, im.o.Actor, store.AccountImported, im.details())
}

func (im *importer) details() map[string]any {
	m := im.f.manifest
	return map[string]any{"from": m.Account, "program": m.Program, "rows": m.Rows(), "files": m.Files,
		"newIds": im.o.NewIDs}
}
