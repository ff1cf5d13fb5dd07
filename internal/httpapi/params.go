package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// input describes where each field of an operation's input comes from.
type input struct {
	typ    reflect.Type
	params []param
	query  bool // some parameters come from the query
	body   *bodyField
	upload []int // index of the field for a multipart body
}

type param struct {
	name       string
	fieldIndex []int // path through embedded structs
	inPath     bool
	required   bool
	shape      *shape
}

type bodyField struct {
	fieldIndex []int // empty if the input itself is the body
	shape      *shape
}

// LenientBody is a body that accepts invalid values of some of its fields. It is asked once it is bound.
type LenientBody interface{ AllowsInvalid(field string) bool }

// inputKey is what an input depends on.
type inputKey struct {
	typ          reflect.Type
	isStrictBody bool
}

// inputs holds each input once in a process (*input by inputKey): the same operations are served at several paths.
var inputs sync.Map

// inputOf returns the input of a type. It is shared and never changed.
func inputOf(t reflect.Type, isStrictBody bool) *input {
	key := inputKey{t, isStrictBody}
	if in, ok := inputs.Load(key); ok {
		return in.(*input)
	}
	in := newInput(t)
	if isStrictBody {
		in.body.shape.strict = true
	}
	shared, _ := inputs.LoadOrStore(key, in)
	return shared.(*input)
}

func newInput(t reflect.Type) *input {
	in := &input{typ: t}
	hasMembers := false
	for _, f := range reflect.VisibleFields(t) {
		of := t
		if len(f.Index) > 1 {
			of = t.FieldByIndex(f.Index[:len(f.Index)-1]).Type
		}
		path, query := f.Tag.Get("path"), f.Tag.Get("query")
		switch {
		case f.Anonymous:
		case f.Name == "Body":
			in.body = &bodyField{fieldIndex: f.Index, shape: newShape(f.Type, f.Tag)}
		case f.Type == reflect.TypeFor[*Upload]():
			in.upload = f.Index
		case path != "":
			in.params = append(in.params,
				param{name: path, fieldIndex: f.Index, inPath: true, required: true, shape: newFieldShape(of, f, path)})
		case query != "":
			in.query = true
			in.params = append(in.params, param{name: query, fieldIndex: f.Index,
				required: f.Tag.Get("required") == "true", shape: newFieldShape(of, f, query)})
		case f.Tag.Get("json") != "" && f.Tag.Get("json") != "-":
			hasMembers = true
		case len(f.Index) == 1:
			panic(fmt.Sprintf("httpapi: field %s of %v comes from nowhere", f.Name, t))
		}
	}
	switch {
	case hasMembers && in.body != nil:
		panic(fmt.Sprintf("wire: %v has a Body, and members of a body beside it", t))
	case hasMembers:
		in.body = &bodyField{shape: newShape(t, "")}
	}
	return in
}

// bindParams fills the parameters of the path and of the query.
func (in *input) bindParams(dst reflect.Value, r *http.Request, f *faults) {
	var query url.Values
	if in.query && r.URL.RawQuery != "" {
		var err error
		if query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
			f.add("query", "is not well-formed")
		}
	}
	for i := range in.params {
		p := &in.params[i]
		if p.inPath {
			p.bindPath(dst.FieldByIndex(p.fieldIndex), r.PathValue(p.name))
			continue
		}
		p.bindQuery(dst.FieldByIndex(p.fieldIndex), query[p.name], f)
	}
}

// bindPath binds a parameter of the path. A number in any other than the canonical form is bound as -1, which
// nothing has, so that it is not found like any other malformed id.
func (p *param) bindPath(dst reflect.Value, text string) {
	if p.shape.kind != kindInteger {
		dst.SetString(p.shape.rules.normalize(sanitizeID(text)))
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		n = -1
	}
	dst.SetInt(n)
}

// PathParam returns a parameter of the request's path, in the form in which it is bound.
func PathParam(r *http.Request, name string) string { return sanitizeID(r.PathValue(name)) }

// sanitizeID makes a text from an address safe to look up. Characters that no id has become U+FFFD, which no id has
// either. They are not removed, since that could make the text empty, or the id of something else.
func sanitizeID(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func (p *param) bindQuery(dst reflect.Value, values []string, f *faults) {
	text := p.shape.rules.defaultText
	switch {
	case len(values) > 1:
		f.add(p.name, "must be given once")
		return
	case len(values) == 1 && values[0] != "":
		text = values[0]
	case p.required:
		f.add(p.name, "is required")
		return
	}
	if text == "" {
		return
	}
	f.add(p.name, p.shape.bindText(dst, sanitizeID(text)))
}

// bindText binds the text of one query parameter and returns what is wrong with it, or "".
func (s *shape) bindText(dst reflect.Value, text string) string {
	switch s.kind {
	case kindInteger:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return s.expectation()
		}
		dst.SetInt(n)
		return s.rules.checkNumber(float64(n))
	case kindNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) {
			return s.expectation()
		}
		dst.SetFloat(n)
		return s.rules.checkNumber(n)
	case kindBool:
		dst.SetBool(text == "true")
		if text != "true" && text != "false" {
			return s.expectation()
		}
	case kindList:
		return s.bindCommaList(dst, text)
	default:
		dst.SetString(s.rules.normalize(text))
		return s.rules.checkText(text)
	}
	return ""
}

// bindCommaList binds a comma-separated list of texts.
func (s *shape) bindCommaList(dst reflect.Value, text string) string {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		if fault := s.elem.rules.checkText(item); fault != "" {
			return fault
		}
		v := reflect.New(s.typ.Elem()).Elem()
		v.SetString(item)
		dst.Set(reflect.Append(dst, v))
	}
	return ""
}

// InvalidTimeMessage is the fault of a parameter that ParseTime does not accept.
const InvalidTimeMessage = "must be a day (YYYY-MM-DD) or an ISO 8601 time"

// timeLayouts are the accepted forms of ISO 8601 times. time.Parse accepts a fraction of the second in all of them.
var timeLayouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07"}

// ParseTime parses a day or a time; a time without a zone is UTC. A space is taken for the plus of an offset that
// was not escaped.
func ParseTime(s string) (at time.Time, wholeDay, ok bool) {
	if at, err := time.Parse(time.DateOnly, s); err == nil {
		return at, true, true
	}
	s = strings.Replace(s, " ", "+", 1)
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, s); err == nil {
			return at, false, true
		}
	}
	return time.Time{}, false, false
}

// ExclusiveEnd returns the first moment after an end that ParseTime has parsed. A whole day is included, and so is
// a whole second: replies hold times in seconds, and a client that sends one of them as the end expects to find the
// item. An end with a fraction of a second includes that millisecond.
func ExclusiveEnd(at time.Time, wholeDay bool) time.Time {
	switch {
	case wholeDay:
		return at.AddDate(0, 0, 1)
	case at.Truncate(time.Second).Equal(at):
		return at.Add(time.Second)
	}
	return at.Add(time.Millisecond)
}
