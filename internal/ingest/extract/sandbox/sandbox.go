// Package sandbox runs processes that read the files of strangers, and fences them: within limits of memory and
// processor time and, on Linux, without sockets, without files that are not theirs to read (Landlock), and without
// calls that reach other processes (seccomp).
package sandbox

import (
	"errors"
	"io"
	"runtime/debug"
)

// Need is what a system must have for another program to read a file on it.
type Need string

// The fences that are needed: all of them, the one around calls (seccomp), or none.
const (
	NeedAll     Need = "all"
	NeedCalls   Need = "calls"
	NeedNothing Need = "nothing"
)

// What a process may use, whatever it reads.
const (
	maxMemoryBytes  = raceFactor * 512 << 20
	softMemoryBytes = raceFactor * 400 << 20 // from here on it collects garbage all the time
	maxCPUSeconds   = 30                     // seconds of processor for one file
	maxOpenFiles    = 64

	// RetireMemoryBytes is how much memory a process may have and still read another file: what Go has once taken stays
	// counted, and the next file shall have more than the rest of it.
	RetireMemoryBytes = raceFactor * 160 << 20
)

// stateFenced is what a process in the sandbox says first; any other state says what it lacks.
const stateFenced = "fenced"

// Enter drops what a reader of files does not need, and writes to the process that started this one whether that has
// worked.
func Enter(out io.Writer) error {
	debug.SetMemoryLimit(softMemoryBytes)
	state := stateFenced
	if err := errors.Join(limitMemory(), confine()); err != nil {
		state = err.Error()
	}
	return WriteMessage(out, []byte(state))
}
