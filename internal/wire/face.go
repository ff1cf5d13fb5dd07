package wire

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
	Base  string // path prefix of all operations: /api/v2
	Admit func(ctx context.Context, r *http.Request, op *Meta) (Admission, error)
	// Missing gives the failure of a request whose subject is not there; it is asked when the request itself is wrong. May be nil.
	Missing func(ctx context.Context, r *http.Request, caller any, op *Meta) error
	// Once answers a POST that carries an Idempotency-Key: it runs the request or gives the reply it had before. It is asked when
	// the request is admitted and right. Nil where a face knows no such keys.
	Once func(ctx context.Context, c *Call, once Once) (any, error)
	// Spool gives the folder that uploads of the caller are written to, or refuses them. It is asked before an upload is read. Nil
	// where no operation takes a Form.
	Spool  func(ctx context.Context, r *http.Request, caller any) (dir string, err error)
	Render func(e *parley.Error) (status int, body any) // how this face words a failure
	Now    func() time.Time
	Logger *slog.Logger
	Watch  *Watch // may be nil
}

// Face serves a set of operations. Nothing under its base is answered by anybody else: unknown paths and wrong methods get
// the face's own errors, and no path is ever cleaned or redirected.
type Face struct {
	Config
	mux   *http.ServeMux
	sites map[string]*site
	ops   []*operation
}

// site is one path with the operations of its methods.
type site struct {
	pattern string
	methods map[string]*operation
	allow   string
}

type operation struct {
	Meta
	in, out reflect.Type
	plan    input
	result  *shape
	keyed   bool // it may carry an Idempotency-Key
	run     func(ctx context.Context, c *Call, in reflect.Value) (any, error)
}

// NewFace makes a face without operations.
func NewFace(cfg Config) *Face {
	f := &Face{Config: cfg, mux: http.NewServeMux(), sites: make(map[string]*site)}
	f.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		f.refuse(w.(*recorder), r, parley.Fail(parley.CodeNotFound))
	})
	return f
}

// Handle adds an operation to the face. It panics on an operation that cannot be served: that is a fault of the program.
func Handle[In, Out any](f *Face, op Op[In, Out]) {
	o := &operation{Meta: op.Meta, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out]()}
	o.plan, o.result = inputOf(o.in), shapeOf(o.out, "")
	if o.Strict {
		o.plan.body.shape.strict = true
	}
	o.keyed = o.Method == http.MethodPost && f.Once != nil
	o.Status = cmp.Or(o.Status, http.StatusOK)
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	o.run = func(ctx context.Context, c *Call, in reflect.Value) (any, error) {
		out, err := op.Handler(ctx, c, in.Interface().(*In))
		if out == nil {
			return nil, err
		}
		return out, err
	}
	f.add(o)
}

func (f *Face) add(o *operation) {
	pattern := f.Base + o.Path
	s := f.sites[pattern]
	if s == nil {
		s = &site{pattern: pattern, methods: make(map[string]*operation)}
		f.sites[pattern] = s
		f.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { f.visit(w.(*recorder), r, s) })
	}
	if s.methods[o.Method] != nil {
		panic("wire: two operations for " + o.Method + " " + pattern)
	}
	s.methods[o.Method] = o
	if o.Method == http.MethodGet {
		s.methods[http.MethodHead] = o
	}
	s.allow = strings.Join(slices.Sorted(maps.Keys(s.methods)), ", ")
	f.ops = append(f.ops, o)
}

// Operations lists what the face serves, in the order it was added.
func (f *Face) Operations() []Meta {
	list := make([]Meta, len(f.ops))
	for i, o := range f.ops {
		list[i] = o.Meta
	}
	return list
}

func (f *Face) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := newRecorder(w, r, f.Now())
	rec.watch = f.Watch
	defer f.finish(rec, r)
	h := rec.Header()
	h.Set("X-Request-Id", rec.id)
	h.Set("Cache-Control", "no-store")
	keepType(h)
	if unclean(r) {
		f.refuse(rec, r, parley.Fail(parley.CodeNotFound))
		return
	}
	if rec.conn.Ambiguous(r) {
		f.refuse(rec, r, parley.Failf(parley.CodeInvalidBody, twoLengths))
		return
	}
	f.mux.ServeHTTP(rec, r)
}

// unclean reports a path that net/http would redirect to a cleaner one.
func unclean(r *http.Request) bool {
	p := r.URL.EscapedPath()
	return !strings.HasPrefix(p, "/") || strings.Contains(p, "//") || strings.Contains(p, "/./") || strings.Contains(p, "/../") ||
		strings.HasSuffix(p, "/.") || strings.HasSuffix(p, "/..") || r.Method == http.MethodConnect
}

// elsewhere is the operation of requests that reach none: they need no key, but they count.
var elsewhere = &Meta{Open: true}

func (f *Face) refuse(rec *recorder, r *http.Request, e *parley.Error) {
	rec.route = r.Pattern
	if _, err := f.admit(rec, r, elsewhere); err != nil {
		f.fail(rec, err)
		return
	}
	f.fail(rec, e)
}

func (f *Face) visit(rec *recorder, r *http.Request, s *site) {
	o := s.methods[r.Method]
	if o == nil {
		rec.Header().Set("Allow", s.allow)
		f.refuse(rec, r, parley.Fail(parley.CodeMethodNotAllowed))
		return
	}
	rec.route = s.pattern
	if err := f.serve(rec, r, o); err != nil {
		f.fail(rec, err)
	}
}

func (f *Face) serve(rec *recorder, r *http.Request, o *operation) error {
	who, err := f.admit(rec, r, &o.Meta)
	if err != nil {
		return err
	}
	in := reflect.New(o.in)
	defer func() { o.plan.uploadIn(in.Elem()).discard() }()
	once, err := o.read(in.Elem(), rec, r, func() (string, error) { return f.Spool(r.Context(), r, who.Caller) })
	if err != nil {
		if gone := f.missing(r, who, &o.Meta); gone != nil {
			return gone
		}
		return err
	}
	c := &Call{RequestID: rec.id, Caller: who.Caller, Request: r, Meta: &o.Meta, rec: rec}
	out, err := f.answer(c, o, in, once)
	if rec.streamed {
		atEase(http.NewResponseController(rec))
	}
	if err != nil || rec.streamed {
		return err
	}
	return rec.json(o.Status, out)
}

// missing gives the failure of a request whose subject is not there: it comes before what is wrong with the request, and is
// looked up only then.
func (f *Face) missing(r *http.Request, who Admission, op *Meta) error {
	if f.Missing == nil {
		return nil
	}
	ctx := context.WithoutCancel(r.Context()) // net/http cancels it when a body cannot be read to its end
	return f.Missing(ctx, r, who.Caller, op)
}

func (f *Face) admit(rec *recorder, r *http.Request, op *Meta) (Admission, error) {
	who, err := f.Admit(r.Context(), r, op)
	rec.account = who.Account
	who.Rate.tell(rec.Header())
	if err == nil && rec.spare && !op.Exempt {
		err = parley.Fail(parley.CodeUnderMaintenance)
	}
	if err == nil && who.Caller != nil {
		rec.conn.Know()
	}
	return who, err
}

func (o *operation) read(in reflect.Value, rec *recorder, r *http.Request, spool func() (string, error)) (*Once, error) {
	var wrong faults
	once := o.once(r, &wrong)
	if len(o.plan.params) > 0 {
		o.plan.bind(in, r, &wrong)
	}
	if o.Form.accepts(r) {
		up := &Upload{}
		in.FieldByIndex(o.plan.upload).Set(reflect.ValueOf(up))
		if err := o.Form.receive(up, rec, r, spool, &wrong); err != nil {
			return nil, err
		}
		once.saw(up.identity())
		if o.Form.Files > 0 {
			if err := o.plan.body.fromTexts(in, up.texts, &wrong); err != nil {
				return nil, err
			}
		}
	} else if o.plan.body != nil && !(o.Bare && r.ContentLength == 0) {
		if err := o.plan.body.read(in, rec, r, o.Limit, &wrong, once); err != nil {
			return nil, err
		}
	} else if !o.Open {
		if err := skip(rec, r); err != nil {
			return nil, err
		}
	}
	return once, wrong.err()
}
