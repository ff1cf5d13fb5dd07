package sqldb_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/sqldb"
	"parley/internal/testkit/dbs"
)

// killedDatabase leaves a database behind as a server does that is killed after so many commits, the rows of the first
// so many of which a checkpoint has copied.
func killedDatabase(t *testing.T, copied, commits int) string {
	t.Helper()
	live := dbs.NewSQLitePath(t)
	db := dbs.Open(t, live)
	execStatement(t, db, `create table t (n integer)`)
	for n := range commits {
		if n == copied {
			sqldb.Checkpoint(t.Context(), t, db)
		}
		execStatement(t, db, fmt.Sprintf(`insert into t values (%d)`, n))
	}
	dead := filepath.Join(t.TempDir(), "parley.db")
	for _, end := range []string{"", "-wal", "-unmerged"} {
		copyFile(t, live+end, dead+end)
	}
	return dead
}

func execStatement(t *testing.T, db *sqldb.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// assertOpens asserts that a database can be opened and holds so many rows.
func assertOpens(t *testing.T, file string, rows int) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), sqldb.Config{URL: file})
	if err != nil {
		t.Fatal(err)
	}
	if n := queryInt(t, db, `select count(*) from t`); n != int64(rows) {
		t.Errorf("%d rows instead of %d", n, rows)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file + "-unmerged"); err == nil {
		t.Error("closed, it still counts on a log")
	}
}

// assertRefused asserts that a database cannot be opened, that it is said what to do, and that nothing is changed.
func assertRefused(t *testing.T, file string, words ...string) {
	t.Helper()
	before := folderContents(t, file)
	db, err := sqldb.Open(t.Context(), sqldb.Config{URL: file})
	if err == nil {
		t.Fatal("it was opened: ", db.Close())
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not said: %v", word, err)
		}
	}
	if after := folderContents(t, file); !slices.Equal(before, after) {
		t.Error("the refusal has changed the files")
	}
}

func folderContents(t *testing.T, file string) (all []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name+"\n"+string(text))
	}
	return all
}

func TestAKilledServersDatabaseOpens(t *testing.T) {
	for _, commits := range []int{0, 1, 2, 50} {
		for copied := range min(commits, 3) {
			assertOpens(t, killedDatabase(t, copied, commits), commits)
		}
	}
}

func TestAMissingLogPreventsTheStart(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, log string){
		"missing": func(t *testing.T, log string) {
			t.Helper()
			if err := os.Remove(log); err != nil {
				t.Fatal(err)
			}
		},
		"empty":     rewriteFile(func([]byte) []byte { return nil }),
		"no frames": rewriteFile(func(b []byte) []byte { return b[:32] }),
		"garbage": rewriteFile(func(b []byte) []byte {
			for i := range b {
				b[i] = byte(rand.IntN(256)) //nolint:gosec // any will do
			}
			return b
		}),
		"zeros":         rewriteFile(func(b []byte) []byte { return make([]byte, len(b)) }),
		"short garbage": rewriteFile(func([]byte) []byte { return []byte("not a log") }),
		"broken head":   rewriteFile(func(b []byte) []byte { b[17] ^= 1; return b }),
		"broken frame":  rewriteFile(func(b []byte) []byte { b[32+24+100] ^= 1; return b }),
		"another's": func(t *testing.T, log string) {
			t.Helper()
			copyFile(t, killedDatabase(t, 0, 1)+"-wal", log)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, copied := range []int{2, 5} {
				file := killedDatabase(t, copied, 6)
				if name == "another's" {
					for range 3 { // its database has seen more
						assertOpens(t, file, 6)
						file = reopenAndKill(t, file)
					}
				}
				harm(t, file+"-wal")
				assertRefused(t, file, file+"-wal", "backup")
			}
		})
	}
}

// reopenAndKill opens a database, and leaves it behind as a server does that is killed after a commit that changes no
// number of rows.
func reopenAndKill(t *testing.T, file string) string {
	t.Helper()
	db := dbs.Open(t, file)
	execStatement(t, db, `update t set n = n`)
	dead := filepath.Join(t.TempDir(), "parley.db")
	for _, end := range []string{"", "-wal", "-unmerged"} {
		copyFile(t, file+end, dead+end)
	}
	return dead
}

func rewriteFile(change func([]byte) []byte) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(bytes.Clone(text)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What the message tells the operator to do lets the server start, without what was lost.
func TestAMissingLogCanBeGivenUp(t *testing.T) {
	file := killedDatabase(t, 4, 6)
	if err := os.Remove(file + "-wal"); err != nil {
		t.Fatal(err)
	}
	assertRefused(t, file, "remove "+file+"-unmerged")
	if err := os.Remove(file + "-unmerged"); err != nil {
		t.Fatal(err)
	}
	assertOpens(t, file, 4)
}

// A log that is missing because all of it is in the database stops nothing: another program has opened and closed it,
// or a checkpoint was the last thing to happen.
func TestACheckpointedLogIsNotNeeded(t *testing.T) {
	file := killedDatabase(t, 2, 6)
	other, err := exec.LookPath("sqlite3")
	if err == nil {
		if out, err := exec.Command(other, file, "select count(*) from t").CombinedOutput(); err != nil ||
			strings.TrimSpace(string(out)) != "6" { //nolint:gosec // ours
			t.Fatal(err, string(out))
		}
	} else {
		sqldb.OpenAndClose(t.Context(), t, file)
	}
	if _, err := os.Stat(file + "-wal"); err == nil {
		t.Fatal("the log is still there")
	}
	assertOpens(t, file, 6)

	live := dbs.NewSQLitePath(t)
	db := dbs.Open(t, live)
	execStatement(t, db, `create table t (n integer)`)
	sqldb.Checkpoint(t.Context(), t, db)
	dead := filepath.Join(t.TempDir(), "parley.db")
	copyFile(t, live, dead)
	copyFile(t, live+"-unmerged", dead+"-unmerged")
	assertOpens(t, dead, 0)
}

// A copy of a running server's database, made as the manual says, opens; so does one that lies where a closed one was.
func TestACopyOpens(t *testing.T) {
	live := dbs.NewSQLitePath(t)
	db := dbs.Open(t, live)
	execStatement(t, db, `create table t (n integer)`)
	execStatement(t, db, `insert into t values (1)`)
	backup := filepath.Join(t.TempDir(), "backup.db")
	sqldb.VacuumInto(t.Context(), t, db, backup)
	for range 3 {
		sqldb.Checkpoint(t.Context(), t, db)
		execStatement(t, db, `insert into t values (2)`)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	assertOpens(t, live, 4)
	copyFile(t, backup, live)
	assertOpens(t, live, 1)
}

func TestAnEmptyDatabaseBesideItsFilesPreventsTheStart(t *testing.T) {
	for _, mainMissing := range []bool{true, false} {
		for _, suffix := range []string{"-wal", "-unmerged"} {
			dead := killedDatabase(t, 2, 6)
			file := filepath.Join(t.TempDir(), "parley.db")
			copyFile(t, dead+suffix, file+suffix)
			if !mainMissing {
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			assertRefused(t, file, file, "empty", "backup")
		}
	}
	file := filepath.Join(t.TempDir(), "parley.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil { // nothing is beside it: the server was killed when it made it
		t.Fatal(err)
	}
	db, err := sqldb.Open(context.Background(), sqldb.Config{URL: file})
	if err != nil {
		t.Fatal(err)
	}
	execStatement(t, db, `create table t (n integer)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	assertOpens(t, file, 0)
}

// Transactions that fail count nothing, or a start would miss what nobody was told of.
func TestOnlyCommitsCount(t *testing.T) {
	live := dbs.NewSQLitePath(t)
	db := dbs.Open(t, live)
	execStatement(t, db, `create table t (n integer primary key)`)
	execStatement(t, db, `insert into t values (1)`)
	for range 5 {
		sqldb.Checkpoint(t.Context(), t, db)
		if _, err := db.Exec(t.Context(), `insert into t values (1)`); err == nil {
			t.Fatal("twice")
		}
	}
	dead := filepath.Join(t.TempDir(), "parley.db")
	copyFile(t, live, dead)
	copyFile(t, live+"-unmerged", dead+"-unmerged")
	assertOpens(t, dead, 1)
}

func TestCorruptCommitCountIsReported(t *testing.T) {
	file := killedDatabase(t, 2, 6)
	rewriteFile(func([]byte) []byte { return []byte("?") })(t, file+"-unmerged")
	assertRefused(t, file, file+"-unmerged is damaged")
	rewriteFile(func([]byte) []byte { return nil })(t, file+"-unmerged")
	assertOpens(t, file, 6)
}
