package dbs

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named pgx
)

// Server is a PostgreSQL for this test process alone, on a socket in its own folder. It ends with the process.
type Server struct {
	binDir        string // folder of the binaries
	dir           string // data and socket
	fsync         bool
	lock          *os.File
	admin         *sql.DB
	copyClause    string // of statements that create a database
	databaseCount atomic.Int64

	templateOnce sync.Once
	templateErr  error // creates the template

	mu      sync.Mutex
	process *process // nil when stopped or killed
}

var (
	startShared = sync.OnceValue(func() error {
		s, err := newServer(false)
		sharedServer.Store(s)
		return err
	})
	sharedServer atomic.Pointer[Server] // nil before it is started
)

// SharedPostgres returns the server that all tests of the process share, and starts it for the first. It does not sync
// to the disk, so a crash of the machine would lose its data. If no PostgreSQL is installed, the test is skipped, or
// fails when CI or PARLEY_REQUIRE_POSTGRES is set.
func SharedPostgres(t testing.TB) *Server {
	t.Helper()
	requireNoError(t, startShared())
	return sharedServer.Load()
}

// StartPostgres starts a server for this test alone, which syncs to the disk and can be killed and started again.
func StartPostgres(t testing.TB) *Server {
	t.Helper()
	s, err := newServer(true)
	requireNoError(t, err)
	t.Cleanup(s.remove)
	return s
}

func requireNoError(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, errNoBinaries) && isPostgresRequired():
		t.Fatal(err)
	case errors.Is(err, errNoBinaries):
		t.Skip("SKIP: ", err, ": nothing here is tested on PostgreSQL")
	case err != nil:
		t.Fatal(err)
	}
}

func isPostgresRequired() bool {
	return os.Getenv("CI") == "true" || os.Getenv("PARLEY_REQUIRE_POSTGRES") == "1"
}

func stopShared() {
	if s := sharedServer.Load(); s != nil {
		s.remove()
	}
}

// NewDatabase creates an empty database, dropped when the test ends, and returns its URL.
func (s *Server) NewDatabase(t testing.TB) string {
	t.Helper()
	return s.newDatabase(t, "template0")
}

func (s *Server) newDatabase(t testing.TB, template string) string {
	t.Helper()
	name := fmt.Sprintf("test%d", s.databaseCount.Add(1))
	statement := "create database " + name + " template " + template + s.copyClause
	if _, err := s.admin.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.isRunning() {
			_, _ = s.admin.Exec("drop database if exists " + name + " with (force)")
		}
	})
	return s.databaseURL(name)
}

func (s *Server) databaseURL(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User("parley"), Path: "/" + database,
		RawQuery: url.Values{"host": {s.dir}}.Encode()}
	return u.String()
}

// Dump returns the statements that make a database as it is.
func (s *Server) Dump(t testing.TB, url string) []byte {
	t.Helper()
	dump := exec.CommandContext(t.Context(), filepath.Join(s.binDir, "pg_dump"), "--inserts", "--no-owner",
		"--no-privileges", "--dbname="+url)
	out, err := dump.Output()
	if err != nil {
		t.Fatal("pg_dump: ", err)
	}
	// Of newer versions of pg_dump: lines for its own client.
	return regexp.MustCompile(`(?m)^\\(un)?restrict .*\n`).ReplaceAll(out, nil)
}

func (s *Server) isRunning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process != nil
}

// Kill ends every process of the server at once, as a crash of the machine would.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		t.Fatal("the server is not running")
	}
	s.process.kill()
	s.process = nil
}

// Start starts the server again after Kill, and returns when it accepts connections.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	if err := s.startProcess(); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.admin.Close()
	if s.process != nil {
		s.process.kill()
		s.process = nil
	}
	_ = os.RemoveAll(s.dir)
	_ = s.lock.Close()
}
