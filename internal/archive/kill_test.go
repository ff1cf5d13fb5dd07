//go:build unix

package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley"
	"parley/internal/archive"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

// The child of a test does one thing and ends, or is ended.
const childVariable = "PARLEY_ARCHIVE_CHILD"

func TestMain(m *testing.M) {
	if runChild() {
		return
	}
	dbs.MainWithoutLeaks(m)
}

// runChild does what a parent process asks for, and reports whether there is one.
func runChild() bool {
	act := os.Getenv(childVariable)
	if act == "" {
		return false
	}
	in := openInstallation(os.Getenv("DATA"), os.Getenv("URL"))
	path, at := os.Getenv("FILE"), 0
	kill, _ := strconv.Atoi(os.Getenv("AT"))
	var err error
	switch act {
	case "import":
		in.OnProgress = func(string, int64, int64) {
			if at++; at == kill {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		_, err = in.Import(context.Background(), path, archive.Options{Actor: "operator"})
	case "full":
		signal.Ignore(syscall.SIGXFSZ)
		in.OnProgress = func(string, int64, int64) {
			err = errors.Join(err, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 8192, Max: 8192}))
		}
		_, err = in.Export(context.Background(), account, path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// startChild runs this test as a process that does something with an installation.
func startChild(t *testing.T, act string, in *installation, path string, at int) (output string, err error) {
	t.Helper()
	program, err := os.Executable()
	check.Must(t, err)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), childVariable+"="+act, "DATA="+in.Data, "URL="+in.DatabaseURL, "FILE="+path,
		"AT="+strconv.Itoa(at))
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// An import that is killed at any point leaves no account. The next one goes on where it was, and brings the account as
// if it had never been killed.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := newInstallation(t, ""), newInstallation(t, url(t))
			from.seed(3, 1100)
			path, first := from.export(account)
			for at, place := 1, int64(0); ; at++ {
				output, err := startChild(t, "import", to, path, at)
				if err == nil {
					break // it came to its end before it was to be killed
				}
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != -1 {
					t.Fatalf("not killed at %d: %v %s", at, err, output)
				}
				to.requireNoAccount()
				place = to.requireFurther(place)
			}
			if _, second := to.export(account); !bytes.Equal(first, second) {
				t.Error("the account is another one after imports that were killed")
			}
			if n := to.countUnfinished(); n != 0 {
				t.Errorf("%d imports are unfinished", n)
			}
		})
	}
}

// requireNoAccount fails if anybody can find something of an import.
func (in *installation) requireNoAccount() {
	in.t.Helper()
	in.open(func(db *store.DB) {
		for _, table := range store.ArchiveTables() {
			if table.IsWrittenAhead() || !table.HasOwnID() {
				continue
			}
			n, err := sqldb.One(in.t.Context(), db.SQL(), sqldb.Column[int], `select count(*) from `+table.Name)
			if err != nil || n != 0 {
				in.t.Fatalf("an import that was stopped has left %d rows in %s (%v)", n, table.Name, err)
			}
		}
	})
}

// requireFurther fails if an import that was stopped has fewer messages than the one before, and returns their number.
func (in *installation) requireFurther(before int64) (messages int64) {
	in.t.Helper()
	in.open(func(db *store.DB) {
		var err error
		messages, err = sqldb.One(in.t.Context(), db.SQL(), sqldb.Column[int64], `select count(*) from messages`)
		check.Must(in.t, err)
	})
	if messages < before {
		in.t.Errorf("%d messages are there, after %d before: the import has begun anew", messages, before)
	}
	return messages
}

func (in *installation) countUnfinished() (n int) {
	in.t.Helper()
	in.open(func(db *store.DB) {
		var err error
		n, err = sqldb.One(in.t.Context(), db.SQL(), sqldb.Column[int], `select count(*) from account_imports`)
		check.Must(in.t, err)
	})
	return n
}

// On a full disk an import leaves nothing, and works when there is space again.
func TestImportOnFullDisk(t *testing.T) {
	t.Parallel()
	from, to := newInstallation(t, ""), newInstallation(t, "")
	from.seed(3, 1000)
	path, first := from.export(account)
	before := to.counts()
	to.open(func(db *store.DB) {
		check.Must(t, db.SQL().QueryRow(t.Context(), `select page_count + 50 from pragma_page_count()`).Scan(&to.MaxPages))
	})
	_, err := to.importFrom(path, archive.Options{})
	if !parley.IsCode(err, parley.CodeUnderMaintenance) || !strings.Contains(err.Error(), "full") {
		t.Errorf("imported on a full disk: %v", err)
	}
	if after := to.counts(); after != before {
		t.Errorf("it has left\n%s", after)
	}
	to.MaxPages = 0
	_, err = to.importFrom(path, archive.Options{})
	check.Must(t, err)
	if _, second := to.export(account); !bytes.Equal(first, second) {
		t.Error("the account is another one")
	}
}

// An export that finds the disk full says so and leaves no file.
func TestExportOnFullDisk(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, "")
	in.seed(3, 1000)
	path := filepath.Join(t.TempDir(), "account.zip")
	output, err := startChild(t, "full", in, path, 0)
	if err == nil || !strings.Contains(output, "file too large") {
		t.Errorf("exported: %v %s", err, output)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 0 {
		t.Errorf("it has left %v", left)
	}
}
