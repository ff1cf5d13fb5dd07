//go:build !linux

package sandbox

import "errors"

// Systems other than Linux have the memory limit of Go itself and the clock of the Pool. Only our own readers run
// there.
const OnLinux = false

var errNotLinux = errors.New("this system cannot keep a process from files and sockets")

func limitMemory() error { return nil }

func LimitCPU() {}

func confine() error { return errNotLinux }

// System tells what this system lacks to keep readers of files from everything else.
func System() (calls, files error) { return errNotLinux, errNotLinux }

// Become is for Linux only.
func Become(Need, string, []string) error {
	return errors.New("programs that read files are used on Linux only")
}
