package archive_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/archive"
	"parley/internal/datadir"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

// databases has what an installation on each database is opened with.
var databases = map[string]func(t *testing.T) string{
	"sqlite":   func(*testing.T) string { return "" },
	"postgres": func(t *testing.T) string { return dbs.SharedPostgres(t).NewStore(t) },
}

// What is exported, imported elsewhere and exported again is the same to the byte, on each database and across them,
// with rows in every table.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for from, fromURL := range databases {
		for to, toURL := range databases {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				checkRoundTrip(t, newInstallation(t, fromURL(t)), newInstallation(t, toURL(t)), 3, 0)
			})
		}
	}
}

func checkRoundTrip(t *testing.T, from, to *installation, rows, moreMessages int) {
	t.Helper()
	from.seed(rows, moreMessages)
	path, first := from.export(account)
	done, err := to.importFrom(path, archive.Options{})
	check.Must(t, err)
	for _, r := range done.Manifest.Records {
		if r.Rows == 0 {
			t.Errorf("the test has no rows in %s", r.Table)
		}
	}
	if done.Account != account || done.Manifest.Files != rows {
		t.Errorf("%s with %d files", done.Account, done.Manifest.Files)
	}
	if _, second := to.export(account); !bytes.Equal(first, second) {
		t.Errorf("exported %d bytes, and after the import %d others", len(first), len(second))
	}
}

func TestLongRoundTrip(t *testing.T) {
	if os.Getenv("PARLEY_LONG") != "1" {
		t.Skip("100,000 messages: only with PARLEY_LONG=1")
	}
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			checkRoundTrip(t, newInstallation(t, ""), newInstallation(t, url(t)), 20, 100_000)
		})
	}
}

// Where the account is there already nothing is imported, and with new ids all of it is, without an id of the old one
// but those of people.
func TestNewIDs(t *testing.T) {
	t.Parallel()
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := newInstallation(t, url(t))
			in.seed(3, 5)
			path, first := in.export(account)
			before := in.counts()
			if _, err := in.importFrom(path, archive.Options{}); !parley.IsCode(err, parley.CodeAlreadyExists) ||
				!strings.Contains(err.Error(), "--new-ids") {
				t.Errorf("imported twice: %v", err)
			}
			if after := in.counts(); after != before {
				t.Errorf("a refused import has left\n%s\ninstead of\n%s", after, before)
			}
			done, err := in.importFrom(path, archive.Options{NewIDs: true})
			check.Must(t, err)
			_, copied := in.export(done.Account)
			checkNoOldIDs(t, readParts(t, first), readParts(t, copied))
			if _, again := in.export(account); !bytes.Equal(first, again) {
				t.Error("the account that was there has changed")
			}
		})
	}
}

// checkNoOldIDs fails if a record of the copy has an id of the original, or fewer records.
func checkNoOldIDs(t *testing.T, original, copied map[string][]byte) {
	t.Helper()
	s := &seeder{rows: 3}
	for _, table := range store.ArchiveTables() {
		name := "records/" + table.Name + ".jsonl"
		if got, want := bytes.Count(copied[name], []byte("\n")), bytes.Count(original[name], []byte("\n")); got != want {
			t.Errorf("%s has %d lines instead of %d", name, got, want)
		}
		for i := range s.rows {
			id := s.rowID(table.Name, i)
			for part, text := range copied {
				if table.Name != "users" && strings.HasPrefix(part, "records/") && bytes.Contains(text, []byte(id)) {
					t.Errorf("%s has the id %s of %s", part, id, table.Name)
				}
			}
		}
	}
}

// readParts returns the files of an archive by their names.
func readParts(t testing.TB, text []byte) map[string][]byte {
	t.Helper()
	opened, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	check.Must(t, err)
	parts := map[string][]byte{}
	for _, f := range opened.File {
		from, err := f.Open()
		check.Must(t, err)
		parts[f.Name], err = io.ReadAll(from)
		check.Must(t, err)
	}
	return parts
}

// Somebody who is known by the same e-mail address under another id is that person with new ids; without, nothing is
// imported.
func TestKnownUsers(t *testing.T) {
	t.Parallel()
	from, to := newInstallation(t, ""), newInstallation(t, "")
	from.seed(3, 0)
	path, _ := from.export(account)
	known := parley.UserID(parley.NewUUID())
	to.open(func(db *store.DB) {
		_, err := db.SQL().Exec(t.Context(), `insert into users (id, email, name, password_hash, created_at)
			values (?, 'KIM-1@shop.example', 'Kim', 'hash', 1)`, known)
		check.Must(t, err)
	})
	if _, err := to.importFrom(path, archive.Options{}); !parley.IsCode(err, parley.CodeAlreadyExists) {
		t.Errorf("imported: %v", err)
	}
	done, err := to.importFrom(path, archive.Options{NewIDs: true})
	check.Must(t, err)
	to.open(func(db *store.DB) {
		members, err := db.MemberIDs(t.Context(), done.Account)
		check.Must(t, err)
		user, err := db.UserCredential(t.Context(), known)
		check.Must(t, err)
		if len(members) != 2 || members[0] != known && members[1] != known || user.PasswordHash != "hash" ||
			user.User.Name != "Kim" {
			t.Errorf("members %v, and %+v was changed", members, user)
		}
	})
}

// Nothing secret is in an archive, and an import makes new secrets.
func TestSecretsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	from, to := newInstallation(t, ""), newInstallation(t, "")
	from.seed(2, 0)
	const secret = "s3cret-marker"
	from.open(func(db *store.DB) {
		for _, statement := range []string{
			`update users set password_hash = '` + secret + `'`,
			`update agents set identity_secret = '` + secret + `', identity_secret_old = '` + secret + `'`,
			`update actions set secrets = '` + secret + `'`,
			`update webhooks set signing = '` + secret + `'`,
			`update model_servers set sealed_key = '` + secret + `'`,
			`update turns set trace = '` + secret + `'`,
		} {
			_, err := db.SQL().Exec(t.Context(), statement)
			check.Must(t, err)
		}
	})
	path, text := from.export(account)
	for name, part := range readParts(t, text) {
		if bytes.Contains(part, []byte(secret)) {
			t.Errorf("%s has a secret", name)
		}
	}
	_, err := to.importFrom(path, archive.Options{})
	check.Must(t, err)
	to.open(func(db *store.DB) {
		secrets, err := sqldb.All(t.Context(), db.SQL(), sqldb.Column[string], `select identity_secret from agents`)
		check.Must(t, err)
		if len(secrets) != 2 || len(secrets[0]) != 64 || secrets[0] == secrets[1] {
			t.Errorf("new secrets: %q", secrets)
		}
	})
}

// What is deleted or belongs to another account is not exported, and what names it does not name it any more.
func TestDeletedIsNotExported(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, "")
	in.seed(3, 0)
	s := &seeder{rows: 3}
	in.open(func(db *store.DB) {
		for statement, id := range map[string]string{
			`update agents set deleted_at = 1 where id = ?`:        s.rowID("agents", 0),
			`update conversations set deleted_at = 1 where id = ?`: s.rowID("conversations", 1),
			`delete from tickets where id = ?`:                     s.rowID("tickets", 1),
		} {
			_, err := db.SQL().Exec(t.Context(), statement, id)
			check.Must(t, err)
		}
	})
	path, text := in.export(account)
	for name, part := range readParts(t, text) {
		if bytes.Contains(part, []byte(s.rowID("agents", 0))) {
			t.Errorf("%s has the deleted agent", name)
		}
		if name == "records/messages.jsonl" && bytes.Count(part, []byte("\n")) != 1 {
			t.Errorf("messages: %s", part)
		}
	}
	to := newInstallation(t, "")
	_, err := to.importFrom(path, archive.Options{})
	check.Must(t, err)
	if _, again := to.export(account); !bytes.Equal(text, again) {
		t.Error("the archive of what is left is another one after the import")
	}
}

// An archive that an earlier version has made, which knew neither some tables nor some columns, is imported.
func TestOlderArchive(t *testing.T) {
	t.Parallel()
	older, in := newParts(t), newInstallation(t, "")
	isNewer := func(r archive.Records) bool {
		return strings.HasPrefix(r.Table, "saved_") || r.Table == "read_marks" || strings.HasPrefix(r.Table, "move_in")
	}
	older.setManifest(t, func(m *archive.Manifest) {
		m.Schema, m.Records = 50, slices.DeleteFunc(m.Records, isNewer)
	})
	delete(older, "records/saved_replies.jsonl")
	delete(older, "records/saved_views.jsonl")
	delete(older, "records/read_marks.jsonl")
	for _, table := range []string{"move_in_deletions", "move_ins", "move_in_agents", "move_in_items"} {
		delete(older, "records/"+table+".jsonl")
	}
	name := "records/conversations.jsonl"
	older[name] = regexp.MustCompile(`"waiting_since":\d+,`).ReplaceAll(older[name], nil)
	if bytes.Contains(older[name], []byte("waiting_since")) {
		t.Fatal("the archive is as a new one")
	}
	name = "records/tickets.jsonl"
	newer := regexp.MustCompile(`,"(worked_ms|running_since|replied_at|\w+_due|\w*breached_at|due_at|breach_at)":\d+`)
	older[name] = newer.ReplaceAll(older[name], nil)
	if bytes.Contains(older[name], []byte("due")) {
		t.Fatal("the tickets are as new ones")
	}
	done, err := in.importFrom(older.write(t), archive.Options{})
	check.Must(t, err)
	if n := done.Manifest.RowsOf("conversations"); n != 2 {
		t.Errorf("%d conversations", n)
	}
}

// A file that is gone does not prevent an export, which says so.
func TestMissingFile(t *testing.T) {
	t.Parallel()
	from, to := newInstallation(t, ""), newInstallation(t, "")
	from.seed(3, 0)
	hash, _ := fileOf(1)
	check.Must(t, os.Remove(filepath.Join(from.Data, "blobs", hash[:2], hash)))
	path, text := from.export(account)
	done, err := to.importFrom(path, archive.Options{})
	check.Must(t, err)
	if m := done.Manifest; len(m.Missing) != 1 || m.Missing[0] != hash || m.Files != 2 {
		t.Errorf("missing %v, %d files", m.Missing, m.Files)
	}
	if _, again := to.export(account); !bytes.Equal(text, again) {
		t.Error("exported again, the archive is another one")
	}
}

// The import is in the audit log, and what an archive does not hold is made again.
func TestWorkAfterImport(t *testing.T) {
	t.Parallel()
	from, to := newInstallation(t, ""), newInstallation(t, "")
	from.seed(2, 0)
	s := &seeder{rows: 2}
	from.open(func(db *store.DB) {
		_, err := db.SQL().Exec(t.Context(), `update sources set status = 'updated' where id = ?`, s.rowID("sources", 1))
		check.Must(t, err)
	})
	path, _ := from.export(account)
	_, err := to.importFrom(path, archive.Options{})
	check.Must(t, err)
	to.open(func(db *store.DB) {
		acts, err := db.AuditEvents(t.Context(), account, 0, 10)
		check.Must(t, err)
		if len(acts) != 1 || acts[0].Action != store.AccountImported || acts[0].Actor != "operator" ||
			!strings.Contains(acts[0].Details, string(account)) {
			t.Errorf("audit: %+v", acts)
		}
		for place, want := range map[string]int{
			`jobs where account_id = ? and kind in ('source.train', 'source.file', 'source.crawl')`: 1,
			`jobs where account_id = ? and kind = 'account.embed'`:                                  1,
			`tickets k where account_id = ? and id in (select ticket_id from ticket_words)`:         2,
			`conversation_counts where account_id = ? and total = 1`:                                2,
			`search_accounts where account_id = ? and building = 1`:                                 1,
			`webhooks where account_id = ? and disabled_at is not null`:                             2,
		} {
			query := `select count(*) from ` + place
			if got, err := sqldb.One(t.Context(), db.SQL(), sqldb.Column[int], query, account); err != nil || got != want {
				t.Errorf("%s: %d, want %d (%v)", query, got, want, err)
			}
		}
	})
}

// An import below a server is refused, and an export is not.
func TestServerRuns(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, "")
	in.seed(2, 0)
	in.open(func(*store.DB) {
		lock, err := datadir.TryLock(in.Data, "parley serve")
		check.Must(t, err)
		path, _ := in.export(account)
		if _, err := in.importFrom(path, archive.Options{NewIDs: true}); err == nil ||
			!strings.Contains(err.Error(), "in use by parley serve") {
			t.Errorf("imported below a server: %v", err)
		}
		check.Must(t, lock.Unlock())
	})
}

// Nothing is overwritten, and a context that is done ends both.
func TestExportRefuses(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, "")
	in.seed(2, 0)
	path, _ := in.export(account)
	if _, err := in.Export(t.Context(), account, path); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("overwritten: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other.zip")
	if _, err := in.Export(t.Context(), "nobody", other); !parley.IsCode(err, parley.CodeAccountNotFound) {
		t.Errorf("exported nobody: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in.OnProgress = func(string, int64, int64) { cancel() }
	if _, err := in.Export(ctx, account, other); !errors.Is(err, context.Canceled) {
		t.Errorf("exported to the end: %v", err)
	}
	if left, _ := filepath.Glob(other + "*"); len(left) != 0 {
		t.Errorf("a canceled export has left %v", left)
	}
}
