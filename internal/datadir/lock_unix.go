//go:build unix

package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// lockFile locks a file until it is closed, for one or for several at a time. It fails with ErrLocked when the lock of
// another process is in the way.
func lockFile(file *os.File, isExclusive bool) error {
	mode := syscall.LOCK_SH
	if isExclusive {
		mode = syscall.LOCK_EX
	}
	err := syscall.Flock(int(file.Fd()), mode|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// unlockFile releases the lock before the file is closed: a child process that is just being started has the file too.
func unlockFile(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }

// lockFolder locks a folder itself: a file in it would belong to whoever came first, who may not be its owner.
func lockFolder(dir string, isExclusive bool) (*Lock, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := lockFile(folder, isExclusive); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return &Lock{folder}, nil
}

// IsNotListening reports whether err says that no server listens on the socket, so that nothing can have been done.
func IsNotListening(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// shortSocketPath returns a path of the socket in an open directory that is short whatever the directory's own path is.
func shortSocketPath(dir *os.File) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), socketName)
}
