//go:build unix

package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// lockFile locks a file until it is closed. It fails with ErrLocked when another process has locked it.
func lockFile(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// IsNotListening reports whether err says that no server listens on the socket, so that nothing can have been done.
func IsNotListening(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// shortSocketPath returns a path of the socket in an open directory that is short whatever the directory's own path is.
func shortSocketPath(dir *os.File) string {
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), socketName)
}
