package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// maxBodyBytes bounds what a request sends; the largest is a manifest with the texts it names.
const maxBodyBytes = 64 << 20

// Operation is one thing that an operator can do.
type Operation[In, Out any] struct {
	httpapi.Operation
	handle        func(s *Service, ctx context.Context, in In) (Out, error)
	mayCreateData bool                                 // may be the first thing ever done in a data directory
	awaitsID      bool                                 // the change makes something, whose id belongs to its description
	change        func(in In, createdID string) change // for the audit chain; nil if its service records it
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

// recorded has what is changed with the operation recorded in the audit chain, in the transaction of the change. It is
// for operations whose service does not do that. Of what the operator changes, the chain is that of the account that
// the operation finds first.
func (op Operation[In, Out]) recorded(describe func(in In) change) Operation[In, Out] {
	op.change = func(in In, _ string) change { return describe(in) }
	return op
}

// recordedWithID is recorded of what makes something, with its id.
func (op Operation[In, Out]) recordedWithID(describe func(in In, createdID string) change) Operation[In, Out] {
	op.change, op.awaitsID = describe, true
	return op
}

// inFirstTransaction has a change recorded with what the first transaction makes or not.
func (op Operation[In, Out]) inFirstTransaction() Operation[In, Out] {
	op.awaitsID = false
	return op
}

// StreamOperation is an operation that answers with server-sent events. It records what members do by itself.
type StreamOperation[In any] struct {
	httpapi.Operation
	stream func(s *Service, ctx context.Context, c *httpapi.Call, in In) error
}

// newStreamOperation returns the operation of a route such as "POST /answers".
func newStreamOperation[In any](g httpapi.Group, route string, op operation,
	stream func(*Service, context.Context, *httpapi.Call, In) error) StreamOperation[In] {
	op.Streaming = true
	return StreamOperation[In]{g.Complete(route, op), stream}
}

func (op StreamOperation[In]) binding() binding { return binding{&op.Operation, op.addTo} }

func (op StreamOperation[In]) addTo(api *httpapi.API, described operation, by audience) {
	httpapi.Handle(api, httpapi.TypedOperation[In, httpapi.EventStream]{
		Operation: described,
		Handler: func(ctx context.Context, c *httpapi.Call, in *In) (*httpapi.EventStream, error) {
			return nil, op.stream(by.serviceFor(c), ctx, c, *in)
		},
	})
}

// FileOperation is an operation that answers with a file.
type FileOperation[In any] struct {
	httpapi.Operation
	write func(s *Service, ctx context.Context, c *httpapi.Call, in In) error
}

// newFileOperation returns the operation of a route such as "GET /export".
func newFileOperation[In any](g httpapi.Group, route string, op operation,
	write func(*Service, context.Context, *httpapi.Call, In) error) FileOperation[In] {
	return FileOperation[In]{g.Complete(route, op), write}
}

func (op FileOperation[In]) binding() binding { return binding{&op.Operation, op.addTo} }

func (op FileOperation[In]) addTo(api *httpapi.API, described operation, by audience) {
	httpapi.Handle(api, httpapi.TypedOperation[In, httpapi.File]{
		Operation: described,
		Handler: func(ctx context.Context, c *httpapi.Call, in *In) (*httpapi.File, error) {
			return nil, op.write(by.serviceFor(c), ctx, c, *in)
		},
	})
}

type (
	operation  = httpapi.Operation
	errorCodes = []parley.Code

	// NoInput is the input of an operation that takes nothing.
	NoInput = httpapi.NoInput
)

// NoOutput is the output of an operation that returns nothing.
type NoOutput struct{}

// route is an Operation, whatever its types are. The program has each method once for every operation, so there is only
// one.
type route interface{ binding() binding }

// binding is an operation without its types.
type binding struct {
	description *httpapi.Operation
	addTo       func(api *httpapi.API, described operation, by audience) // as it is described there
}

// add adds the operation for the operator.
func (b binding) add(api *httpapi.API, s *Service) {
	b.addTo(api, *b.description, audience{serviceFor: func(*httpapi.Call) *Service { return s }})
}

// addForMembers adds the operation for members, whose permissions the API has checked.
func (b binding) addForMembers(m *memberAPI) {
	b.addTo(m.api, forMembers(*b.description), audience{m.serviceFor, true})
}

func (op Operation[In, Out]) binding() binding {
	return binding{&op.Operation, func(api *httpapi.API, described operation, by audience) {
		addOperation(api, &op, described, by)
	}}
}

// audience are those who call: the operator or members.
type audience struct {
	serviceFor func(*httpapi.Call) *Service // as the caller uses it
	isMasked   bool                         // some of them may not see the personal data of customers
}

// addOperation adds an operation to an API as it is described there.
func addOperation[In, Out any](api *httpapi.API, op *Operation[In, Out], described operation, by audience) {
	described.MaxBodyBytes = maxBodyBytes
	httpapi.Handle(api, httpapi.TypedOperation[In, Out]{
		Operation: described,
		Handler: func(ctx context.Context, c *httpapi.Call, in *In) (_ *Out, err error) {
			var out Out
			if local, ok := ctx.Value(localCallKey{}).(*localCall[Out]); ok {
				defer func() { err = local.finish(out, err, recover()) }()
			}
			acting := by.serviceFor(c)
			if out, err = runOperation(acting, ctx, op, *in); err != nil {
				return nil, err
			}
			if by.isMasked {
				acting.hidePersonalData(&out)
			}
			return &out, nil
		},
	})
}

// runOperation calls the operation and records what it changes.
func runOperation[In, Out any](s *Service, ctx context.Context, op *Operation[In, Out], in In) (Out, error) {
	if op.change == nil {
		return op.handle(s, ctx, in)
	}
	entry := s.newEntry(func(createdID string) change { return op.change(in, createdID) }, op.awaitsID)
	out, err := op.handle(s, store.WithAuditEntry(ctx, entry), in)
	if err == nil && !entry.IsWritten() {
		err = s.appendEntry(ctx, entry)
	}
	return out, err
}

// newAPI returns the API without its operations. Whoever reaches it is the operator: the mode of the socket's file is
// the only protection.
func newAPI(s *Service, log *slog.Logger) *httpapi.API {
	return httpapi.New(httpapi.Config{
		Keyless:          true,
		Admit:            admit,
		UploadDir:        s.uploadFolder,
		RenderError:      renderForOperator,
		Now:              s.Now,
		Logger:           log,
		OnUndeclaredCode: s.undeclaredCodeReporter(log),
	})
}

// undeclaredCodeReporter returns what is told of a failure with a code that its operation does not declare.
func (s *Service) undeclaredCodeReporter(log *slog.Logger) func(op *httpapi.Operation, code parley.Code) {
	if s.OnUndeclaredCode != nil {
		return s.OnUndeclaredCode
	}
	return func(op *httpapi.Operation, code parley.Code) {
		log.Error("an operation failed with a code that it does not declare", "operation", op.Name, "code", code)
	}
}

// admit lets every request in but those that lead to no operation.
func admit(_ context.Context, r *http.Request, op *httpapi.Operation) (httpapi.Admission, error) {
	if op.Name == "" {
		return httpapi.Admission{}, parley.NewErrorf(parley.CodeNotFound,
			"The running server does not know the operation %s %s; is it another version?", r.Method, r.URL.Path)
	}
	return httpapi.Admission{CallerKind: httpapi.OperatorCaller}, nil
}

// Handler answers the admin socket.
func Handler(s *Service, log *slog.Logger) http.Handler {
	api := newAPI(s, log)
	for _, r := range routes() {
		r.binding().add(api, s)
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
	op.binding().add(api, s)
	var reply localResponse
	reply.serve(api, r)
	if local.isDone {
		return local.out, local.err
	}
	return out, decodeReply(reply.status, &reply.body, &out)
}

// DownloadOn writes the file that the operation answers with, on a service of this process.
func DownloadOn[In any](ctx context.Context, s *Service, op FileOperation[In], in In, w io.Writer) error {
	r, err := httpapi.NewRequest(ctx, "", &op.Operation, &in)
	if err != nil {
		return err
	}
	api := newAPI(s, slog.New(slog.DiscardHandler))
	op.binding().add(api, s)
	reply := localResponse{file: w}
	isComplete := reply.serve(api, r)
	switch {
	case reply.status/100 != 2:
		return decodeReply(reply.status, &reply.body, nil)
	case reply.fileErr != nil:
		return reply.fileErr
	case !isComplete:
		return errors.New("the file could not be read to its end")
	}
	return nil
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

	file    io.Writer // that takes the body of a success; nil for body
	fileErr error     // of the first write that failed
}

// serve reports whether the handler came to its end: one that fails while it sends aborts.
func (r *localResponse) serve(h http.Handler, req *http.Request) (isComplete bool) {
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
			panic(p)
		}
	}()
	h.ServeHTTP(r, req)
	return true
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

func (r *localResponse) Write(b []byte) (n int, err error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if r.file == nil || r.status/100 != 2 {
		return r.body.Write(b)
	}
	if n, err = r.file.Write(b); err != nil && r.fileErr == nil {
		r.fileErr = err
	}
	return n, err
}

// decodeReply decodes a response into out, or returns the failure that it holds.
func decodeReply(status int, body io.Reader, out any) error {
	if status/100 == 2 {
		return json.NewDecoder(body).Decode(out)
	}
	var e Envelope
	if err := json.NewDecoder(body).Decode(&e); err != nil {
		return fmt.Errorf("admin API: status %d: %w", status, err)
	}
	failure := &parley.Error{Code: e.Error.Code, Message: e.Error.Message, Details: e.Error.Details}
	if e.Error.Cause != "" {
		failure.Err = &outage{e.Error.Cause, e.Error.IsFull}
	}
	return failure
}

// Envelope is the body of a failure on the admin socket.
type Envelope struct {
	Error Failure `json:"error"`
}

// Failure describes a failure. Whoever reaches the admin socket is the operator, who may know why a database is not
// available: what to do follows from it.
type Failure struct {
	httpapi.Failure
	Cause  string `json:"cause,omitempty" doc:"Why the service is not available, as far as it is known."`
	IsFull bool   `json:"isFull,omitempty" doc:"The cause is a lack of space."`
}

// renderForOperator renders a failure for the admin socket.
func renderForOperator(e *parley.Error) (int, any) {
	failure := Failure{Failure: httpapi.Failure{Code: e.Code, Message: e.Message, Details: e.Details}}
	if e.Code == parley.CodeUnderMaintenance && e.Err != nil {
		failure.Cause, failure.IsFull = e.Err.Error(), sqldb.IsFull(e)
	}
	return e.Code.Status(), Envelope{failure}
}

// outage is why the server's database is not available, as the server has told it.
type outage struct {
	text   string
	isFull bool
}

func (o *outage) Error() string { return o.text }

// Is reports whether the cause is the one that other packages ask for.
func (o *outage) Is(target error) bool { return o.isFull && target == sqldb.ErrFull }
