// Package datadir holds what processes meet by in a data directory: the lock of its database and the admin socket of
// the server that runs on it.
package datadir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Lock is the right to open the database of a data directory. It ends with the process, however that ends.
type Lock struct{ file *os.File }

// LockFile is the name of the file that is locked, in the data directory.
const LockFile = "parley.lock"

// ErrLocked says that another process holds the lock.
var ErrLocked = errors.New("the data directory is in use")

// TryLock takes the lock of the data directory or fails with ErrLocked at once. holder is the name that is shown to
// whoever tries next.
func TryLock(dir, holder string) (*Lock, error) {
	file, err := os.OpenFile(filepath.Join(dir, LockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file, true); err != nil {
		defer func() { _ = file.Close() }()
		if errors.Is(err, ErrLocked) {
			return nil, fmt.Errorf("%w by %s", err, lockHolder(file))
		}
		return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	note := fmt.Appendf(nil, "%s (process %d)\n", holder, os.Getpid())
	if err := errors.Join(file.Truncate(0), overwriteFile(file, note)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Lock{file}, nil
}

func overwriteFile(file *os.File, text []byte) error {
	_, err := file.WriteAt(text, 0)
	return err
}

func lockHolder(file *os.File) string {
	note := make([]byte, 200)
	n, _ := file.ReadAt(note, 0)
	if holder := strings.TrimSpace(string(note[:n])); holder != "" {
		return holder
	}
	return "another process"
}

// LockServer takes the lock for a server. It waits for a command that holds the lock, but not for another server.
func LockServer(ctx context.Context, dir, holder string, wait time.Duration) (*Lock, error) {
	var lock *Lock
	err := Retry(ctx, wait, func() (again bool, err error) {
		lock, err = TryLock(dir, holder)
		if err == nil || !errors.Is(err, ErrLocked) {
			return false, err
		}
		return !IsServerListening(dir), err
	})
	if errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("%w; choose another one with --data, or stop that server first (%s)", err, dir)
	}
	return lock, err
}

// HoldFiles keeps the uploaded files of a data directory from being removed, until the lock is released. Several may
// hold them at a time. It waits for a removal that has begun.
func HoldFiles(ctx context.Context, dir string, wait time.Duration) (*Lock, error) {
	var lock *Lock
	err := Retry(ctx, wait, func() (again bool, err error) {
		lock, err = lockFolder(dir, false)
		return errors.Is(err, ErrLocked), err
	})
	return lock, err
}

// LockFilesForRemoval takes the right to remove uploaded files of a data directory, or fails with ErrLocked while
// somebody holds them.
func LockFilesForRemoval(dir string) (*Lock, error) { return lockFolder(dir, true) }

// Unlock releases the lock; a nil one was not needed.
func (l *Lock) Unlock() error {
	if l == nil {
		return nil
	}
	return errors.Join(unlockFile(l.file), l.file.Close())
}

// Retry calls try until try says not to, or until wait is over. It returns the last error.
func Retry(ctx context.Context, wait time.Duration, try func() (again bool, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		again, err := try()
		if !again {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}
