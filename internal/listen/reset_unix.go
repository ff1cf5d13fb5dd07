//go:build unix

package listen

import (
	"fmt"
	"syscall"
)

// awaitReset waits until the peer, which has closed its half, resets the connection, or a deadline is over.
func awaitReset(c syscall.Conn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return fmt.Errorf("look at a connection: %w", err)
	}
	var reset error
	err = raw.Read(func(fd uintptr) bool {
		code, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ERROR)
		if err == nil && code != 0 {
			err = syscall.Errno(code)
		}
		reset = err
		return reset != nil
	})
	if err != nil {
		return err // as it is: net/http asks whether it is a timeout
	}
	return reset
}

// Descriptors returns how many files and connections this process may have open; 0 if that is not known.
func Descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), 1<<30)) //nolint:unconvert,gosec // it is signed on some systems
}
