//go:build !linux

package sandbox

import "errors"

// OnLinux reports whether this system is Linux. Others have the memory limit of Go itself and the clock of the Pool,
// and only our own readers run there.
const OnLinux = false

var errNotLinux = errors.New("this system cannot keep a process from files and sockets")

func limitMemory() error { return nil }

// LimitCPU does nothing on this system.
func LimitCPU() {}

func confine() error { return errNotLinux }

// System returns what this system lacks to fence readers of files.
func System() (calls, files error) { return errNotLinux, errNotLinux }

// Become fails: other programs are used on Linux only.
func Become(Need, string, []string) error {
	return errors.New("programs that read files are used on Linux only")
}
