// Package testkit runs a whole server for tests, on a temporary database, with two accounts, behind a real HTTP server
// on loopback. Only tests import it.
package testkit

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	v1 "parley/internal/api/v1"
	v2 "parley/internal/api/v2"
	"parley/internal/httpapi"
	"parley/internal/model"
	"parley/internal/server"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

// Server is a running server with two separate accounts.
type Server struct {
	*server.Server
	URL          string // of the server, without a path
	Account      string
	Key          string // key of Account, with all scopes
	OtherAccount string // of the other account
	OtherKey     string
	Client       *http.Client // fails the test if a reply violates the OpenAPI document
	AdminService *admin.Service
}

// Option changes what Open builds.
type Option func(t testing.TB, c *server.Config)

// WithPostgres runs the server on PostgreSQL; the test is skipped if there is none.
func WithPostgres() Option {
	return func(t testing.TB, c *server.Config) { c.DatabaseURL = dbs.SharedPostgres(t).NewStore(t) }
}

// WithDatabase runs the server on an existing database: a PostgreSQL URL or the folder of a SQLite file.
func WithDatabase(data, url string) Option {
	return func(_ testing.TB, c *server.Config) { c.Data, c.DatabaseURL = data, url }
}

// WithModel makes the model answer for every model name.
func WithModel(m model.Model) Option {
	return func(_ testing.TB, c *server.Config) { c.ModelOverride = m }
}

// WithClock makes the server use the clock.
func WithClock(now *clock.Clock) Option {
	return func(_ testing.TB, c *server.Config) { c.Now = now.Now }
}

// WithKeepAlive makes streams find out soon that their client has gone: a client that has closed its connection looks
// like one that has closed its half of it, until something is written to it.
func WithKeepAlive() Option {
	return func(_ testing.TB, c *server.Config) { c.KeepAliveInterval = 100 * time.Millisecond }
}

// WithConfig changes any setting.
func WithConfig(change func(c *server.Config)) Option {
	return func(_ testing.TB, c *server.Config) { change(c) }
}

// Open builds a server, runs it, and stops it when the test ends.
func Open(t testing.TB, options ...Option) *Server {
	t.Helper()
	cfg := server.Config{
		StorageConfig: server.StorageConfig{Data: t.TempDir()},
		ServingConfig: server.ServingConfig{RateLimit: 1_000_000, OpenTurns: 200},
		RoomsOverride: &FakeRooms{},
		Logger:        slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now:           time.Now,
	}
	for _, change := range options {
		change(t, &cfg)
	}
	prepareDatabase(t, cfg)
	listening := httptest.NewUnstartedServer(nil)
	address := "http://" + listening.Listener.Addr().String()
	cfg.BaseURL, cfg.FilesURL = cmp.Or(cfg.BaseURL, address), address
	inner, err := server.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	inner.Users.Passwords.LowerCosts()
	s := &Server{Server: inner, URL: address, AdminService: inner.Admin()}
	s.AdminService.OnUndeclaredCode = func(op *httpapi.Operation, code parley.Code) {
		t.Errorf("the operation %s failed with %s, which it does not declare", op.Name, code)
	}
	listening.Config.Handler = inner.Handler()
	listening.Listener = inner.Connections.Listener(listening.Listener)
	inner.Connections.Configure(listening.Config)
	listening.Start()
	s.run(t, listening)
	s.Client = &http.Client{Transport: newCheckedTransport(t, listening.Client().Transport)}
	s.Account, s.Key = s.NewAccount(t, admin.NewAccount{Name: "Own", Plan: "unlimited"})
	s.OtherAccount, s.OtherKey = s.NewAccount(t, admin.NewAccount{Name: "Other", Plan: "unlimited"})
	return s
}

// prepareDatabase writes a migrated database, so that the server need not migrate.
func prepareDatabase(t testing.TB, cfg server.Config) {
	path := filepath.Join(cfg.Data, server.SQLiteFile)
	if _, err := os.Stat(path); cfg.DatabaseURL != "" || cfg.Data == "" || err == nil {
		return
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	dbs.WriteMigratedSQLite(t, path)
}

// The documents of two servers differ only in the address, which replies are not checked against.
var (
	v2Document = sync.OnceValues(func() ([]byte, error) { return v2.Document("", "") })
	v1Document = sync.OnceValues(func() ([]byte, error) { return v1.Document("") })
)

// newCheckedTransport fails the test when a reply does not match the OpenAPI document of its API.
func newCheckedTransport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	for base, document := range map[string]func() ([]byte, error){v2.Base: v2Document, v1.Base: v1Document} {
		doc, err := document()
		if err != nil {
			t.Fatal(err)
		}
		next, err = NewValidatingTransport(base, doc, next, func(err error) { t.Errorf("the contract is broken: %v", err) })
		if err != nil {
			t.Fatal(err)
		}
	}
	return next
}

// run starts the background work, and stops everything when the test ends: streams first, then turns, jobs and the
// database.
func (s *Server) run(t testing.TB, listening *httptest.Server) {
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		now, cancel := context.WithCancel(ctx)
		cancel()
		s.Drain(now)
		listening.CloseClientConnections()
		listening.Close()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the server: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("close the server: %v", err)
		}
	})
}

// NewAccount creates an account and returns its id and key.
func (s *Server) NewAccount(t testing.TB, in admin.NewAccount) (id, key string) {
	t.Helper()
	out, err := admin.RunOn(t.Context(), s.AdminService, admin.CreateAccount, in)
	if err != nil {
		t.Fatal(err)
	}
	return out.AccountID, out.APIKey
}
