package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

type kind uint8

const (
	kindText kind = iota
	kindInteger
	kindNumber
	kindBool
	kindList
	kindObject
	kindMap
	kindEither
	kindAny   // any JSON
	kindTime  // a time.Time: text in the form of RFC 3339
	kindBytes // a []byte: text in base64
)

// shape is a Go type together with the rules of the field that holds it. It is computed once, when an operation is
// registered; binding, validation and the OpenAPI document all read it.
type shape struct {
	kind     kind
	typ      reflect.Type // the type the value is bound into, without Opt, Raw or pointer
	holder   holder
	nullable bool
	strict   bool // of an object: members that are not fields are refused
	rules    rules
	fields   []field // of an object
	byName   map[string]*field
	elem     *shape // of a list or map
	keys     []string
	either   [2]*shape
}

// holder is the way in which a Go value holds the value of a shape.
type holder uint8

const (
	holdPlain holder = iota
	holdPointer
	holdOpt
	holdRaw
)

// field is one member of an object; index is its path through embedded structs.
type field struct {
	name     string
	position int // place among the object's fields
	index    []int
	shape    *shape
	required bool
}

var (
	anyType   = reflect.TypeFor[json.RawMessage]()
	timeType  = reflect.TypeFor[time.Time]()
	bytesType = reflect.TypeFor[[]byte]()
)

// newShape returns the shape of a type. It does not support recursive types; no API has one.
func newShape(t reflect.Type, tag reflect.StructTag) *shape {
	s := &shape{typ: t}
	s.unwrap()
	if r, ok := reflect.Zero(s.typ).Interface().(ruledType); ok {
		tag += " " + r.Rules()
	}
	s.rules = parseRules(tag)
	s.nullable = s.nullable || tag.Get("nullable") == "true"
	switch t = s.typ; {
	case t == anyType:
		s.kind = kindAny
	case t == timeType:
		s.kind = kindTime
	case t == bytesType:
		s.kind = kindBytes
	case t.Implements(reflect.TypeFor[either]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[either]()):
		s.kind = kindEither
		for i, each := range reflect.New(t).Interface().(either).shapeTypes() {
			s.either[i] = newShape(each, "")
		}
	default:
		s.setKind(t, tag)
	}
	return s
}

// ruledType is a type with rules that hold wherever it is used, besides those in the tags of the fields.
type ruledType interface{ Rules() reflect.StructTag }

// fieldDocumenter is a struct with docs that are too long for the tags of its fields.
type fieldDocumenter interface {
	// FieldDocs returns docs by the names of members and parameters.
	FieldDocs() map[string]string
}

// newFieldShape returns the shape of a field of a struct. The name is that of the member or parameter.
func newFieldShape(of reflect.Type, f reflect.StructField, name string) *shape {
	s := newShape(f.Type, f.Tag)
	if d, ok := reflect.Zero(of).Interface().(fieldDocumenter); ok && s.rules.doc == "" {
		s.rules.doc = d.FieldDocs()[name]
	}
	return s
}

// unwrap replaces a wrapper type (Opt, Raw, pointer) by the type that it wraps.
func (s *shape) unwrap() {
	zero := reflect.New(s.typ).Interface()
	switch w := zero.(type) {
	case opt:
		s.holder, s.typ = holdOpt, w.elem()
	case raw:
		s.holder, s.typ = holdRaw, w.elem()
	default:
		if s.typ.Kind() == reflect.Pointer {
			s.holder, s.typ, s.nullable = holdPointer, s.typ.Elem(), true
		}
	}
}

func (s *shape) setKind(t reflect.Type, tag reflect.StructTag) {
	switch t.Kind() {
	case reflect.String:
		s.kind = kindText
	case reflect.Int, reflect.Int64:
		s.kind = kindInteger
	case reflect.Float64:
		s.kind = kindNumber
	case reflect.Bool:
		s.kind = kindBool
	case reflect.Slice, reflect.Array: // arrays in replies only
		s.kind, s.elem = kindList, newShape(t.Elem(), itemTag(tag.Get("item")))
	case reflect.Map:
		s.kind, s.elem = kindMap, newShape(t.Elem(), itemTag(tag.Get("item")))
		if names := tag.Get("keys"); names != "" {
			s.keys = tagValues(names)
		}
	case reflect.Struct:
		s.kind = kindObject
		s.collectFields(t, nil)
		s.byName = make(map[string]*field, len(s.fields))
		for i := range s.fields {
			s.fields[i].position = i
			s.byName[s.fields[i].name] = &s.fields[i]
		}
	default:
		panic(fmt.Sprintf("httpapi: no JSON shape for %v", t))
	}
}

// collectFields lists the JSON members of a struct as encoding/json does: those of embedded structs are promoted.
func (s *shape) collectFields(t reflect.Type, at []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			s.collectFields(f.Type, index)
		case !f.IsExported() || name == "-":
		default:
			s.addField(field{
				name:     cmp.Or(name, f.Name),
				index:    index,
				shape:    newFieldShape(t, f, cmp.Or(name, f.Name)),
				required: !strings.Contains(options, "omit"),
			})
		}
	}
}

// constant returns the value of a text whose enum has exactly one.
func (s *shape) constant() (string, bool) {
	if s.kind == kindText && len(s.rules.enum) == 1 {
		return s.rules.enum[0], true
	}
	return "", false
}

// addField adds a field, or lets it take the place of a field of the same name that is embedded more deeply.
func (s *shape) addField(added field) {
	i := slices.IndexFunc(s.fields, func(f field) bool { return f.name == added.name })
	switch {
	case i < 0:
		s.fields = append(s.fields, added)
	case len(added.index) < len(s.fields[i].index):
		s.fields[i] = added
	}
}
