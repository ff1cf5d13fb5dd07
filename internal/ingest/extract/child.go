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
	childData   = raceFactor * 512 << 20 // bytes of memory
	childMemory = raceFactor * 400 << 20 // from here on it collects garbage all the time
	childTired  = raceFactor * 160 << 20 // what Go has once taken stays counted; the next file shall have more room than the rest of it
	childCPU    = 30                     // seconds of processor for one file
	childFiles  = 64                     // open at a time
)

// Serve reads one request after the other from r and answers to w, until r ends: it is what "parley extract" does. Before the
// first it gives up what a reader of files does not need: memory without end and, on Linux, files, sockets and programs.
func Serve(r io.Reader, w io.Writer) error {
	debug.SetMemoryLimit(childMemory)
	in, out := bufio.NewReader(r), bufio.NewWriter(w)
	state := fenced
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
		limitCPU(childCPU)
		page, failed := answer(string(request[0]), string(request[1]), string(request[2]), request[3])
		state := ""
		if runtime.ReadMemStats(&memory); memory.Sys > childTired {
			state = tired
		}
		if err := writeReply(out, page, failed, state); err != nil {
			return err
		}
	}
}

func answer(ask, kind, name string, data []byte) (page WebPage, err error) {
	switch ask {
	case askPage:
		return Page(context.Background(), name, kind, data)
	case askFile:
		page.Document, err = Text(context.Background(), Kind(kind), name, data)
		return page, err
	}
	return page, refuse("the request %q is unknown", ask)
}
