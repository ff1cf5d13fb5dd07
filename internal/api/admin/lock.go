package admin

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

// errLocked says that another process holds the lock.
var errLocked = errors.New("the data directory is in use")

// tryLock takes the lock of the data directory or fails with errLocked at once. holder is the name that is shown to
// whoever tries next.
func tryLock(dir, holder string) (*Lock, error) {
	file, err := os.OpenFile(filepath.Join(dir, "parley.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file); err != nil {
		defer func() { _ = file.Close() }()
		if errors.Is(err, errLocked) {
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
	err := retry(ctx, wait, func() (again bool, err error) {
		lock, err = tryLock(dir, holder)
		if err == nil || !errors.Is(err, errLocked) {
			return false, err
		}
		return !isServerListening(dir), err
	})
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("%w; choose another one with --data, or stop that server first (%s)", err, dir)
	}
	return lock, err
}

// Unlock releases the lock; a nil one was not needed.
func (l *Lock) Unlock() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}

// retry calls try until try says not to, or until wait is over. It returns the last error.
func retry(ctx context.Context, wait time.Duration, try func() (again bool, err error)) error {
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
