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
	"parley/internal/admin"
	"parley/internal/house"
	"parley/internal/rig"
	"parley/internal/rig/dbs"
)

// book is a log that may be read while it is written.
type book struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *book) lines() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.text.String(), "\n")
}

func TestMaintenanceReachesEveryGate(t *testing.T) {
	each(t, func(d *door) {
		d.must(d.Gate.Look(d.Context()))
		d.must(d.Gate.Closed())
		var log book
		other := &access.Gate{DB: d.DB, Plans: d.Plans, Now: d.now, Logger: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, stop := context.WithCancel(d.Context())
		ended := make(chan error, 1)
		go func() { ended <- other.Run(ctx) }()
		set := func(on bool) {
			d.must(d.SetMaintenance(d.Context(), on))
			d.Gate.Shut(on)
			if is, err := d.Maintenance(d.Context()); err != nil || is != on || (d.Gate.Closed() != nil) != on {
				d.Error("maintenance is", is, err, "want", on)
			}
			rig.Eventually(d, "another server sees it", func() bool { return (other.Closed() != nil) == on })
		}
		set(true)
		e := parley.ErrorOf(d.Gate.Closed())
		if e.Code != parley.CodeUnderMaintenance || e.RetryAfter <= 0 {
			d.Errorf("%+v", e)
		}
		d.must(d.Gate.Look(d.Context()))
		d.fails(d.Gate.Closed(), parley.CodeUnderMaintenance)
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
	url := dbs.Postgres(t).NewStore(t)
	one, two := rig.Open(t, rig.At(t.TempDir(), url)), rig.Open(t, rig.At(t.TempDir(), url))
	say := func(on bool) {
		t.Helper()
		if _, err := admin.Do(t.Context(), one.Operator, admin.Maintenance, admin.MaintenanceChange{On: &on}); err != nil {
			t.Fatal(err)
		}
	}
	me := func(h *rig.House) int { return h.Do(t, "GET", "/me", one.Key, nil).Status }
	say(true)
	if status := me(one); status != http.StatusServiceUnavailable {
		t.Error("where it was said:", status)
	}
	rig.Eventually(t, "the other server closes", func() bool { return me(two) == http.StatusServiceUnavailable })
	if status := two.Do(t, "GET", "/health", "", nil).Status; status != http.StatusOK {
		t.Error("health:", status)
	}
	three, err := house.Open(t.Context(), house.Config{Storage: house.Storage{Data: t.TempDir(), DatabaseURL: url}, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if three.Gate.Closed() == nil {
		t.Error("a server that starts is open")
	}
	if err := three.Close(); err != nil {
		t.Error(err)
	}
	say(false)
	if status := me(one); status != http.StatusOK {
		t.Error("where it was said:", status)
	}
	rig.Eventually(t, "the other server opens", func() bool { return me(two) == http.StatusOK })
}
