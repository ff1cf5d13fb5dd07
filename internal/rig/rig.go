// Package rig gives tests the whole house: on a temporary database, with two accounts, behind a real HTTP server on
// loopback. Only tests import it.
package rig

import (
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

	"parley/internal/admin"
	"parley/internal/api"
	"parley/internal/apiv1"
	"parley/internal/house"
	"parley/internal/llm"
	"parley/internal/rig/dbs"
)

// House is a running house with two accounts that know nothing of each other.
type House struct {
	*house.House
	URL      string // of the server, without a path
	Account  string
	Key      string // all of Account
	Other    string // the other account
	OtherKey string
	Client   *http.Client // fails the test when a reply breaks the OpenAPI document
	Operator *admin.Desk
}

// Option changes what Open builds.
type Option func(t testing.TB, c *house.Config)

// OnPostgres puts the house on PostgreSQL; the test is skipped where there is none.
func OnPostgres() Option {
	return func(t testing.TB, c *house.Config) { c.DatabaseURL = dbs.Postgres(t).NewStore(t) }
}

// At puts the house on an existing database: a PostgreSQL URL or the folder of a SQLite file.
func At(data, url string) Option {
	return func(_ testing.TB, c *house.Config) { c.Data, c.DatabaseURL = data, url }
}

// Speaking has the model answer for every model name.
func Speaking(m llm.Model) Option { return func(_ testing.TB, c *house.Config) { c.Model = m } }

// ByClock has the house live by the clock.
func ByClock(clock *Clock) Option { return func(_ testing.TB, c *house.Config) { c.Now = clock.Now } }

// With changes any setting.
func With(change func(c *house.Config)) Option {
	return func(_ testing.TB, c *house.Config) { change(c) }
}

// Open builds the house, runs it, and takes it down when the test ends.
func Open(t testing.TB, options ...Option) *House {
	t.Helper()
	cfg := house.Config{
		Storage: house.Storage{Data: t.TempDir()},
		Service: house.Service{RateLimit: 1_000_000, OpenTurns: 200},
		Logger:  slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now:     time.Now,
	}
	for _, change := range options {
		change(t, &cfg)
	}
	begin(t, cfg)
	server := httptest.NewUnstartedServer(nil)
	cfg.BaseURL = "http://" + server.Listener.Addr().String()
	cfg.FilesURL = cfg.BaseURL
	inner, err := house.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if inner.Voice.Rooms == nil {
		inner.Voice.Rooms = &Rooms{}
	}
	h := &House{House: inner, URL: cfg.BaseURL, Operator: inner.Desk()}
	server.Config.Handler = inner.Handler()
	server.Listener = inner.Connections.Listener(server.Listener)
	inner.Connections.Prepare(server.Config)
	server.Start()
	h.run(t, server)
	h.Client = &http.Client{Transport: checked(t, server.Client().Transport)}
	h.Account, h.Key = h.NewAccount(t, admin.NewAccount{Name: "Own", Plan: "unlimited"})
	h.Other, h.OtherKey = h.NewAccount(t, admin.NewAccount{Name: "Other", Plan: "unlimited"})
	return h
}

// begin gives a house that would make its database one that is up to date.
func begin(t testing.TB, cfg house.Config) {
	path := filepath.Join(cfg.Data, house.SQLiteFile)
	if _, err := os.Stat(path); cfg.DatabaseURL != "" || cfg.Data == "" || err == nil {
		return
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	dbs.WriteFile(t, path)
}

// The documents differ from house to house in the address alone, which no reply is checked by.
var (
	document        = sync.OnceValues(func() ([]byte, error) { return api.Document("", "") })
	earlierDocument = sync.OnceValues(func() ([]byte, error) { return apiv1.Document("") })
)

// checked fails the test when a reply breaks the OpenAPI document of its face.
func checked(t testing.TB, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := earlierDocument()
	if err != nil {
		t.Fatal(err)
	}
	broken := func(err error) { t.Errorf("the contract is broken: %v", err) }
	own, err := Validating(api.Base, doc, next, broken)
	if err != nil {
		t.Fatal(err)
	}
	both, err := Validating(apiv1.Base, earlier, own, broken)
	if err != nil {
		t.Fatal(err)
	}
	return both
}

// run starts the background work and plans the end: streams first, then turns, then chores, then the database.
func (h *House) run(t testing.TB, server *httptest.Server) {
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() {
		now, cancel := context.WithCancel(ctx)
		cancel()
		h.Drain(now)
		server.CloseClientConnections()
		server.Close()
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the house's work: %v", err)
		}
		if err := h.Close(); err != nil {
			t.Errorf("close the house: %v", err)
		}
	})
}

// NewAccount makes one more account and gives its id and key.
func (h *House) NewAccount(t testing.TB, in admin.NewAccount) (id, key string) {
	t.Helper()
	out, err := admin.Do(t.Context(), h.Operator, admin.CreateAccount, in)
	if err != nil {
		t.Fatal(err)
	}
	return out.AccountID, out.APIKey
}
