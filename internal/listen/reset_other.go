//go:build !unix

package listen

import (
	"io"
	"syscall"
)

// awaitReset does not wait: on these systems the end of what a client sends counts as its own.
func awaitReset(syscall.Conn) error { return io.EOF }

// Descriptors returns how many files and connections this process may have open; 0 if that is not known.
func Descriptors() int { return 0 }
