package access_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

// syncBuffer is a log that may be read while it is written.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) lines() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.text.String(), "\n")
}

func TestMaintenanceReachesEveryAuthenticator(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.Must(f.Auth.RefreshMaintenance(f.Context()))
		f.Must(f.Auth.CheckMaintenance())
		var log syncBuffer
		other := &access.Authenticator{DB: f.DB, Plans: f.Plans, Now: f.clock.Now,
			Logger: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, stop := context.WithCancel(f.Context())
		ended := make(chan error, 1)
		go func() { ended <- other.Run(ctx) }()
		set := func(on bool) {
			f.Must(f.SetMaintenance(f.Context(), on))
			f.Auth.SetMaintenance(on)
			if isOn, err := f.Maintenance(f.Context()); err != nil || isOn != on || (f.Auth.CheckMaintenance() != nil) != on {
				f.Error("maintenance is", isOn, err, "want", on)
			}
			testkit.Eventually(f, "another server sees it", func() bool { return (other.CheckMaintenance() != nil) == on })
		}
		set(true)
		e := parley.AsError(f.Auth.CheckMaintenance())
		if e.Code != parley.CodeUnderMaintenance || e.RetryAfter <= 0 {
			f.Errorf("%+v", e)
		}
		f.Must(f.Auth.RefreshMaintenance(f.Context()))
		f.WantCode(f.Auth.CheckMaintenance(), parley.CodeUnderMaintenance)
		set(false)
		stop()
		f.Must(check.Receive(f, "the end of the other server", ended))
		if log.lines() != 2 {
			f.Error("the log reports it", log.lines(), "times:", log.text.String())
		}
	})
}

// Maintenance that one server begins applies to all servers of the database, and survives a restart.
func TestMaintenanceAppliesToAllServers(t *testing.T) {
	url := dbs.SharedPostgres(t).NewStore(t)
	one, two := testkit.Open(t, testkit.WithDatabase(t.TempDir(), url)),
		testkit.Open(t, testkit.WithDatabase(t.TempDir(), url))
	set := func(on bool) {
		t.Helper()
		if _, err := admin.RunOn(t.Context(), one.AdminService, admin.SetMaintenance,
			admin.MaintenanceState{Enabled: on}); err != nil {
			t.Fatal(err)
		}
	}
	requestMe := func(h *testkit.Server) int { return h.Do(t, "GET", "/me", one.Key, nil).Status }
	set(true)
	if status := requestMe(one); status != http.StatusServiceUnavailable {
		t.Error("on the server that began it:", status)
	}
	testkit.Eventually(t, "the other server closes", func() bool {
		return requestMe(two) == http.StatusServiceUnavailable
	})
	if status := two.Do(t, "GET", "/health", "", nil).Status; status != http.StatusOK {
		t.Error("health:", status)
	}
	three, err := server.Open(t.Context(), server.Config{StorageConfig: server.StorageConfig{Data: t.TempDir(),
		DatabaseURL: url}, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if three.Authenticator.CheckMaintenance() == nil {
		t.Error("a server that starts is open")
	}
	if err := three.Close(); err != nil {
		t.Error(err)
	}
	set(false)
	if status := requestMe(one); status != http.StatusOK {
		t.Error("on the server that began it:", status)
	}
	testkit.Eventually(t, "the other server opens", func() bool { return requestMe(two) == http.StatusOK })
}
