package server

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/server"
)

// lifecycle records when components start and stop.
type lifecycle struct {
	mu     sync.Mutex
	events []string
}

func (l *lifecycle) record(event string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, event)
}

func (l *lifecycle) component(name string) component {
	return component{name, func(ctx context.Context) error {
		<-ctx.Done()
		l.record(name)
		return nil
	}}
}

func TestComponentsStopInReverseOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lifecycle
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- runComponents(ctx, []component{l.component("a"), l.component("b"), l.component("c")}) }()
		synctest.Wait()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if want := []string{"c", "b", "a"}; !slices.Equal(l.events, want) {
			t.Errorf("stopped %v, want %v", l.events, want)
		}
	})
}

func TestAFailedComponentStopsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l lifecycle
		cause := errors.New("broken")
		failing := component{"b", func(context.Context) error { return cause }}
		err := runComponents(t.Context(), []component{l.component("a"), failing, l.component("c")})
		if !errors.Is(err, cause) || err.Error() != "b: broken" {
			t.Errorf("returned %v", err)
		}
		if want := []string{"c", "a"}; !slices.Equal(l.events, want) {
			t.Errorf("stopped %v, want %v", l.events, want)
		}
	})
}

// A server whose database is empty or missing, while uploaded files exist, does not start, and reports what to do.
func TestFilesWithoutTheirDatabaseStopTheStart(t *testing.T) {
	cfg := server.Config{StorageConfig: server.StorageConfig{Data: t.TempDir()}, Now: time.Now}
	opens := func() {
		t.Helper()
		h, err := server.Open(t.Context(), cfg)
		requireNoError(t, err)
		requireNoError(t, h.Close())
	}
	unfinished := filepath.Join(cfg.Data, "blobs", "incoming")
	requireNoError(t, os.MkdirAll(unfinished, 0o700))
	requireNoError(t, os.WriteFile(filepath.Join(unfinished, "upload-1"), []byte("half"), 0o600))
	opens()
	folder := filepath.Join(cfg.Data, "blobs", "ab")
	requireNoError(t, os.MkdirAll(folder, 0o700))
	requireNoError(t, os.WriteFile(filepath.Join(folder, "ab"+strings.Repeat("0", 62)), []byte("whole"), 0o600))
	opens()
	file := cfg.Database()
	for _, harm := range []func() error{func() error { return os.Truncate(file, 0) }, func() error {
		return os.Remove(file)
	}} {
		requireNoError(t, harm())
		_, err := server.Open(t.Context(), cfg)
		if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "backup") {
			t.Fatalf("opened, or refused without a word of what to do: %v", err)
		}
		if info, err := os.Stat(file); err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error("a database was made, or ", err)
		}
	}
	// what the message says
	requireNoError(t, os.Rename(filepath.Join(cfg.Data, "blobs"), filepath.Join(t.TempDir(), "away")))
	opens()
}

// A program that has unmapped its own pages maps them again as it needs them.
func TestUnmap(t *testing.T) {
	for range 3 {
		unmapUnusedPages()
		text, err := json.Marshal(map[string]any{"settings": Config{}.StorageConfig})
		if err != nil || len(text) == 0 {
			t.Fatalf("%s, %v", text, err)
		}
	}
}
