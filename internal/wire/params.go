package wire

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

// input is the plan of an operation's input: where each field comes from.
type input struct {
	typ    reflect.Type
	params []param
	query  bool // some parameter comes from the query
	body   *bodyField
	upload []int // the field of a multipart body
}

type param struct {
	name     string
	at       []int // the field, through embedded structs
	inPath   bool
	required bool
	shape    *shape
}

type bodyField struct {
	at    []int
	shape *shape
}

// Forgiving is a body that takes faults of some of its fields lightly, once it is bound.
type Forgiving interface{ Forgives(field string) bool }

func inputOf(t reflect.Type) input {
	in := input{typ: t}
	for _, f := range reflect.VisibleFields(t) {
		path, query := f.Tag.Get("path"), f.Tag.Get("query")
		switch {
		case f.Anonymous:
		case f.Name == "Body":
			in.body = &bodyField{at: f.Index, shape: shapeOf(f.Type, f.Tag)}
		case f.Type == reflect.TypeFor[*Upload]():
			in.upload = f.Index
		case path != "":
			in.params = append(in.params, param{name: path, at: f.Index, inPath: true, required: true, shape: shapeOf(f.Type, f.Tag)})
		case query != "":
			in.query = true
			in.params = append(in.params, param{name: query, at: f.Index, required: f.Tag.Get("required") == "true", shape: shapeOf(f.Type, f.Tag)})
		case len(f.Index) == 1:
			panic(fmt.Sprintf("wire: field %s of %v comes from nowhere", f.Name, t))
		}
	}
	return in
}

// bind fills the parameters of the path and of the query.
func (in *input) bind(dst reflect.Value, r *http.Request, f *faults) {
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
			p.fromPath(dst.FieldByIndex(p.at), r.PathValue(p.name))
			continue
		}
		p.fromQuery(dst.FieldByIndex(p.at), query[p.name], f)
	}
}

// fromPath binds a piece of the path. A number that is not written as one writes it is -1, which nothing has: like any other id
// that is none, it is not there.
func (p *param) fromPath(dst reflect.Value, text string) {
	if p.shape.kind != kindInteger {
		dst.SetString(p.shape.rules.known(legibleID(text)))
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		n = -1
	}
	dst.SetInt(n)
}

// legibleID makes a text from an address safe to look up. What no id can hold becomes U+FFFD, which none does either;
// were it left out, a parameter could become an empty one, or another.
func legibleID(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func (p *param) fromQuery(dst reflect.Value, given []string, f *faults) {
	text := p.shape.rules.fallback
	switch {
	case len(given) > 1:
		f.add(p.name, "must be given once")
		return
	case len(given) == 1 && given[0] != "":
		text = given[0]
	case p.required:
		f.add(p.name, "is required")
		return
	}
	if text == "" {
		return
	}
	f.add(p.name, p.shape.fromText(dst, legibleID(text)))
}

// fromText binds the text of one query parameter and says what is wrong with it.
func (s *shape) fromText(dst reflect.Value, text string) string {
	switch s.kind {
	case kindInteger:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return s.wants()
		}
		dst.SetInt(n)
		return s.rules.number(float64(n))
	case kindNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) {
			return s.wants()
		}
		dst.SetFloat(n)
		return s.rules.number(n)
	case kindBool:
		dst.SetBool(text == "true")
		if text != "true" && text != "false" {
			return s.wants()
		}
	case kindList:
		return s.fromCommas(dst, text)
	default:
		dst.SetString(s.rules.known(text))
		return s.rules.text(text)
	}
	return ""
}

// fromCommas binds a comma-separated list of texts.
func (s *shape) fromCommas(dst reflect.Value, text string) string {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		if fault := s.elem.rules.text(item); fault != "" {
			return fault
		}
		v := reflect.New(s.typ.Elem()).Elem()
		v.SetString(item)
		dst.Set(reflect.Append(dst, v))
	}
	return ""
}
