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
	forEachStore(t, func(d *fixture) {
		d.must(d.Gate.RefreshMaintenance(d.Context()))
		d.must(d.Gate.CheckMaintenance())
		var log syncBuffer
		other := &access.Authenticator{DB: d.DB, Plans: d.Plans, Now: d.now, Logger: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, stop := context.WithCancel(d.Context())
		ended := make(chan error, 1)
		go func() { ended <- other.Run(ctx) }()
		set := func(on bool) {
			d.must(d.SetMaintenance(d.Context(), on))
			d.Gate.SetMaintenance(on)
			if is, err := d.Maintenance(d.Context()); err != nil || is != on || (d.Gate.CheckMaintenance() != nil) != on {
				d.Error("maintenance is", is, err, "want", on)
			}
			testkit.Eventually(d, "another server sees it", func() bool { return (other.CheckMaintenance() != nil) == on })
		}
		set(true)
		e := parley.AsError(d.Gate.CheckMaintenance())
		if e.Code != parley.CodeUnderMaintenance || e.RetryAfter <= 0 {
			d.Errorf("%+v", e)
		}
		d.must(d.Gate.RefreshMaintenance(d.Context()))
		d.wantCode(d.Gate.CheckMaintenance(), parley.CodeUnderMaintenance)
		set(false)
		stop()
		d.must(<-ended)
		if log.lines() != 2 {
			d.Error("the log tells it", log.lines(), "times:", log.text.String())
		}
	})
}

// Two servers on one database: the operator's word at one of them is in force at both, and outlives a restart.
func TestMaintenanceIsOfAllServers(t *testing.T) {
	url := dbs.SharedPostgres(t).NewStore(t)
	one, two := testkit.Open(t, testkit.WithDatabase(t.TempDir(), url)),
		testkit.Open(t, testkit.WithDatabase(t.TempDir(), url))
	say := func(on bool) {
		t.Helper()
		if _, err := admin.RunOn(t.Context(), one.AdminService, admin.SetMaintenance,
			admin.MaintenanceState{Enabled: on}); err != nil {
			t.Fatal(err)
		}
	}
	me := func(h *testkit.Server) int { return h.Do(t, "GET", "/me", one.Key, nil).Status }
	say(true)
	if status := me(one); status != http.StatusServiceUnavailable {
		t.Error("where it was said:", status)
	}
	testkit.Eventually(t, "the other server closes", func() bool { return me(two) == http.StatusServiceUnavailable })
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
	say(false)
	if status := me(one); status != http.StatusOK {
		t.Error("where it was said:", status)
	}
	testkit.Eventually(t, "the other server opens", func() bool { return me(two) == http.StatusOK })
}
