package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/sqldb/sqlite"
)

func openWriter(t *testing.T, path string, pragmas ...string) *sqlite.Conn {
	t.Helper()
	c, err := sqlite.OpenWriter(path, append([]string{"journal_mode(wal)", "synchronous(full)"}, pragmas...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func execAll(t *testing.T, c *sqlite.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		exec(t, c, s)
	}
}

// readText returns the first column of a statement's first row as text.
func readText(t *testing.T, c *sqlite.Conn, query string) (text string) {
	t.Helper()
	if err := scanRow(t, c, query, nil, &text); err != nil {
		t.Fatal(query, err)
	}
	return text
}

// A transaction that is larger than the page cache, so that it reads pages again that it has written to the log, is
// there as a whole for another connection once it is committed, and nothing of it before or after a rollback.
func TestWriterSpillsLargeTransactions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	w := openWriter(t, path, "cache_size(10)")
	execAll(t, w, `create table t (n integer primary key, data blob)`, `begin immediate`)
	reader, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for i := range 400 {
		execAll(t, w, fmt.Sprintf(`insert into t values (%d, zeroblob(3000))`, i))
		if i%50 == 0 {
			execAll(t, w, `update t set data = zeroblob(2000) where n % 7 = 0`)
		}
	}
	if n := readText(t, reader, `select count(*) from t`); n != "0" {
		t.Errorf("another connection sees %s rows before the commit", n)
	}
	execAll(t, w, `commit`, `begin immediate`, `update t set data = zeroblob(3500)`, `rollback`)
	for _, c := range []*sqlite.Conn{w, reader} {
		if got := readText(t, c, `select count(*) || ' ' || max(length(data)) from t`); got != "400 3000" {
			t.Errorf("rows and longest: %s", got)
		}
		if got := readText(t, c, `pragma integrity_check`); got != "ok" {
			t.Error(got)
		}
	}
}

// What is committed is in the files: a copy of them that is taken while the database is open holds it.
func TestCommitsAreInTheLog(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	w := openWriter(t, path)
	execAll(t, w, `create table t (n integer primary key)`)
	for round := range 5 {
		execAll(t, w, fmt.Sprintf(`insert into t values (%d)`, round))
		if round == 2 {
			execAll(t, w, `pragma wal_checkpoint(truncate)`)
		}
		copied := filepath.Join(t.TempDir(), "b.db")
		for _, suffix := range []string{"", "-wal"} {
			data, err := os.ReadFile(path + suffix)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(copied+suffix, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := sqlite.Open(copied)
		if err != nil {
			t.Fatal(err)
		}
		if n := readText(t, c, `select count(*) from t`); n != fmt.Sprint(round+1) {
			t.Errorf("the copy holds %s rows after %d commits", n, round+1)
		}
		_ = c.Close()
	}
}

// The log grows in large steps, also after it was truncated: most commits do not change the size of the file.
func TestLogGrowsInLargeSteps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	w := openWriter(t, path)
	execAll(t, w, `create table t (n integer primary key)`)
	for range 2 {
		sizes := map[int64]bool{}
		for range 40 {
			execAll(t, w, `insert into t (n) values (null)`)
			info, err := os.Stat(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			sizes[info.Size()] = true
		}
		if len(sizes) > 2 {
			t.Errorf("40 small commits gave the log %d sizes: %v", len(sizes), sizes)
		}
		execAll(t, w, `pragma wal_checkpoint(truncate)`)
	}
}
