// Package sandbox runs processes that read the files of strangers, and fences them: within limits of memory and
// processor time and, on Linux, without sockets, without files that are not theirs to read (Landlock), and without
// calls that reach other processes (seccomp).
package sandbox

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"parley/internal/ingest/extract/draft"
)

const maxMessageBytes = draft.MaxFileBytes + draft.MaxTextBytes

// WriteMessage writes the parts of a message, each behind its length in four bytes, big-endian.
func WriteMessage(w io.Writer, parts ...[]byte) error {
	var size [4]byte
	for _, p := range parts {
		if len(p) > maxMessageBytes {
			return fmt.Errorf("a part of %d bytes", len(p))
		}
		binary.BigEndian.PutUint32(size[:], uint32(len(p)))
		if _, err := w.Write(size[:]); err != nil {
			return err
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	if b, ok := w.(*bufio.Writer); ok {
		return b.Flush()
	}
	return nil
}

// ReadMessage reads a message of so many parts. No memory is allocated for the length that the other side claims before
// the bytes are there.
func ReadMessage(r io.Reader, count int) ([][]byte, error) {
	parts := make([][]byte, count)
	var size [4]byte
	for i := range parts {
		if _, err := io.ReadFull(r, size[:]); err != nil {
			if i > 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		n := int64(binary.BigEndian.Uint32(size[:]))
		if n > maxMessageBytes {
			return nil, fmt.Errorf("a part of %d bytes", n)
		}
		part, err := readMessagePart(r, n)
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	return parts, nil
}

func readMessagePart(r io.Reader, n int64) ([]byte, error) {
	const step = 1 << 20
	part := make([]byte, 0, min(n, step))
	for int64(len(part)) < n {
		from := len(part)
		more := min(n-int64(from), step)
		if int64(cap(part)-from) < more {
			part = append(make([]byte, 0, min(n, int64(2*from)+step)), part...)
		}
		part = part[:from+int(more)]
		if _, err := io.ReadFull(r, part[from:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return part, nil
}

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
	// counted, and the next file is to have more than the rest of it.
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
