//go:build !linux && !darwin && !windows

package datadir

import (
	"errors"
	"io/fs"
)

// FreeSpace fails: it is unknown on this system.
func FreeSpace(string) (free, total uint64, err error) { return 0, 0, errors.ErrUnsupported }

// OwnerID returns the number of the user that owns a file: it is unknown on this system.
func OwnerID(fs.FileInfo) (uid int, known bool) { return 0, false }
