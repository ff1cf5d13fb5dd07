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
	Caller     any
	Account    string     // for the record
	CallerKind CallerKind // for the record; empty for AnonymousCaller
	Rate       Rate
}

// CallerKind is the kind of who sends a request.
type CallerKind string

// Kinds of callers.
const (
	AnonymousCaller CallerKind = "anonymous"
	KeyCaller       CallerKind = "key"      // an API key
	MemberCaller    CallerKind = "member"   // a person who is signed in to the console
	VisitorCaller   CallerKind = "visitor"  // of an agent's page or chat
	OperatorCaller  CallerKind = "operator" // by the socket in the data directory
)

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
	// AgentParam is the name of the path or query parameter that holds the id of an agent. CheckAgent fails with
	// AGENT_NOT_FOUND unless the caller has that agent. It is called before the handler of an operation with
	// RequiresAgent; and whenever the input of a request is invalid, since AGENT_NOT_FOUND takes precedence over
	// that. Nil if no operation names an agent.
	AgentParam string
	CheckAgent func(ctx context.Context, caller any, id string) error
	// RunOnce answers a valid request with an Idempotency-Key: it runs the request, or returns the reply of the first
	// request with that key. Nil if the API has no such keys.
	RunOnce func(ctx context.Context, c *Call, once IdempotentRequest) (any, error)
	// AcceptsKey reports whether an operation takes an Idempotency-Key. Nil: every POST does.
	AcceptsKey func(op *Operation) bool
	// BeforeRun returns the context in which a handler runs. Nil leaves it as it is.
	BeforeRun func(ctx context.Context, c *Call) context.Context
	// BeforeReply is called with what a handler has returned, and returns what is sent in its place. What a handler
	// has streamed is sent already: then out is nil. Nil sends what handlers return.
	BeforeReply func(ctx context.Context, c *Call, out any) (any, error)
	// UploadDir returns the folder for the caller's uploads, or refuses them. It is called before an upload is
	// read. Nil if no operation takes a Form.
	UploadDir   func(ctx context.Context, r *http.Request, caller any) (dir string, err error)
	RenderError func(e *parley.Error) (status int, body any) // renders a failure in the API's own form
	// OnUndeclaredCode is told of a failure of a handler whose code is none of its operation's. May be nil.
	OnUndeclaredCode func(op *Operation, code parley.Code)
	Now              func() time.Time
	Logger           *slog.Logger
	Observer         *Observer // may be nil
	Keyless          bool      // without API keys and rate limits: whoever passes Admit may call every operation
	Scheme           *Scheme   // how callers show who they are; nil is by API keys
	Challenge        string    // what a 401 says besides, such as a parameter of WWW-Authenticate; may be empty
}

// Scheme is how the callers of an API show who they are.
type Scheme struct {
	Name        string        // in the document, and of the challenge that a 401 holds
	Description string        // of the header Authorization
	Codes       []parley.Code // of requests to operations that are not Public
}

// API serves a set of operations. It answers every path below its base: unknown paths and methods get the API's own
// errors, and no path is cleaned or redirected.
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
	input                 *input
	acceptsIdempotencyKey bool
	scheme                *Scheme // nil for API keys
	run                   func(ctx context.Context, c *Call, in reflect.Value) (any, error)
}

// New returns an API without operations.
func New(cfg Config) *API {
	a := &API{Config: cfg, mux: http.NewServeMux(), paths: make(map[string]*pathEntry)}
	a.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.refuse(w.(*recorder), r, parley.NewError(parley.CodeNotFound))
	})
	return a
}

// Handle adds an operation. It panics if the operation cannot be served, which is an error of the program.
func Handle[In, Out any](a *API, op TypedOperation[In, Out]) {
	handler := op.Handler
	run := func(ctx context.Context, c *Call, in any) (any, error) {
		out, err := handler(ctx, c, in.(*In))
		if out == nil {
			return nil, err
		}
		return out, err
	}
	a.handle(&op.Operation, reflect.TypeFor[In](), reflect.TypeFor[Out](), run)
}

// handle adds an operation of any types. The program has this once, and Handle once for each operation.
func (a *API) handle(
	op *Operation, in, out reflect.Type, run func(ctx context.Context, c *Call, in any) (any, error),
) {
	o := &endpoint{Operation: *op, inType: in, outType: out, scheme: a.Scheme}
	o.input = inputOf(o.inType, o.StrictBody)
	if a.Keyless {
		o.Public, o.RateExempt = true, true
	}
	o.acceptsIdempotencyKey = a.RunOnce != nil && a.acceptsKey(&o.Operation)
	o.Status = cmp.Or(o.Status, http.StatusOK)
	o.MaxBodyBytes = cmp.Or(o.MaxBodyBytes, DefaultMaxBodyBytes)
	o.run = func(ctx context.Context, c *Call, in reflect.Value) (any, error) {
		if o.RequiresAgent {
			if err := a.checkAgent(ctx, c.Request, c.Caller); err != nil {
				return nil, err
			}
		}
		return run(ctx, c, in.Interface())
	}
	a.addEndpoint(o)
}

func (a *API) addEndpoint(o *endpoint) {
	pattern := a.BasePath + o.Path
	s := a.paths[pattern]
	if s == nil {
		s = &pathEntry{pattern: pattern, methods: make(map[string]*endpoint)}
		a.paths[pattern] = s
		a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { a.dispatch(w.(*recorder), r, s) })
	}
	if s.methods[o.Method] != nil {
		panic("httpapi: two operations for " + o.Method + " " + pattern)
	}
	s.methods[o.Method] = o
	if o.Method == http.MethodGet {
		s.methods[http.MethodHead] = o
	}
	s.allowHeader = strings.Join(slices.Sorted(maps.Keys(s.methods)), ", ")
	a.endpoints = append(a.endpoints, o)
}

// Operations lists the operations in the order in which they were added.
func (a *API) Operations() []Operation {
	list := make([]Operation, len(a.endpoints))
	for i, o := range a.endpoints {
		list[i] = o.Operation
	}
	return list
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := newRecorder(w, r, a.Now())
	rec.observer = a.Observer
	r = a.Observer.startSpan(rec, r)
	defer a.finish(rec, r)
	h := rec.Header()
	h.Set("X-Request-Id", rec.id)
	h.Set("Cache-Control", "no-store")
	setNoSniff(h)
	if isUncleanPath(r) {
		a.refuse(rec, r, parley.NewError(parley.CodeNotFound))
		return
	}
	if rec.conn.HasAmbiguousLength(r) {
		a.refuse(rec, r, parley.NewErrorf(parley.CodeInvalidBody, twoLengthsMessage))
		return
	}
	a.mux.ServeHTTP(rec, r)
	a.serveFollowing(rec, r)
}

// isUncleanPath reports a path that net/http would redirect to a cleaner one.
func isUncleanPath(r *http.Request) bool {
	p := r.URL.EscapedPath()
	return !strings.HasPrefix(p, "/") || strings.Contains(p, "//") || strings.Contains(p, "/./") ||
		strings.Contains(p, "/../") ||
		strings.HasSuffix(p, "/.") || strings.HasSuffix(p, "/..") || r.Method == http.MethodConnect
}

// unroutedOperation stands for requests that reach no operation. They need no key, but they count against the rate
// limit.
var unroutedOperation = &Operation{Public: true}

func (a *API) refuse(rec *recorder, r *http.Request, e *parley.Error) {
	rec.route = r.Pattern
	if _, err := a.admit(rec, r, unroutedOperation); err != nil {
		a.writeError(rec, err)
		return
	}
	a.writeError(rec, e)
}

func (a *API) dispatch(rec *recorder, r *http.Request, s *pathEntry) {
	o := s.methods[r.Method]
	if o == nil {
		rec.Header().Set("Allow", s.allowHeader)
		a.refuse(rec, r, parley.NewError(parley.CodeMethodNotAllowed))
		return
	}
	rec.route = s.pattern
	if err := a.serveEndpoint(rec, r, o); err != nil {
		a.writeError(rec, err)
	}
}

func (a *API) serveEndpoint(rec *recorder, r *http.Request, o *endpoint) error {
	admission, err := a.admit(rec, r, &o.Operation)
	if err != nil {
		return err
	}
	in := reflect.New(o.inType)
	defer func() { o.input.uploadIn(in.Elem()).discard() }()
	once, err := o.readInput(in.Elem(), rec, r, func() (string, error) {
		return a.UploadDir(r.Context(), r, admission.Caller)
	})
	if err != nil {
		ctx := context.WithoutCancel(r.Context()) // net/http cancels it when a body cannot be read to its end
		if missing := a.checkAgent(ctx, r, admission.Caller); missing != nil {
			return missing
		}
		return err
	}
	r = rec.withOrigin(r)
	c := &Call{RequestID: rec.id, Caller: admission.Caller, Request: r, Operation: &o.Operation, rec: rec}
	if a.BeforeRun != nil {
		c.Request = r.WithContext(a.BeforeRun(r.Context(), c))
	}
	out, err := a.runEndpoint(c, o, in, once)
	if err == nil && a.BeforeReply != nil {
		out, err = a.BeforeReply(c.Request.Context(), c, out)
	}
	a.checkCode(o, err)
	if rec.streamed && rec.following == nil {
		clearWriteDeadline(http.NewResponseController(rec))
	}
	if err != nil || rec.streamed {
		return err
	}
	return rec.writeJSON(o.Status, out)
}

// checkCode reports a failure whose code the operation does not declare.
func (a *API) checkCode(e *endpoint, failure error) {
	if failure == nil || a.OnUndeclaredCode == nil {
		return
	}
	if code := parley.AsError(failure).Code; !slices.Contains(e.Codes(), code) {
		a.OnUndeclaredCode(&e.Operation, code)
	}
}

func (a *API) acceptsKey(op *Operation) bool {
	if a.AcceptsKey != nil {
		return a.AcceptsKey(op)
	}
	return op.Method == http.MethodPost
}

// checkAgent fails with AGENT_NOT_FOUND if the request names an agent that the caller does not have.
func (a *API) checkAgent(ctx context.Context, r *http.Request, caller any) error {
	if a.CheckAgent == nil || caller == nil {
		return nil
	}
	id := r.PathValue(a.AgentParam)
	if id == "" {
		id = r.URL.Query().Get(a.AgentParam)
	}
	if id == "" {
		return nil
	}
	return a.CheckAgent(ctx, caller, sanitizeID(id))
}

func (a *API) admit(rec *recorder, r *http.Request, op *Operation) (Admission, error) {
	admission, err := a.Admit(r.Context(), r, op)
	rec.account, rec.callerKind = admission.Account, cmp.Or(admission.CallerKind, AnonymousCaller)
	if !a.Keyless {
		admission.Rate.setHeaders(rec.Header())
	}
	if err == nil && rec.isSpareConn && !op.RateExempt {
		err = parley.NewError(parley.CodeUnderMaintenance)
	}
	if err == nil && admission.Caller != nil {
		rec.conn.MarkTrusted()
	}
	return admission, err
}

func (e *endpoint) readInput(in reflect.Value, rec *recorder, r *http.Request,
	uploadDir func() (string, error)) (*IdempotentRequest, error) {
	var problems faults
	once := e.idempotentRequest(r, &problems)
	if len(e.input.params) > 0 {
		e.input.bindParams(in, r, &problems)
	}
	if e.Form.accepts(r) {
		up := &Upload{}
		in.FieldByIndex(e.input.upload).Set(reflect.ValueOf(up))
		if err := e.Form.receive(up, rec, r, uploadDir, &problems); err != nil {
			return nil, err
		}
		once.hashBody(up.identity())
		if e.Form.MaxFiles > 0 {
			if err := e.input.body.bindTexts(in, up.texts, &problems); err != nil {
				return nil, err
			}
		}
	} else if e.input.body != nil && !(e.BodyOptional && r.ContentLength == 0) {
		if err := e.input.body.readAndBind(in, rec, r, e.MaxBodyBytes, &problems, once); err != nil {
			return nil, err
		}
	} else if !e.Public && !e.RawBody {
		if err := skipBody(rec, r); err != nil {
			return nil, err
		}
	}
	return once, problems.err()
}
