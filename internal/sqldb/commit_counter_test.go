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

// killedDatabase returns a database as a server leaves it that is killed after a number of commits, of which a
// checkpoint has copied the first.
func killedDatabase(t *testing.T, copied, commits int) string {
	t.Helper()
	path := dbs.NewSQLitePath(t)
	db := dbs.Open(t, path)
	execStatement(t, db, `create table t (n integer)`)
	for n := range commits {
		if n == copied {
			sqldb.Checkpoint(t.Context(), t, db)
		}
		execStatement(t, db, fmt.Sprintf(`insert into t values (%d)`, n))
	}
	killed := filepath.Join(t.TempDir(), "parley.db")
	for _, suffix := range []string{"", "-wal", "-unmerged"} {
		copyFile(t, path+suffix, killed+suffix)
	}
	return killed
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
		t.Error("the closed database still has a commit counter")
	}
}

// assertRefused asserts that a database cannot be opened, that the error holds the words, and that no file has changed.
func assertRefused(t *testing.T, file string, words ...string) {
	t.Helper()
	before := folderContents(t, file)
	db, err := sqldb.Open(t.Context(), sqldb.Config{URL: file})
	if err == nil {
		t.Fatal("it was opened: ", db.Close())
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not hold %q: %v", word, err)
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

func TestDatabaseOfAKilledServerOpens(t *testing.T) {
	for _, commits := range []int{0, 1, 2, 50} {
		for copied := range min(commits, 3) {
			assertOpens(t, killedDatabase(t, copied, commits), commits)
		}
	}
}

func TestOpenRefusesADatabaseWithoutItsLog(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, log string){
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
		"of another database": func(t *testing.T, log string) {
			t.Helper()
			copyFile(t, killedDatabase(t, 0, 1)+"-wal", log)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, copied := range []int{2, 5} {
				file := killedDatabase(t, copied, 6)
				if name == "of another database" {
					for range 3 { // this database must have more commits than the other
						assertOpens(t, file, 6)
						file = reopenAndKill(t, file)
					}
				}
				damage(t, file+"-wal")
				assertRefused(t, file, file+"-wal", "backup")
			}
		})
	}
}

// reopenAndKill opens a database and returns it as a server leaves it that is killed after a commit which changes no
// number of rows.
func reopenAndKill(t *testing.T, file string) string {
	t.Helper()
	db := dbs.Open(t, file)
	execStatement(t, db, `update t set n = n`)
	killed := filepath.Join(t.TempDir(), "parley.db")
	for _, suffix := range []string{"", "-wal", "-unmerged"} {
		copyFile(t, file+suffix, killed+suffix)
	}
	return killed
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

// The server starts, without the lost commits, after the operator has done what the error says.
func TestOpenWithoutTheLostLog(t *testing.T) {
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

// The log may be missing when all of it is in the database: another program has opened and closed the database, or a
// checkpoint came last.
func TestCheckpointedLogIsNotNeeded(t *testing.T) {
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

	path := dbs.NewSQLitePath(t)
	db := dbs.Open(t, path)
	execStatement(t, db, `create table t (n integer)`)
	sqldb.Checkpoint(t.Context(), t, db)
	killed := filepath.Join(t.TempDir(), "parley.db")
	copyFile(t, path, killed)
	copyFile(t, path+"-unmerged", killed+"-unmerged")
	assertOpens(t, killed, 0)
}

// A copy of a running server's database, made as the manual says, opens, also in the place of a database that was
// closed.
func TestBackupOpens(t *testing.T) {
	path := dbs.NewSQLitePath(t)
	db := dbs.Open(t, path)
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
	assertOpens(t, path, 4)
	copyFile(t, backup, path)
	assertOpens(t, path, 1)
}

func TestOpenRefusesAnEmptyDatabaseBesideFilesOfAnother(t *testing.T) {
	for _, mainMissing := range []bool{true, false} {
		for _, suffix := range []string{"-wal", "-unmerged"} {
			killed := killedDatabase(t, 2, 6)
			file := filepath.Join(t.TempDir(), "parley.db")
			copyFile(t, killed+suffix, file+suffix)
			if !mainMissing {
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			assertRefused(t, file, file, "empty", "backup")
		}
	}
	file := filepath.Join(t.TempDir(), "parley.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil { // the server was killed after creating it
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

// A failed transaction must not increment the count, or the next start would miss a commit that never was.
func TestFailedTransactionsDoNotCount(t *testing.T) {
	path := dbs.NewSQLitePath(t)
	db := dbs.Open(t, path)
	execStatement(t, db, `create table t (n integer primary key)`)
	execStatement(t, db, `insert into t values (1)`)
	for range 5 {
		sqldb.Checkpoint(t.Context(), t, db)
		if _, err := db.Exec(t.Context(), `insert into t values (1)`); err == nil {
			t.Fatal("inserted the same key twice")
		}
	}
	killed := filepath.Join(t.TempDir(), "parley.db")
	copyFile(t, path, killed)
	copyFile(t, path+"-unmerged", killed+"-unmerged")
	assertOpens(t, killed, 1)
}

func TestOpenRefusesADamagedCommitCounter(t *testing.T) {
	file := killedDatabase(t, 2, 6)
	rewriteFile(func([]byte) []byte { return []byte("?") })(t, file+"-unmerged")
	assertRefused(t, file, file+"-unmerged is damaged")
	rewriteFile(func([]byte) []byte { return nil })(t, file+"-unmerged")
	assertOpens(t, file, 6)
}
