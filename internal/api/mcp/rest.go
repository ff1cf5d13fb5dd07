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
	"parley/internal/httpapi"
)

// callerInfo is what a tool call passes on of the request that it came with.
type callerInfo struct {
	authorization []string
	remoteAddr    string
}

type callerInfoKey struct{}

func withCallerInfo(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, callerInfoKey{}, callerInfo{r.Header.Values("Authorization"), r.RemoteAddr})
}

// callOperation calls an operation of REST with the arguments of a tool, as callREST does.
func (s *server) callOperation(ctx context.Context, op *operation, args arguments, maxBytes int) ([]byte, error) {
	req, err := op.newRequest(args)
	if err != nil {
		return nil, err
	}
	return s.callREST(ctx, req, maxBytes)
}

// callREST sends a request to REST with the caller's key and returns the JSON of the reply. A failure is an error
// of type *refusal. A reply of more than maxBytes is truncated, with errReplyTooLong; 0 is no limit.
func (s *server) callREST(ctx context.Context, req restRequest, maxBytes int) (text []byte, err error) {
	caller, _ := ctx.Value(callerInfoKey{}).(callerInfo)
	r := req.httpRequest().WithContext(ctx)
	r.Header["Authorization"], r.RemoteAddr = caller.authorization, caller.remoteAddr
	if req.body != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(req.body)), int64(len(req.body))
		r.Header.Set("Content-Type", mediaType)
	}
	w := &restReply{header: http.Header{}, status: http.StatusOK, maxBytes: maxBytes}
	defer func() {
		if p := recover(); p != nil { // REST panics to abort a reply that it cannot finish
			text, err = nil, fmt.Errorf("REST gave up on %s %s: %v", req.method, req.path, p)
			if w.isTruncated {
				text, err = w.body.Bytes(), errReplyTooLong
			}
		}
	}()
	s.REST.ServeHTTP(w, r)
	switch {
	case w.status >= http.StatusBadRequest:
		return nil, w.refusalError()
	case w.isTruncated:
		return w.body.Bytes(), errReplyTooLong
	}
	return bytes.TrimSpace(w.body.Bytes()), nil
}

// errReplyTooLong is the error of a reply that was truncated.
var errReplyTooLong = errors.New("the reply is too long")

// restReply buffers a response.
type restReply struct {
	header      http.Header
	status      int
	body        bytes.Buffer
	maxBytes    int
	isTruncated bool
}

func (r *restReply) Header() http.Header { return r.header }

func (r *restReply) WriteHeader(status int) { r.status = status }

func (r *restReply) Write(b []byte) (int, error) {
	if r.maxBytes > 0 && r.body.Len()+len(b) > r.maxBytes {
		r.isTruncated = true
		n, _ := r.body.Write(b[:max(0, r.maxBytes-r.body.Len())])
		return n, errReplyTooLong
	}
	return r.body.Write(b)
}

// refusal is a failure in a tool's result: the failure of REST, with what REST sends in headers.
type refusal struct {
	httpapi.Failure
	RetryAfter int    `json:"retryAfter,omitempty"` // seconds
	RequestID  string `json:"requestId,omitempty"`  // of a failure that is the server's own
}

func (rf *refusal) Error() string { return string(rf.Code) + ": " + rf.Message }

func (r *restReply) refusalError() error {
	var envelope httpapi.Envelope
	if err := json.Unmarshal(r.body.Bytes(), &envelope); err != nil {
		return fmt.Errorf("read a refusal of REST: %w", err)
	}
	rf := &refusal{Failure: envelope.Error}
	rf.RetryAfter, _ = strconv.Atoi(r.header.Get("Retry-After"))
	if r.status == http.StatusInternalServerError {
		rf.RequestID = r.header.Get("X-Request-Id")
	}
	return rf
}

// newRefusal returns any error as a refusal.
func newRefusal(err error) *refusal {
	var known *refusal
	if errors.As(err, &known) {
		return known
	}
	e := parley.AsError(err)
	return &refusal{Failure: httpapi.Failure{Code: e.Code, Message: e.Message, Details: e.Details}}
}
