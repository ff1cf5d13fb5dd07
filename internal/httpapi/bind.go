package httpapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
)

// bind binds v into dst, whose type holds the shape in the way of s.holder. Faults are collected under path.
func (s *shape) bind(dst reflect.Value, v *value, path string, f *faults) {
	if v.kind == jsonNull && s.kind != kindAny {
		s.bindNull(dst, path, f)
		return
	}
	switch s.holder {
	case holdPointer:
		p := reflect.New(s.typ)
		s.bindValue(p.Elem(), v, path, f)
		dst.Set(p)
	case holdOpt:
		s.bindValue(reflect.ValueOf(dst.Addr().Interface().(opt).set(false)).Elem(), v, path, f)
	case holdRaw:
		s.bindRaw(dst, v, path, f)
	default:
		s.bindValue(dst, v, path, f)
	}
}

func (s *shape) bindNull(dst reflect.Value, path string, f *faults) {
	if !s.nullable {
		f.add(path, "must not be null")
		return
	}
	if s.holder == holdOpt {
		dst.Addr().Interface().(opt).set(true)
	}
}

func (s *shape) bindRaw(dst reflect.Value, v *value, path string, f *faults) {
	decoded := reflect.New(s.typ)
	before := len(f.details)
	s.bindValue(decoded.Elem(), v, path, f)
	if len(f.details) > before {
		return
	}
	b, err := Marshal(decoded.Interface())
	if err != nil {
		f.add(path, "cannot be stored")
		return
	}
	dst.Addr().Interface().(raw).setJSON(b)
}

// bindValue binds a value that is not null into a Go value of the shape's own type.
func (s *shape) bindValue(dst reflect.Value, v *value, path string, f *faults) {
	if !s.matchesKind(v) {
		f.add(path, s.expectation())
		return
	}
	switch s.kind {
	case kindText:
		text := parley.StorableText(string(unquote(v.raw)))
		if fault := s.rules.checkText(text); fault != "" {
			f.add(path, s.withNull(fault))
		}
		dst.SetString(s.rules.normalize(text))
	case kindInteger:
		s.bindInteger(dst, v, path, f)
	case kindNumber:
		n, _ := strconv.ParseFloat(string(v.raw), 64) // out of range it is an infinity, which the rules refuse
		f.add(path, s.rules.checkNumber(n))
		dst.SetFloat(n)
	case kindBool:
		dst.SetBool(v.raw[0] == 't')
	case kindList:
		s.bindList(dst, v, path, f)
	case kindMap:
		s.bindMap(dst, v, path, f)
	case kindObject:
		s.bindObject(dst, v, path, f)
	case kindEither:
		s.bindEither(dst, v, path, f)
	case kindAny:
		dst.SetBytes(bytes.Clone(v.raw))
	case kindTime:
		bindTime(dst, v, path, f)
	case kindBytes:
		bindBytes(dst, v, path, f)
	}
}

// matchesKind reports whether the JSON value is of the shape's kind.
func (s *shape) matchesKind(v *value) bool {
	switch s.kind {
	case kindText, kindTime, kindBytes:
		return v.kind == jsonString
	case kindInteger, kindNumber:
		return v.kind == jsonNumber
	case kindBool:
		return v.kind == jsonBool
	case kindList:
		return v.kind == jsonArray
	case kindObject, kindMap:
		return v.kind == jsonObject
	case kindEither:
		return s.either[0].matchesKind(v) || s.either[1].matchesKind(v)
	case kindAny:
	}
	return true
}

// withNull adds null to the message of an enum that is nullable.
func (s *shape) withNull(fault string) string {
	if s.nullable && s.rules.enum != nil {
		return s.rules.oneOfMessage() + ", null"
	}
	return fault
}

func (s *shape) expectation() string {
	if s.nullable && s.rules.enum != nil {
		return s.withNull("")
	}
	if s.kind == kindEither {
		return s.eitherExpectation()
	}
	return map[kind]string{kindText: "must be a string", kindInteger: "must be an integer",
		kindNumber: "must be a number", kindBool: "must be true or false",
		kindList: "must be an array", kindObject: "must be an object", kindMap: "must be an object",
		kindTime: timeExpectation, kindBytes: bytesExpectation}[s.kind]
}

// bindInteger binds any whole number, however it is written: 5, 5.0 and 5e0 are the same number.
func (s *shape) bindInteger(dst reflect.Value, v *value, path string, f *faults) {
	n, err := strconv.ParseInt(string(v.raw), 10, 64)
	if err != nil {
		x, _ := strconv.ParseFloat(string(v.raw), 64)
		if x != math.Trunc(x) || math.IsInf(x, 0) {
			f.add(path, "must be an integer")
			return
		}
		if math.Abs(x) >= 1<<63 {
			f.add(path, "is out of range")
			return
		}
		n = int64(x)
	}
	f.add(path, s.rules.checkNumber(float64(n)))
	dst.SetInt(n)
}

func (s *shape) bindList(dst reflect.Value, v *value, path string, f *faults) {
	f.add(path, s.rules.checkSize(float64(len(v.items)), "item"))
	list := reflect.MakeSlice(s.typ, len(v.items), len(v.items))
	for i := range v.items {
		s.elem.bind(list.Index(i), &v.items[i], join(path, strconv.Itoa(i)), f)
	}
	dst.Set(list)
}

func (s *shape) bindMap(dst reflect.Value, v *value, path string, f *faults) {
	f.add(path, s.rules.checkSize(float64(len(v.members)), "member"))
	m := reflect.MakeMapWithSize(s.typ, len(v.members))
	for i := range v.members {
		name := parley.StorableText(string(v.members[i].key))
		at := join(path, name)
		if s.keys != nil && !slices.Contains(s.keys, name) {
			f.add(at, "is not one of: "+strings.Join(s.keys, ", "))
			continue
		}
		item := reflect.New(s.typ.Elem()).Elem()
		s.elem.bind(item, &v.members[i].value, at, f)
		m.SetMapIndex(reflect.ValueOf(name), item)
	}
	dst.Set(m)
}

// bindObject binds the members that the shape knows; others are ignored, or are faults if the shape is strict. No
// object of an API may have more than 64 members.
func (s *shape) bindObject(dst reflect.Value, v *value, path string, f *faults) {
	var found uint64
	for i := range v.members {
		fd, ok := s.byName[string(v.members[i].key)]
		if !ok {
			s.rejectUnknown(v.members[i].key, path, f)
			continue
		}
		found |= 1 << fd.position
		fd.shape.bind(dst.FieldByIndex(fd.index), &v.members[i].value, join(path, fd.name), f)
	}
	for i := range s.fields {
		if found&(1<<i) == 0 {
			s.fields[i].bindAbsent(dst, path, f)
		}
	}
}

func (fd *field) bindAbsent(dst reflect.Value, path string, f *faults) {
	s := fd.shape
	switch {
	case s.rules.defaultText != "":
		text := []byte(s.rules.defaultText)
		if s.kind == kindText {
			text, _ = json.Marshal(s.rules.defaultText)
		}
		v, err := parseJSON(text)
		if err != nil {
			panic("httpapi: the default of " + fd.name + " is no JSON")
		}
		s.bind(dst.FieldByIndex(fd.index), &v, join(path, fd.name), f)
	case fd.required:
		f.add(join(path, fd.name), "is required")
	}
}

// bindEither binds the first shape whose kind and constant fields match.
func (s *shape) bindEither(dst reflect.Value, v *value, path string, f *faults) {
	for i, each := range s.either {
		if each.matchesKind(v) && each.matchesConstants(v) {
			each.bindValue(reflect.ValueOf(dst.Addr().Interface().(either).selectShape(i == 1)).Elem(), v, path, f)
			return
		}
	}
	if s.either[0].matchesKind(v) || s.either[1].matchesKind(v) {
		name, values := s.discriminator()
		f.add(join(path, name), "must be one of: "+strings.Join(values, ", "))
		return
	}
	f.add(path, s.eitherExpectation())
}

// eitherExpectation describes the two kinds that a value may have. For two objects it names the field that
// distinguishes them.
func (s *shape) eitherExpectation() string {
	first, second := s.either[0].expectation(), s.either[1].expectation()
	if !strings.HasPrefix(second, first) { // for a choice within the choice, the second message is the longer one
		return first + " or " + strings.TrimPrefix(second, "must be ")
	}
	if name, values := s.discriminator(); name != "" {
		return first + " whose " + name + " is " + strings.Join(values, " or ")
	}
	return first
}

// matchesConstants reports whether the constant fields of an object have their value.
func (s *shape) matchesConstants(v *value) bool {
	if s.kind == kindEither {
		return s.either[0].matchesConstants(v) || s.either[1].matchesConstants(v)
	}
	for i := range s.fields {
		want, ok := s.fields[i].shape.constant()
		if !ok {
			continue
		}
		for j := range v.members {
			if m := &v.members[j]; string(m.key) == s.fields[i].name {
				return m.value.kind == jsonString && string(unquote(m.value.raw)) == want
			}
		}
		return false
	}
	return true
}

func (s *shape) discriminator() (name string, values []string) {
	for _, each := range s.either {
		if each.kind == kindEither {
			inner, more := each.discriminator()
			name, values = inner, append(values, more...)
		}
		for i := range each.fields {
			if want, ok := each.fields[i].shape.constant(); ok {
				name, values = each.fields[i].name, append(values, want)
			}
		}
	}
	return name, values
}

// notAllowedMessage is the fault of a member that a strict body does not know.
const notAllowedMessage = "is not allowed"

// rejectUnknown records a fault for a member that the shape does not know, if the shape is strict.
func (s *shape) rejectUnknown(name []byte, path string, f *faults) {
	if s.strict {
		f.add(join(path, parley.StorableText(string(name))), notAllowedMessage)
	}
}

// faults collects everything that is wrong with a request, by the dotted path of the field.
type faults struct{ details map[string]string }

// maxFaults bounds how many are collected.
const maxFaults = 50

func (f *faults) add(path, text string) {
	if text == "" || len(f.details) >= maxFaults {
		return
	}
	if f.details == nil {
		f.details = make(map[string]string)
	}
	if _, ok := f.details[path]; !ok {
		f.details[path] = text
	}
}

func (f *faults) err() error { return parley.InvalidFields(f.details) }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

const (
	timeExpectation  = "must be a time such as 2026-01-31T12:00:00Z"
	bytesExpectation = "must be base64"
)

// bindTime binds a string into a time.Time.
func bindTime(dst reflect.Value, v *value, path string, f *faults) {
	at, err := time.Parse(time.RFC3339, string(unquote(v.raw)))
	if err != nil {
		f.add(path, timeExpectation)
	}
	dst.Set(reflect.ValueOf(at))
}

// bindBytes binds a string into a []byte.
func bindBytes(dst reflect.Value, v *value, path string, f *faults) {
	decoded, err := base64.StdEncoding.DecodeString(string(unquote(v.raw)))
	if err != nil {
		f.add(path, bytesExpectation)
	}
	dst.SetBytes(decoded)
}
