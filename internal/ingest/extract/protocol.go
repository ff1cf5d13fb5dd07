package extract

import (
	"encoding/json"
	"errors"
	"io"

	"parley/internal/ingest/extract/draft"
	"parley/internal/ingest/extract/html"
	"parley/internal/ingest/extract/sandbox"
)

// The messages between a Pool and its children, in the parts of sandbox.WriteMessage.
//
//	request:  what to do ("file" or "page"), kind or content type, name or address, bytes
//	reply:    "", the document as JSON, its text; or the reason of a refusal, its cause, "";
//	          and behind it "tired" from a child that should read no more

// What a child is asked to do.
const (
	requestFile = "file"
	requestPage = "page"
)

const stateTired = "tired"

func writeReply(w io.Writer, page html.Page, failed error, state string) error {
	if failed != nil {
		known := draft.ToError(failed)
		cause := ""
		if inner := errors.Unwrap(known); inner != nil {
			cause = inner.Error()
		}
		return sandbox.WriteMessage(w, []byte(known.Error()), []byte(cause), nil, []byte(state))
	}
	about, err := json.Marshal(page)
	if err != nil {
		return err
	}
	return sandbox.WriteMessage(w, nil, about, []byte(page.Text), []byte(state))
}

func readReply(r io.Reader) (page html.Page, tiredOut bool, refused, err error) {
	parts, err := sandbox.ReadMessage(r, 4)
	if err != nil {
		return page, false, nil, err
	}
	tiredOut = string(parts[3]) == stateTired
	if len(parts[0]) > 0 {
		var cause error
		if len(parts[1]) > 0 {
			cause = errors.New(draft.ShortLine(string(parts[1])))
		}
		return page, tiredOut, &draft.Error{Reason: draft.ShortLine(string(parts[0])), Err: cause}, nil
	}
	if err := json.Unmarshal(parts[1], &page); err != nil {
		return page, false, nil, err
	}
	page.Text = string(parts[2])
	return page, tiredOut, nil, nil
}
