//go:build !linux

package extract

import "errors"

// Systems other than Linux have the memory limit of Go itself and the clock of the Pool.

func limitMemory() error { return nil }

func limitCPU(uint64) {}

func fence(bool) error { return errors.New("this system cannot keep a process from files and sockets") }

// Become is for Linux only.
func Become(string, []string) error {
	return errors.New("programs that read files are used on Linux only")
}
