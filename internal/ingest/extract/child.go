package extract

import (
	"bufio"
	"context"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
)

// What a child may use, whatever it reads.
const (
	maxChildBytes      = raceFactor * 512 << 20 // bytes of memory
	childMemoryLimit   = raceFactor * 400 << 20 // from here on it collects garbage all the time
	childRetireBytes   = raceFactor * 160 << 20 // what Go has once taken stays counted; the next file shall have more room than the rest of it
	maxChildCPUSeconds = 30                     // seconds of processor for one file
	maxChildFiles      = 64                     // open at a time
)

// Serve reads one request after the other from r and answers to w, until r ends: it is what "parley extract" does. Before the
// first it gives up what a reader of files does not need: memory without end and, on Linux, files, sockets and programs.
func Serve(r io.Reader, w io.Writer) error {
	debug.SetMemoryLimit(childMemoryLimit)
	in, out := bufio.NewReader(r), bufio.NewWriter(w)
	state := stateFenced
	if err := errors.Join(limitMemory(), confine()); err != nil {
		state = err.Error()
	}
	if err := writeMessage(out, []byte(state)); err != nil {
		return err
	}
	var memory runtime.MemStats
	for {
		request, err := readMessage(in, 4)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		limitCPU(maxChildCPUSeconds)
		page, failed := answerRequest(string(request[0]), string(request[1]), string(request[2]), request[3])
		state := ""
		if runtime.ReadMemStats(&memory); memory.Sys > childRetireBytes {
			state = stateTired
		}
		if err := writeReply(out, page, failed, state); err != nil {
			return err
		}
	}
}

func answerRequest(ask, kind, name string, data []byte) (page WebPage, err error) {
	switch ask {
	case requestPage:
		return ReadPage(context.Background(), name, kind, data)
	case requestFile:
		page.Document, err = ReadFile(context.Background(), Kind(kind), name, data)
		return page, err
	}
	return page, newError("the request %q is unknown", ask)
}
