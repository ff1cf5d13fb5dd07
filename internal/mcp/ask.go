package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"parley"
	"parley/internal/wire"
)

// asker is what a call of a tool needs to know of the request that brought it.
type asker struct {
	authorization []string
	remote        string
}

type askerKey struct{}

func asking(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, askerKey{}, asker{r.Header.Values("Authorization"), r.RemoteAddr})
}

// ask sends a request to REST with the caller's key, and gives the JSON of its reply. A refusal is an error of type *refusal. A
// reply of more than most bytes is cut there, with errCut; 0 is no bound.
func (s *server) ask(ctx context.Context, req request, most int) (text []byte, err error) {
	who, _ := ctx.Value(askerKey{}).(asker)
	r := req.httpRequest().WithContext(ctx)
	r.Header["Authorization"], r.RemoteAddr = who.authorization, who.remote
	if req.body != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(req.body)), int64(len(req.body))
		r.Header.Set("Content-Type", mediaType)
	}
	w := &reply{header: http.Header{}, status: http.StatusOK, most: most}
	defer func() {
		if p := recover(); p != nil { // REST cuts off a reply that cannot be finished
			text, err = nil, fmt.Errorf("REST gave up on %s %s: %v", req.method, req.path, p)
			if w.cut {
				text, err = w.body.Bytes(), errCut
			}
		}
	}()
	s.REST.ServeHTTP(w, r)
	switch {
	case w.status >= http.StatusBadRequest:
		return nil, w.refused()
	case w.cut:
		return w.body.Bytes(), errCut
	}
	return bytes.TrimSpace(w.body.Bytes()), nil
}

// errCut says that a reply was longer than it may be.
var errCut = errors.New("the reply is too long")

// reply keeps a response.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
	most   int
	cut    bool
}

func (w *reply) Header() http.Header { return w.header }

func (w *reply) WriteHeader(status int) { w.status = status }

func (w *reply) Write(b []byte) (int, error) {
	if w.most > 0 && w.body.Len()+len(b) > w.most {
		w.cut = true
		n, _ := w.body.Write(b[:max(0, w.most-w.body.Len())])
		return n, errCut
	}
	return w.body.Write(b)
}

// refusal is a failure as a tool tells it: what REST says, and what REST says in headers.
type refusal struct {
	wire.Failure
	RetryAfter int    `json:"retryAfter,omitempty"` // seconds
	RequestID  string `json:"requestId,omitempty"`  // of a failure that is the server's own
}

func (e *refusal) Error() string { return string(e.Code) + ": " + e.Message }

func (w *reply) refused() error {
	var envelope wire.Envelope
	if err := json.Unmarshal(w.body.Bytes(), &envelope); err != nil {
		return fmt.Errorf("read a refusal of REST: %w", err)
	}
	e := &refusal{Failure: envelope.Error}
	e.RetryAfter, _ = strconv.Atoi(w.header.Get("Retry-After"))
	if w.status == http.StatusInternalServerError {
		e.RequestID = w.header.Get("X-Request-Id")
	}
	return e
}

// refusalOf words any error as a refusal.
func refusalOf(err error) *refusal {
	var told *refusal
	if errors.As(err, &told) {
		return told
	}
	e := parley.ErrorOf(err)
	return &refusal{Failure: wire.Failure{Code: e.Code, Message: e.Message, Details: e.Details}}
}
