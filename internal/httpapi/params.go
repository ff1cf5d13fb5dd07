package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
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
	fieldIndex []int // empty where the input itself is the body
	shape      *shape
}

// LenientBody is a body that accepts invalid values of some of its fields. It is asked once it is bound.
type LenientBody interface{ AllowsInvalid(field string) bool }

func newInput(t reflect.Type) input {
	in := input{typ: t}
	hasMembers := false
	for _, f := range reflect.VisibleFields(t) {
		path, query := f.Tag.Get("path"), f.Tag.Get("query")
		switch {
		case f.Anonymous:
		case f.Name == "Body":
			in.body = &bodyField{fieldIndex: f.Index, shape: newShape(f.Type, f.Tag)}
		case f.Type == reflect.TypeFor[*Upload]():
			in.upload = f.Index
		case path != "":
			in.params = append(in.params,
				param{name: path, fieldIndex: f.Index, inPath: true, required: true, shape: newShape(f.Type, f.Tag)})
		case query != "":
			in.query = true
			in.params = append(in.params, param{name: query, fieldIndex: f.Index,
				required: f.Tag.Get("required") == "true", shape: newShape(f.Type, f.Tag)})
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
