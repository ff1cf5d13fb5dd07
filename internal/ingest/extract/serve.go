package extract

import (
	"bufio"
	"context"
	"errors"
	"io"
	"runtime"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
	"parley/internal/ingest/extract/sandbox"
)

// Serve reads one request after the other from r and answers to w, until r ends: it is what "parley extract" does.
// Before the first it enters the sandbox: it limits its memory and, on Linux, drops its access to files, sockets and
// programs.
func Serve(r io.Reader, w io.Writer) error {
	in, out := bufio.NewReader(r), bufio.NewWriter(w)
	if err := sandbox.Enter(out); err != nil {
		return err
	}
	var memory runtime.MemStats
	for {
		request, err := sandbox.ReadMessage(in, 4)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		sandbox.LimitCPU()
		page, failed := answerRequest(string(request[0]), string(request[1]), string(request[2]), request[3])
		state := ""
		if runtime.ReadMemStats(&memory); memory.Sys > sandbox.RetireMemoryBytes {
			state = stateTired
		}
		if err := writeReply(out, page, failed, state); err != nil {
			return err
		}
	}
}

func answerRequest(ask, kind, name string, data []byte) (page html.Page, err error) {
	switch ask {
	case requestPage:
		return html.ReadPage(context.Background(), name, kind, data)
	case requestFile:
		page.Document, err = ReadFile(context.Background(), Kind(kind), name, data)
		return page, err
	}
	return page, draft.NewError("the request %q is unknown", ask)
}
