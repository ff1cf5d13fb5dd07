package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lockOffset is the byte that is locked. It lies behind the text of the file, which others may read.
const lockOffset = 1 << 30

// lockFile locks a file until it is closed. It fails with ErrLocked when another process has locked it.
func lockFile(file *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{Offset: lockOffset})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// IsNotListening reports whether err says that no server listens on the socket, so that nothing can have been done.
func IsNotListening(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, windows.WSAECONNREFUSED)
}

// shortSocketPath returns the path of the socket in an open directory: Windows has no shorter one.
func shortSocketPath(dir *os.File) string { return filepath.Join(dir.Name(), socketName) }
