package datadir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLockIsExclusiveAndNamesItsHolder(t *testing.T) {
	dir := t.TempDir()
	lock, err := TryLock(dir, "parley account create")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(dir, "parley serve"); !errors.Is(err, ErrLocked) ||
		!strings.Contains(err.Error(), "parley account create") {
		t.Fatalf("second lock: %v", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := TryLock(dir, "parley serve")
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Unlock(); err != nil {
		t.Fatal(err)
	}
}

// Several backups may hold the files at a time; nobody removes any meanwhile, and a backup waits for a removal.
func TestHeldFilesAreNotRemoved(t *testing.T) {
	dir := t.TempDir()
	hold := func() (*Lock, error) { return HoldFiles(t.Context(), dir, time.Millisecond) }
	var locks []*Lock
	for range 2 {
		lock, err := hold()
		if err != nil {
			t.Fatal(err)
		}
		locks = append(locks, lock)
	}
	for _, lock := range locks {
		if _, err := LockFilesForRemoval(dir); !errors.Is(err, ErrLocked) {
			t.Errorf("removed while they are held: %v", err)
		}
		if err := lock.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
	removal, err := LockFilesForRemoval(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hold(); !errors.Is(err, ErrLocked) {
		t.Errorf("held while one is removed: %v", err)
	}
	if err := removal.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func TestServerWaitsForACommandButNotForAServer(t *testing.T) {
	dir := t.TempDir()
	command, err := TryLock(dir, "parley key list")
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { _ = command.Unlock() })
	server, err := LockServer(t.Context(), dir, "parley serve", time.Minute)
	if err != nil {
		t.Fatalf("after a command: %v", err)
	}
	defer func() { _ = server.Unlock() }()

	socket, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // only guards against waiting
	defer cancel()
	if _, err := LockServer(ctx, dir, "parley serve", time.Hour); !errors.Is(err, ErrLocked) {
		t.Fatalf("beside a server: %v", err)
	}
}

func TestSocketIsPrivateAndRemovedWithItsServer(t *testing.T) {
	for name, dir := range map[string]string{"short": t.TempDir(),
		"long": filepath.Join(t.TempDir(), strings.Repeat("long/", 30))} {
		t.Run(name, func(t *testing.T) {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, socketName)
			if err := os.WriteFile(path, nil, 0o666); err != nil { // left by a server that was killed
				t.Fatal(err)
			}
			l, err := Listen(dir)
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != os.ModeSocket {
				t.Errorf("socket: %v, %v", info.Mode(), err)
			}
			if !IsServerListening(dir) {
				t.Error("no server answers")
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("not removed: %v", left)
			}
			if IsServerListening(dir) {
				t.Error("a closed socket answers")
			}
		})
	}
}
