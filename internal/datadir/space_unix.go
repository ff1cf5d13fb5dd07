//go:build linux || darwin

package datadir

import (
	"io/fs"
	"syscall"
)

// FreeSpace returns how many bytes are free on the disk of a folder, for those who are not its administrator, and how
// many it has.
func FreeSpace(dir string) (free, total uint64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	block := uint64(s.Bsize) //nolint:gosec // it is positive, and its type differs between systems
	return s.Bavail * block, s.Blocks * block, nil
}

// OwnerID returns the number of the user that owns a file.
func OwnerID(info fs.FileInfo) (uid int, known bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
