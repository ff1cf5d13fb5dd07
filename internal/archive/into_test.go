package archive_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/archive"
	"parley/internal/datadir"
	"parley/internal/store"
	"parley/internal/testkit/check"
)

// While a server runs, an account comes into the database that it has open, with the owner who has asked for it. One
// that is cut short, or is refused, leaves no row.
func TestImportWhileAServerRuns(t *testing.T) {
	t.Parallel()
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := newInstallation(t, ""), newInstallation(t, url(t))
			from.seed(3, 600)
			path, first := from.export(account)
			before := to.rowCounts()
			to.open(func(db *store.DB) {
				if to.DatabaseURL == "" {
					lock, err := datadir.TryLock(to.Data, "parley serve")
					check.Must(t, err)
					defer func() { check.Must(t, lock.Unlock()) }()
				}
				to.checkCutImport(db, path)
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
			if to.rowCounts() == before {
				t.Error("nothing was imported")
			}
			if _, second := to.export(account); !bytes.Equal(first, second) {
				t.Error("the account is another one")
			}
		})
	}
}

// checkCutImport ends an import at each of its steps, and fails if there is anything of it.
func (in *installation) checkCutImport(db *store.DB, path string) {
	in.t.Helper()
	for _, at := range []string{"check", "check files", "import", "files"} {
		ctx, cancel := context.WithCancel(in.t.Context())
		into := *in.Installation
		into.OnProgress = func(step string, _, _ int64) {
			if step == at {
				cancel()
			}
		}
		_, err := into.ImportInto(ctx, db, path, archive.Options{Actor: "operator"})
		cancel()
		if !errors.Is(err, context.Canceled) {
			in.t.Errorf("ended at %s: %v", at, err)
		}
		if list, err := db.OldestAccounts(in.t.Context(), 1); err != nil || len(list) != 0 {
			in.t.Errorf("ended at %s, it has left an account (%v)", at, err)
		}
	}
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
	newer := make(parts)
	for name, text := range original {
		newer[name] = text
	}
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
