package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"

	"parley"
	"parley/internal/httpapi"
)

// maxBodyBytes bounds what a request sends; the largest is a manifest with the texts it names.
const maxBodyBytes = 64 << 20

// Operation is one thing that an operator can do.
type Operation[In, Out any] struct {
	httpapi.Operation
	handle        func(s *Service, ctx context.Context, in In) (Out, error)
	mayCreateData bool // may be the first thing ever done in a data directory
}

// newOperation returns the operation of a route such as "GET /accounts".
func newOperation[In, Out any](
	g httpapi.Group, route string, op operation, handle func(*Service, context.Context, In) (Out, error),
) Operation[In, Out] {
	return Operation[In, Out]{Operation: g.Complete(route, op), handle: handle}
}

// mayComeFirst marks an operation that may be the first one ever in a data directory.
func (op Operation[In, Out]) mayComeFirst() Operation[In, Out] {
	op.mayCreateData = true
	return op
}

type (
	operation  = httpapi.Operation
	errorCodes = []parley.Code

	// NoInput is the input of an operation that takes nothing.
	NoInput = httpapi.NoInput
)

// NoOutput is the output of an operation that returns nothing.
type NoOutput struct{}

// route is an Operation, whatever its types are.
type route interface {
	add(api *httpapi.API, s *Service)
}

func (op Operation[In, Out]) add(api *httpapi.API, s *Service) {
	op.MaxBodyBytes = maxBodyBytes
	httpapi.Handle(api, httpapi.TypedOperation[In, Out]{
		Operation: op.Operation,
		Handler: func(ctx context.Context, _ *httpapi.Call, in *In) (_ *Out, err error) {
			var out Out
			if local, ok := ctx.Value(localCallKey{}).(*localCall[Out]); ok {
				defer func() { err = local.finish(out, err, recover()) }()
			}
			out, err = op.handle(s, ctx, *in)
			if err != nil {
				return nil, err
			}
			return &out, nil
		},
	})
}

// newAPI returns the API without its operations. Whoever reaches it is the operator: the mode of the socket's file is
// the only protection.
func newAPI(s *Service, log *slog.Logger) *httpapi.API {
	report := s.OnUndeclaredCode
	if report == nil {
		report = func(op *httpapi.Operation, code parley.Code) {
			log.Error("an operation failed with a code that it does not declare", "operation", op.Name, "code", code)
		}
	}
	return httpapi.New(httpapi.Config{
		Keyless:          true,
		Admit:            admit,
		RenderError:      httpapi.RenderEnvelope,
		Now:              s.Now,
		Logger:           log,
		OnUndeclaredCode: report,
	})
}

// admit lets every request in but those that lead to no operation.
func admit(_ context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	if op.Name == "" {
		return httpapi.Admission{}, parley.NewErrorf(parley.CodeNotFound,
			"The running server does not know the operation %s %s; is it another version?", r.Method, r.URL.Path)
	}
	return httpapi.Admission{}, nil
}

// Handler answers the admin socket.
func Handler(s *Service, log *slog.Logger) http.Handler {
	api := newAPI(s, log)
	for _, r := range routes() {
		r.add(api, s)
	}
	return api
}

// RunOn calls the operation on a service of this process. The input is bound and checked as that of a request is.
func RunOn[In, Out any](ctx context.Context, s *Service, op Operation[In, Out], in In) (out Out, err error) {
	local := &localCall[Out]{}
	r, err := httpapi.NewRequest(context.WithValue(ctx, localCallKey{}, local), "", &op.Operation, &in)
	if err != nil {
		return out, err
	}
	api := newAPI(s, slog.New(slog.DiscardHandler)) // the caller gets the error itself
	op.add(api, s)
	var reply localResponse
	reply.serve(api, r)
	if local.isDone {
		return local.out, local.err
	}
	return out, decodeReply(reply.status, &reply.body, &out)
}

// localCall takes the outcome of a call within the process as it is in Go: an error with its cause, which no response
// tells, and an output beside an error.
type localCall[Out any] struct {
	out    Out
	err    error
	isDone bool
}

type localCallKey struct{}

func (c *localCall[Out]) finish(out Out, err error, panicked any) error {
	if panicked != nil {
		err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
	}
	c.out, c.err, c.isDone = out, err, true
	return err
}

// localResponse is the response to a request within the process.
type localResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *localResponse) serve(h http.Handler, req *http.Request) {
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			panic(p)
		}
	}()
	h.ServeHTTP(r, req)
}

// Header returns the response's headers.
func (r *localResponse) Header() http.Header {
	if r.header == nil {
		r.header = make(http.Header)
	}
	return r.header
}

// WriteHeader takes the status.
func (r *localResponse) WriteHeader(status int) { r.status = status }

func (r *localResponse) Write(b []byte) (int, error) { return r.body.Write(b) }

// decodeReply decodes a response into out, or returns the failure that it holds.
func decodeReply(status int, body io.Reader, out any) error {
	if status/100 == 2 {
		return json.NewDecoder(body).Decode(out)
	}
	var e httpapi.Envelope
	if err := json.NewDecoder(body).Decode(&e); err != nil {
		return fmt.Errorf("admin API: status %d: %w", status, err)
	}
	return &parley.Error{Code: e.Error.Code, Message: e.Error.Message, Details: e.Error.Details}
}
