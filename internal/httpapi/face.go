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

// Admission is what a face knows of a caller before the handler runs. Its rate is set even when admission fails.
type Admission struct {
	Caller  any
	Account string // for the record
	Rate    Rate
}

// Rate is the state of the caller's rate limit, told in the headers of every response.
type Rate struct {
	Limit     int
	Remaining int
	Reset     time.Time
}

// Config is what a face is made of.
type Config struct {
	BasePath string // path prefix of all operations: /api/v2
	Admit    func(ctx context.Context, r *http.Request, op *Operation) (Admission, error)
	// Missing returns the failure of a request whose subject is not there; it is asked when the request itself is wrong. May be nil.
	MissingSubject func(ctx context.Context, r *http.Request, caller any, op *Operation) error
	// IdempotentRequest answers a POST that carries an Idempotency-Key: it runs the request or gives the reply it had before. It is asked when
	// the request is admitted and right. Nil where a face knows no such keys.
	RunOnce func(ctx context.Context, c *Call, once IdempotentRequest) (any, error)
	// Spool returns the folder that uploads of the caller are written to, or refuses them. It is asked before an upload is read. Nil
	// where no operation takes a Form.
	UploadDir   func(ctx context.Context, r *http.Request, caller any) (dir string, err error)
	RenderError func(e *parley.Error) (status int, body any) // how this face words a failure
	Now         func() time.Time
	Logger      *slog.Logger
	Observer    *Observer // may be nil
	Keyless     bool      // without API keys and rate limits: whoever passes Admit may call every operation
}

// API serves a set of operations. Nothing under its base is answered by anybody else: unknown paths and wrong methods get
// the face's own errors, and no path is ever cleaned or redirected.
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
	acceptsIdempotencyKey bool // it may carry an Idempotency-Key
	run                   func(ctx context.Context, c *Call, in reflect.Value) (any, error)
}

// New makes a face without operations.
func New(cfg Config) *API {
	f := &API{Config: cfg, mux: http.NewServeMux(), paths: make(map[string]*pathEntry)}
	f.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		f.refuse(w.(*recorder), r, parley.NewError(parley.CodeNotFound))
	})
	return f
}

// Handle adds an operation to the face. It panics on an operation that cannot be served: that is a fault of the program.
func Handle[In, Out any](f *API, op TypedOperation[In, Out]) {
	o := &endpoint{Operation: op.Operation, inType: reflect.TypeFor[In](), outType: reflect.TypeFor[Out]()}
	o.input, o.result = newInput(o.inType), newShape(o.outType, "")
	if o.StrictBody {
		o.input.body.shape.strict = true
	}
	if f.Keyless {
		o.Public, o.RateExempt = true, true
	}
	o.acceptsIdempotencyKey = o.Method == http.MethodPost && f.RunOnce != nil
	o.Status = cmp.Or(o.Status, http.StatusOK)
	o.MaxBodyBytes = cmp.Or(o.MaxBodyBytes, DefaultMaxBodyBytes)
	o.run = func(ctx context.Context, c *Call, in reflect.Value) (any, error) {
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
		panic("wire: two operations for " + o.Method + " " + pattern)
	}
	s.methods[o.Method] = o
	if o.Method == http.MethodGet {
		s.methods[http.MethodHead] = o
	}
	s.allowHeader = strings.Join(slices.Sorted(maps.Keys(s.methods)), ", ")
	f.endpoints = append(f.endpoints, o)
}

// Operations lists what the face serves, in the order it was added.
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
	keepType(h)
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

// unroutedOperation is the operation of requests that reach none: they need no key, but they count.
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
		if missing := f.missingSubjectError(r, admission, &o.Operation); missing != nil {
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

// missingSubjectError returns the failure of a request whose subject is not there: it comes before what is wrong with the request, and is
// looked up only then.
func (f *API) missingSubjectError(r *http.Request, admission Admission, op *Operation) error {
	if f.MissingSubject == nil {
		return nil
	}
	ctx := context.WithoutCancel(r.Context()) // net/http cancels it when a body cannot be read to its end
	return f.MissingSubject(ctx, r, admission.Caller, op)
}

func (f *API) admit(rec *recorder, r *http.Request, op *Operation) (Admission, error) {
	admission, err := f.Admit(r.Context(), r, op)
	rec.account = admission.Account
	if !f.Keyless {
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

func (o *endpoint) readInput(in reflect.Value, rec *recorder, r *http.Request, spool func() (string, error)) (*IdempotentRequest, error) {
	var problems faults
	once := o.idempotentRequest(r, &problems)
	if len(o.input.params) > 0 {
		o.input.bindParams(in, r, &problems)
	}
	if o.Form.accepts(r) {
		up := &Upload{}
		in.FieldByIndex(o.input.upload).Set(reflect.ValueOf(up))
		if err := o.Form.receive(up, rec, r, spool, &problems); err != nil {
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
