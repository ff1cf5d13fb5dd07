package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"parley"
)

// Admission is what is known of the caller before the handler runs. Rate is set even when admission fails.
type Admission struct {
	Caller  any
	Account string // for the record
	Rate    Rate
}

// Rate is the state of the caller's rate limit. It is sent in headers of every response.
type Rate struct {
	Limit     int
	Remaining int
	Reset     time.Time
}

// Config configures an API.
type Config struct {
	BasePath string // path prefix of all operations: /api/v2
	Admit    func(ctx context.Context, r *http.Request, op *Operation) (Admission, error)
	// AgentParam is the name of the path or query parameter that holds the id of an agent. CheckAgent fails with AGENT_NOT_FOUND
	// unless the caller has that agent. It is called before the handler of an operation with RequiresAgent; and whenever the
	// input of a request is invalid, since AGENT_NOT_FOUND takes precedence over that. Nil if no operation names an agent.
	AgentParam string
	CheckAgent func(ctx context.Context, caller any, id string) error
	// RunOnce answers a valid POST with an Idempotency-Key: it runs the request, or returns the reply of the first request with
	// that key. Nil if the API has no such keys.
	RunOnce func(ctx context.Context, c *Call, once IdempotentRequest) (any, error)
	// UploadDir returns the folder for the caller's uploads, or refuses them. It is called before an upload is read. Nil if no
	// operation takes a Form.
	UploadDir   func(ctx context.Context, r *http.Request, caller any) (dir string, err error)
	RenderError func(e *parley.Error) (status int, body any) // renders a failure in the API's own form
	Now         func() time.Time
	Logger      *slog.Logger
	Observer    *Observer // may be nil
}

// API serves a set of operations. It answers every path below its base: unknown paths and methods get the API's own errors, and
// no path is cleaned or redirected.
type API struct {
	Config
	mux       *http.ServeMux
	paths     map[string]*pathEntry
	endpoints []*endpoint
}

// pathEntry is one path with the operations of its methods.
type pathEntry struct {
	pattern     string
	methods     map[string]*endpoint
	allowHeader string
}

type endpoint struct {
	Operation
	inType, outType       reflect.Type
	input                 input
	result                *shape
	acceptsIdempotencyKey bool
	run                   func(ctx context.Context, c *Call, in reflect.Value) (any, error)
}

// New returns an API without operations.
func New(cfg Config) *API {
	f := &API{Config: cfg, mux: http.NewServeMux(), paths: make(map[string]*pathEntry)}
	f.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		f.refuse(w.(*recorder), r, parley.NewError(parley.CodeNotFound))
	})
	return f
}

// Handle adds an operation. It panics if the operation cannot be served, which is an error of the program.
func Handle[In, Out any](f *API, op TypedOperation[In, Out]) {
	o := &endpoint{Operation: op.Operation, inType: reflect.TypeFor[In](), outType: reflect.TypeFor[Out]()}
	o.input, o.result = newInput(o.inType), newShape(o.outType, "")
	if o.StrictBody {
		o.input.body.shape.strict = true
	}
	o.acceptsIdempotencyKey = o.Method == http.MethodPost && f.RunOnce != nil
	o.Status = cmp.Or(o.Status, http.StatusOK)
	o.MaxBodyBytes = cmp.Or(o.MaxBodyBytes, DefaultMaxBodyBytes)
	o.run = func(ctx context.Context, c *Call, in reflect.Value) (any, error) {
		if o.RequiresAgent {
			if err := f.checkAgent(ctx, c.Request, c.Caller); err != nil {
				return nil, err
			}
		}
		out, err := op.Handler(ctx, c, in.Interface().(*In))
		if out == nil {
			return nil, err
		}
		return out, err
	}
	f.addEndpoint(o)
}

func (f *API) addEndpoint(o *endpoint) {
	pattern := f.BasePath + o.Path
	s := f.paths[pattern]
	if s == nil {
		s = &pathEntry{pattern: pattern, methods: make(map[string]*endpoint)}
		f.paths[pattern] = s
		f.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { f.dispatch(w.(*recorder), r, s) })
	}
	if s.methods[o.Method] != nil {
		panic("httpapi: two operations for " + o.Method + " " + pattern)
	}
	s.methods[o.Method] = o
	if o.Method == http.MethodGet {
		s.methods[http.MethodHead] = o
	}
	s.allowHeader = strings.Join(slices.Sorted(maps.Keys(s.methods)), ", ")
	f.endpoints = append(f.endpoints, o)
}

// Operations lists the operations in the order in which they were added.
func (f *API) Operations() []Operation {
	list := make([]Operation, len(f.endpoints))
	for i, o := range f.endpoints {
		list[i] = o.Operation
	}
	return list
}

func (f *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := newRecorder(w, r, f.Now())
	rec.observer = f.Observer
	defer f.finish(rec, r)
	h := rec.Header()
	h.Set("X-Request-Id", rec.id)
	h.Set("Cache-Control", "no-store")
	setNoSniff(h)
	if isUncleanPath(r) {
		f.refuse(rec, r, parley.NewError(parley.CodeNotFound))
		return
	}
	if rec.conn.HasAmbiguousLength(r) {
		f.refuse(rec, r, parley.NewErrorf(parley.CodeInvalidBody, twoLengthsMessage))
		return
	}
	f.mux.ServeHTTP(rec, r)
}

// isUncleanPath reports a path that net/http would redirect to a cleaner one.
func isUncleanPath(r *http.Request) bool {
	p := r.URL.EscapedPath()
	return !strings.HasPrefix(p, "/") || strings.Contains(p, "//") || strings.Contains(p, "/./") || strings.Contains(p, "/../") ||
		strings.HasSuffix(p, "/.") || strings.HasSuffix(p, "/..") || r.Method == http.MethodConnect
}

// unroutedOperation stands for requests that reach no operation. They need no key, but they count against the rate limit.
var unroutedOperation = &Operation{Public: true}

func (f *API) refuse(rec *recorder, r *http.Request, e *parley.Error) {
	rec.route = r.Pattern
	if _, err := f.admit(rec, r, unroutedOperation); err != nil {
		f.writeError(rec, err)
		return
	}
	f.writeError(rec, e)
}

func (f *API) dispatch(rec *recorder, r *http.Request, s *pathEntry) {
	o := s.methods[r.Method]
	if o == nil {
		rec.Header().Set("Allow", s.allowHeader)
		f.refuse(rec, r, parley.NewError(parley.CodeMethodNotAllowed))
		return
	}
	rec.route = s.pattern
	if err := f.serveEndpoint(rec, r, o); err != nil {
		f.writeError(rec, err)
	}
}

func (f *API) serveEndpoint(rec *recorder, r *http.Request, o *endpoint) error {
	admission, err := f.admit(rec, r, &o.Operation)
	if err != nil {
		return err
	}
	in := reflect.New(o.inType)
	defer func() { o.input.uploadIn(in.Elem()).discard() }()
	once, err := o.readInput(in.Elem(), rec, r, func() (string, error) { return f.UploadDir(r.Context(), r, admission.Caller) })
	if err != nil {
		ctx := context.WithoutCancel(r.Context()) // net/http cancels it when a body cannot be read to its end
		if missing := f.checkAgent(ctx, r, admission.Caller); missing != nil {
			return missing
		}
		return err
	}
	c := &Call{RequestID: rec.id, Caller: admission.Caller, Request: r, Operation: &o.Operation, rec: rec}
	out, err := f.runEndpoint(c, o, in, once)
	if rec.streamed {
		clearWriteDeadline(http.NewResponseController(rec))
	}
	if err != nil || rec.streamed {
		return err
	}
	return rec.writeJSON(o.Status, out)
}

// checkAgent fails with AGENT_NOT_FOUND if the request names an agent that the caller does not have.
func (f *API) checkAgent(ctx context.Context, r *http.Request, caller any) error {
	if f.CheckAgent == nil || caller == nil {
		return nil
	}
	id := r.PathValue(f.AgentParam)
	if id == "" {
		id = r.URL.Query().Get(f.AgentParam)
	}
	if id == "" {
		return nil
	}
	return f.CheckAgent(ctx, caller, sanitizeID(id))
}

func (f *API) admit(rec *recorder, r *http.Request, op *Operation) (Admission, error) {
	admission, err := f.Admit(r.Context(), r, op)
	rec.account = admission.Account
	admission.Rate.setHeaders(rec.Header())
	if err == nil && rec.isSpareConn && !op.RateExempt {
		err = parley.NewError(parley.CodeUnderMaintenance)
	}
	if err == nil && admission.Caller != nil {
		rec.conn.MarkTrusted()
	}
	return admission, err
}

func (o *endpoint) readInput(in reflect.Value, rec *recorder, r *http.Request, uploadDir func() (string, error)) (*IdempotentRequest, error) {
	var problems faults
	once := o.idempotentRequest(r, &problems)
	if len(o.input.params) > 0 {
		o.input.bindParams(in, r, &problems)
	}
	if o.Form.accepts(r) {
		up := &Upload{}
		in.FieldByIndex(o.input.upload).Set(reflect.ValueOf(up))
		if err := o.Form.receive(up, rec, r, uploadDir, &problems); err != nil {
			return nil, err
		}
		once.hashBody(up.identity())
		if o.Form.MaxFiles > 0 {
			if err := o.input.body.bindTexts(in, up.texts, &problems); err != nil {
				return nil, err
			}
		}
	} else if o.input.body != nil && !(o.BodyOptional && r.ContentLength == 0) {
		if err := o.input.body.readAndBind(in, rec, r, o.MaxBodyBytes, &problems, once); err != nil {
			return nil, err
		}
	} else if !o.Public {
		if err := skipBody(rec, r); err != nil {
			return nil, err
		}
	}
	return once, problems.err()
}
