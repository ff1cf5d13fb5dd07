package extract

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
	"parley/internal/ingest/extract/sandbox"
)

// The messages between a Pool and its children, in the parts of sandbox.WriteMessage.
//
//	request:  what to do ("file", "page" or "front page"), kind or content type, name or address, bytes
//	reply:    "", the document as JSON, its text; or the reason of a refusal, its cause, "";
//	          and behind it "replace" from a child that should read no more

// request is what a child is asked to do, about a file or a page.
type request struct {
	ask  string
	kind string // or the content type
	name string // or the address
	data []byte
}

const (
	requestFile      = "file"
	requestPage      = "page"
	requestFrontPage = "front page"
)

const stateReplace = "replace"

func writeReply(w io.Writer, page html.Page, failed error, state string) error {
	if failed != nil {
		known := draft.ToError(failed)
		cause := ""
		if inner := errors.Unwrap(known); inner != nil {
			cause = inner.Error()
		}
		return sandbox.WriteMessage(w, []byte(known.Error()), []byte(cause), nil, []byte(state))
	}
	header, err := json.Marshal(page)
	if err != nil {
		return err
	}
	return sandbox.WriteMessage(w, nil, header, []byte(page.Text), []byte(state))
}

func readReply(r io.Reader) (page html.Page, wantsReplacement bool, refused, err error) {
	parts, err := sandbox.ReadMessage(r, 4)
	if err != nil {
		return page, false, nil, err
	}
	wantsReplacement = string(parts[3]) == stateReplace
	if len(parts[0]) > 0 {
		var cause error
		if len(parts[1]) > 0 {
			cause = errors.New(draft.ShortLine(string(parts[1])))
		}
		return page, wantsReplacement, &draft.Error{Reason: draft.ShortLine(string(parts[0])), Err: cause}, nil
	}
	if err := json.Unmarshal(parts[1], &page); err != nil {
		return page, false, nil, err
	}
	page.Text = string(parts[2])
	return page, wantsReplacement, nil, nil
}

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
		parts, err := sandbox.ReadMessage(in, 4)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		sandbox.LimitCPU()
		page, failed := answerRequest(request{string(parts[0]), string(parts[1]), string(parts[2]), parts[3]})
		state := ""
		if runtime.ReadMemStats(&memory); memory.Sys > sandbox.RetireMemoryBytes {
			state = stateReplace
		}
		if err := writeReply(out, page, failed, state); err != nil {
			return err
		}
	}
}

func answerRequest(r request) (page html.Page, err error) {
	switch r.ask {
	case requestPage:
		return html.ReadPage(context.Background(), r.name, r.kind, r.data)
	case requestFrontPage:
		return html.ReadFrontPage(context.Background(), r.name, r.kind, r.data)
	case requestFile:
		page.Document, err = ReadFile(context.Background(), Kind(r.kind), r.name, r.data)
		return page, err
	}
	return page, draft.NewError("the request %q is unknown", r.ask)
}
