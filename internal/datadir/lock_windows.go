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

// lockFile locks a file until it is closed, for one or for several at a time. It fails with ErrLocked when the lock of
// another process is in the way.
func lockFile(file *os.File, isExclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if isExclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{Offset: lockOffset})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// unlockFile does nothing: closing the file releases the lock.
func unlockFile(*os.File) error { return nil }

// lockFolder locks a file in a folder, which Windows does not lock itself.
func lockFolder(dir string, isExclusive bool) (*Lock, error) {
	file, err := os.OpenFile(filepath.Join(dir, "files.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file, isExclusive); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Lock{file}, nil
}

// IsNotListening reports whether err says that no server listens on the socket, so that nothing can have been done.
func IsNotListening(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, windows.WSAECONNREFUSED)
}

// shortSocketPath returns the path of the socket in an open directory: Windows has no shorter one.
func shortSocketPath(dir *os.File) string { return filepath.Join(dir.Name(), socketName) }
