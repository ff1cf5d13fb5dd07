package server_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/server"
	"parley/internal/testkit/check"
)

// A server whose database is empty or missing, while uploaded files exist, does not start, and reports what to do.
func TestFilesWithoutTheirDatabaseStopTheStart(t *testing.T) {
	cfg := server.Config{StorageConfig: server.StorageConfig{Data: t.TempDir()}, Now: time.Now}
	opens := func() {
		t.Helper()
		s, err := server.Open(t.Context(), cfg)
		check.Must(t, err)
		check.Must(t, s.Close())
	}
	unfinished := filepath.Join(cfg.Data, "blobs", "incoming")
	check.Must(t, os.MkdirAll(unfinished, 0o700))
	check.Must(t, os.WriteFile(filepath.Join(unfinished, "upload-1"), []byte("half"), 0o600))
	opens()
	folder := filepath.Join(cfg.Data, "blobs", "ab")
	check.Must(t, os.MkdirAll(folder, 0o700))
	check.Must(t, os.WriteFile(filepath.Join(folder, "ab"+strings.Repeat("0", 62)), []byte("whole"), 0o600))
	opens()
	file := cfg.Database()
	for _, damage := range []func() error{func() error { return os.Truncate(file, 0) }, func() error {
		return os.Remove(file)
	}} {
		check.Must(t, damage())
		_, err := server.Open(t.Context(), cfg)
		if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "backup") {
			t.Fatalf("opened, or refused without a word of what to do: %v", err)
		}
		if info, err := os.Stat(file); err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error("a database was created, or ", err)
		}
	}
	// what the message says
	check.Must(t, os.Rename(filepath.Join(cfg.Data, "blobs"), filepath.Join(t.TempDir(), "away")))
	opens()
}
