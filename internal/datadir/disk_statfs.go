//go:build linux || darwin

package datadir

import "syscall"

// DiskSpace returns how many bytes of the disk that a directory is on are free for this process, and how many there are
// in all. Both are 0 where the system does not tell.
func DiskSpace(dir string) (free, all uint64) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize)
}
