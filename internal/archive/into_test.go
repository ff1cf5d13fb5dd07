package archive_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/archive"
	"parley/internal/datadir"
	"parley/internal/helpdesk"
	"parley/internal/ingest"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
)

// slowReader takes nothing before it goes on.
type slowReader struct {
	got            bytes.Buffer
	hasBegun, goOn chan struct{}
	begin          sync.Once
}

func (r *slowReader) Write(part []byte) (int, error) {
	r.begin.Do(func() { close(r.hasBegun) })
	<-r.goOn
	return r.got.Write(part)
}

// However slowly somebody reads an export, the database and its files are free as soon as it is written.
func TestSlowReadersHoldNothing(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, "")
	in.seed(3, 600)
	_, want := in.export(account)
	reader := &slowReader{hasBegun: make(chan struct{}), goOn: make(chan struct{})}
	in.open(func(*store.DB) {
		ended := make(chan error, 1)
		go func() { ended <- in.ExportTo(t.Context(), account, reader) }()
		<-reader.hasBegun
		check.Must(t, datadir.Retry(t.Context(), time.Minute, func() (again bool, err error) {
			lock, err := datadir.LockFilesForRemoval(in.Data)
			if err != nil {
				return errors.Is(err, datadir.ErrLocked), err
			}
			return false, lock.Unlock()
		}))
		close(reader.goOn)
		check.Must(t, <-ended)
	})
	if !bytes.Equal(reader.got.Bytes(), want) {
		t.Errorf("%d bytes, and %d of an export to a file", reader.got.Len(), len(want))
	}
	if left, err := filepath.Glob(filepath.Join(in.Data, "blobs", "incoming", "*")); err != nil || len(left) != 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// goneReader is one whose connection is gone.
type goneReader struct{ err error }

func (r goneReader) Write([]byte) (int, error) { return 0, r.err }

// A reader that is gone ends an export, and an account that there is not is said before anything is written.
func TestReadersThatAreGone(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, "")
	in.seed(3, 600)
	in.open(func(*store.DB) {
		errGone := errors.New("gone")
		if err := in.ExportTo(t.Context(), account, goneReader{errGone}); !errors.Is(err, errGone) {
			t.Errorf("a reader that is gone: %v", err)
		}
		var nothing bytes.Buffer
		if err := in.ExportTo(t.Context(), "nobody", &nothing); !parley.IsCode(err, parley.CodeAccountNotFound) ||
			nothing.Len() != 0 {
			t.Errorf("exported nobody: %v, %d bytes", err, nothing.Len())
		}
	})
}

// While a server runs, an account comes into the database that it has open. One that was stopped at any step is not
// there before the next one has come to its end.
func TestImportWhileAServerRuns(t *testing.T) {
	t.Parallel()
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := newInstallation(t, ""), newInstallation(t, url(t))
			from.seed(3, 600)
			path, first := from.export(account)
			to.open(func(db *store.DB) {
				to.checkStoppedImports(db, path, archive.Options{Actor: "operator"})
				done, err := to.ImportInto(t.Context(), db, path, archive.Options{Actor: "operator"})
				check.Must(t, err)
				if done.Account != account {
					t.Error(done.Account)
				}
				_, err = to.ImportInto(t.Context(), db, path, archive.Options{Actor: "operator"})
				if !parley.IsCode(err, parley.CodeAlreadyExists) {
					t.Errorf("imported twice: %v", err)
				}
			})
			if _, second := to.export(account); !bytes.Equal(first, second) {
				t.Error("the account is another one")
			}
		})
	}
}

// checkStoppedImports ends an import at each of its steps, and fails if there is an account of it.
func (in *installation) checkStoppedImports(db *store.DB, path string, o archive.Options) {
	in.t.Helper()
	for _, at := range []string{"check", "check files", "import", "files"} {
		err := in.importUntil(db, path, o, func(step string, _ int64) bool { return step == at })
		if !errors.Is(err, context.Canceled) {
			in.t.Errorf("ended at %s: %v", at, err)
		}
		if list, err := db.OldestAccounts(in.t.Context(), 1); err != nil || len(list) != 0 {
			in.t.Errorf("ended at %s, it has left an account (%v)", at, err)
		}
	}
}

// importUntil imports an archive until its progress is as somebody says.
func (in *installation) importUntil(db *store.DB, path string, o archive.Options,
	isThere func(step string, done int64) bool) error {
	ctx, cancel := context.WithCancel(in.t.Context())
	defer cancel()
	into := *in.Installation
	into.OnProgress = func(step string, done, _ int64) {
		if isThere(step, done) {
			cancel()
		}
	}
	_, err := into.ImportInto(ctx, db, path, o)
	return err
}

func isHalfway(step string, done int64) bool { return step == "import" && done >= 500 }

// What an import has written that was stopped is taken back after a day, and not before.
func TestStoppedImportIsTakenBack(t *testing.T) {
	t.Parallel()
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := newInstallation(t, ""), newInstallation(t, url(t))
			from.seed(3, 600)
			path, _ := from.export(account)
			before := to.rowCounts()
			to.open(func(db *store.DB) {
				if err := to.importUntil(db, path, archive.Options{NewIDs: true}, isHalfway); !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				check.Must(t, archive.TakeOldImportsBack(t.Context(), db, to.Now()))
			})
			if to.rowCounts() == before {
				t.Error("it was taken back at once, or nothing was written")
			}
			to.open(func(db *store.DB) {
				check.Must(t, archive.TakeOldImportsBack(t.Context(), db, to.Now().Add(25*time.Hour)))
			})
			if after := to.rowCounts(); after != before || to.countUnfinished() != 0 {
				t.Errorf("a day later there is\n%s\ninstead of\n%s", after, before)
			}
		})
	}
}

// An import that goes on after a day is not taken back while it writes.
func TestImportThatGoesOnIsNotTakenBack(t *testing.T) {
	t.Parallel()
	from, to := newInstallation(t, ""), newInstallation(t, "")
	from.seed(3, 600)
	path, first := from.export(account)
	to.open(func(db *store.DB) {
		if err := to.importUntil(db, path, archive.Options{}, isHalfway); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		into, swept := *to.Installation, false
		into.Now = func() time.Time { return to.Now().Add(25 * time.Hour) }
		into.OnProgress = func(step string, done, _ int64) {
			if isHalfway(step, done) && !swept {
				swept = true
				check.Must(t, archive.TakeOldImportsBack(t.Context(), db, into.Now()))
			}
		}
		_, err := into.ImportInto(t.Context(), db, path, archive.Options{Actor: "operator"})
		check.Must(t, err)
	})
	if _, second := to.export(account); !bytes.Equal(first, second) {
		t.Error("the account is another one")
	}
}

// What a server removes now and then, because nothing names it, is nothing of an import that was stopped: files that
// visitors have not sent are there before their agent, and all files before the messages that name them.
func TestSweepsLeaveAnImportAlone(t *testing.T) {
	t.Parallel()
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := newInstallation(t, ""), newInstallation(t, url(t))
			from.seed(3, 600)
			from.open(func(db *store.DB) {
				_, err := db.SQL().Exec(t.Context(), `update source_versions set blob_id = null`)
				check.Must(t, err)
			})
			path, first := from.export(account)
			to.open(func(db *store.DB) {
				if err := to.importUntil(db, path, archive.Options{}, isHalfway); !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				to.sweepFiles(db)
				damaged, err := db.CountIncompleteBlobData(t.Context(), ingest.DataPrefix)
				if err != nil || damaged != 0 {
					t.Errorf("%d files are said to be damaged (%v)", damaged, err)
				}
				_, err = to.ImportInto(t.Context(), db, path, archive.Options{Actor: "operator"})
				check.Must(t, err)
			})
			if _, second := to.export(account); !bytes.Equal(first, second) {
				t.Error("the account is another one")
			}
		})
	}
}

// sweepFiles removes what a server removes now and then, and what nothing names of each agent of the account.
func (in *installation) sweepFiles(db *store.DB) {
	in.t.Helper()
	s := &seeder{in: in, rows: 3}
	files := &ingest.Service{DB: db, Now: in.Now, Files: s.files(), Logger: in.Logger}
	uploads := &helpdesk.Service{DB: db, Now: in.Now, Logger: in.Logger, DeleteUnusedFiles: files.RemoveUnusedFiles}
	check.Must(in.t, uploads.SweepUploads(in.t.Context()))
	check.Must(in.t, files.SweepFiles(in.t.Context()))
	for i := range s.rows {
		agent := parley.AgentID(s.rowID("agents", i))
		check.Must(in.t, files.RemoveUnusedFiles(in.t.Context(), account.AgentRef(agent)))
	}
}

// An import of another archive of the same account takes back what one that was stopped has left, and so does one for
// which somebody of the archive has come here meanwhile.
func TestStoppedImportOfOtherRows(t *testing.T) {
	t.Parallel()
	from, to := newInstallation(t, ""), newInstallation(t, "")
	from.seed(3, 600)
	old, _ := from.export(account)
	from.open(func(db *store.DB) {
		_, err := db.SQL().Exec(t.Context(), `update messages set model = 'another' where seq = 1`)
		check.Must(t, err)
	})
	path, first := from.export(account)
	to.open(func(db *store.DB) {
		for range 2 {
			if err := to.importUntil(db, old, archive.Options{}, isHalfway); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		_, err := to.ImportInto(t.Context(), db, path, archive.Options{Actor: "operator"})
		check.Must(t, err)
	})
	if _, second := to.export(account); !bytes.Equal(first, second) {
		t.Error("the account is another one")
	}
	if n := to.countUnfinished(); n != 0 {
		t.Errorf("%d imports are unfinished", n)
	}
	checkNewUserMeanwhile(t, path)
}

func checkNewUserMeanwhile(t *testing.T, path string) {
	t.Helper()
	to, known := newInstallation(t, ""), parley.UserID(parley.NewUUID())
	to.open(func(db *store.DB) {
		if err := to.importUntil(db, path, archive.Options{NewIDs: true}, isHalfway); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		_, err := db.SQL().Exec(t.Context(), `insert into users (id, email, name, created_at)
			values (?, 'kim-1@shop.example', 'Kim', 1)`, known)
		check.Must(t, err)
		_, err = to.ImportInto(t.Context(), db, path, archive.Options{NewIDs: true, Actor: "operator"})
		check.Must(t, err)
		for table, want := range map[string]int{"accounts": 1, "agents": 3, "conversations": 3, "messages": 603, "users": 3} {
			n, err := sqldb.One(t.Context(), db.SQL(), sqldb.Column[int], `select count(*) from `+table)
			if err != nil || n != want {
				t.Errorf("%d rows in %s, want %d (%v)", n, table, want, err)
			}
		}
		n, err := sqldb.One(t.Context(), db.SQL(), sqldb.Column[int], `select count(*) from messages where author_id = ?`,
			known)
		if err != nil || n == 0 {
			t.Errorf("nothing was written by whoever came meanwhile (%v)", err)
		}
	})
}

// Of two imports of one archive the later one goes on and comes to its end, and the earlier one takes nothing away.
func TestImportTwiceAtOnce(t *testing.T) {
	t.Parallel()
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := newInstallation(t, ""), newInstallation(t, url(t))
			from.seed(3, 600)
			path, first := from.export(account)
			to.open(func(db *store.DB) {
				into, began := *to.Installation, false
				into.OnProgress = func(step string, done, _ int64) {
					if began || !isHalfway(step, done) {
						return
					}
					began = true
					_, err := to.ImportInto(t.Context(), db, path, archive.Options{Actor: "operator"})
					check.Must(t, err)
				}
				_, err := into.ImportInto(t.Context(), db, path, archive.Options{Actor: "operator"})
				if !began || !parley.IsCode(err, parley.CodeTooManyRequests) {
					t.Errorf("the earlier import: %v", err)
				}
			})
			if _, second := to.export(account); !bytes.Equal(first, second) {
				t.Error("the account is another one")
			}
		})
	}
}

// While an import is under way, others of the server write.
func TestOthersWriteDuringAnImport(t *testing.T) {
	t.Parallel()
	from, to := newInstallation(t, ""), newInstallation(t, "")
	from.seed(3, 1500)
	path, _ := from.export(account)
	to.open(func(db *store.DB) {
		into, writes := *to.Installation, 0
		into.OnProgress = func(step string, _, _ int64) {
			if step != "import" || writes == 3 {
				return
			}
			_, err := db.SQL().Exec(t.Context(), `insert into users (id, email, name, created_at)
				values (?, ?, 'Kim', 1)`, parley.NewUUID(), parley.NewUUID()+"@shop.example")
			check.Must(t, err)
			writes++
		}
		_, err := into.ImportInto(t.Context(), db, path, archive.Options{Actor: "operator"})
		check.Must(t, err)
		if writes != 3 {
			t.Errorf("others have written %d times", writes)
		}
	})
}

// Whoever imports an archive becomes an owner of its account, whether it names them or not.
func TestWhoeverImportsIsAnOwner(t *testing.T) {
	t.Parallel()
	from, to := newInstallation(t, ""), newInstallation(t, "")
	from.seed(3, 0)
	path, _ := from.export(account)
	to.open(func(db *store.DB) {
		owner := parley.UserID(parley.NewUUID())
		_, err := db.SQL().Exec(t.Context(), `insert into users (id, email, name, created_at)
			values (?, 'owner@shop.example', 'Kim', 1)`, owner)
		check.Must(t, err)
		done, err := to.ImportInto(t.Context(), db, path, archive.Options{Actor: "user:" + string(owner), Owner: owner})
		check.Must(t, err)
		m, err := db.Member(t.Context(), done.Account, owner, parley.CodeNotFound)
		if err != nil || m.Role != parley.RoleOwner {
			t.Errorf("%v %+v", err, m)
		}
	})
}

// What is said of a file that is no archive names neither where it lies nor anything within the server.
func TestRefusalsAreClear(t *testing.T) {
	t.Parallel()
	original := newParts(t)
	r := newRefusals(t)
	newer := maps.Clone(original)
	newer.setManifest(t, func(m *archive.Manifest) { m.Schema, m.Program = 9999, "9.0" })
	for path, want := range map[string]string{
		newer.writeAsIs(t): "Nothing was imported. The archive was made by Parley 9.0, which is newer than this program",
		writeBytes(t, []byte("hello")): "Nothing was imported. The file is no archive of Parley, or it was cut or damaged: " +
			"zip: not a valid zip file.",
	} {
		_, err := r.in.importFrom(path, archive.Options{})
		var known *parley.Error
		if !errors.As(err, &known) || known.Code != parley.CodeInvalidBody || !strings.HasPrefix(known.Message, want) ||
			strings.Contains(known.Message, filepath.Dir(path)) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	r.requireUnchanged("what is no archive")
}

func writeBytes(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.zip")
	check.Must(t, os.WriteFile(path, text, 0o600))
	return path
}
