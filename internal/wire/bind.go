package wire

import (
	"bytes"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// fill binds v into dst, whose type holds s as s.hold says. Faults are collected under path.
func (s *shape) fill(dst reflect.Value, v *value, path string, f *faults) {
	if v.kind == jsonNull && s.kind != kindAny {
		s.null(dst, path, f)
		return
	}
	switch s.hold {
	case byPointer:
		p := reflect.New(s.typ)
		s.into(p.Elem(), v, path, f)
		dst.Set(p)
	case byOpt:
		s.into(reflect.ValueOf(dst.Addr().Interface().(opt).open(false)).Elem(), v, path, f)
	case byRaw:
		s.keep(dst, v, path, f)
	default:
		s.into(dst, v, path, f)
	}
}

func (s *shape) null(dst reflect.Value, path string, f *faults) {
	if !s.nullable {
		f.add(path, "must not be null")
		return
	}
	if s.hold == byOpt {
		dst.Addr().Interface().(opt).open(true)
	}
}

func (s *shape) keep(dst reflect.Value, v *value, path string, f *faults) {
	understood := reflect.New(s.typ)
	before := len(f.details)
	s.into(understood.Elem(), v, path, f)
	if len(f.details) > before {
		return
	}
	b, err := marshal(understood.Interface())
	if err != nil {
		f.add(path, "cannot be stored")
		return
	}
	dst.Addr().Interface().(raw).keep(b)
}

// into binds a value that is not null into a plain Go value.
func (s *shape) into(dst reflect.Value, v *value, path string, f *faults) {
	if !s.fits(v) {
		f.add(path, s.wants())
		return
	}
	switch s.kind {
	case kindText:
		text := Clean(string(unquote(v.raw)))
		if fault := s.rules.text(text); fault != "" {
			f.add(path, s.orNull(fault))
		}
		dst.SetString(s.rules.known(text))
	case kindInteger:
		s.integer(dst, v, path, f)
	case kindNumber:
		n, _ := strconv.ParseFloat(string(v.raw), 64) // out of range gives an infinity, which the rules refuse
		f.add(path, s.rules.number(n))
		dst.SetFloat(n)
	case kindBool:
		dst.SetBool(v.raw[0] == 't')
	case kindList:
		s.list(dst, v, path, f)
	case kindMap:
		s.dict(dst, v, path, f)
	case kindObject:
		s.object(dst, v, path, f)
	case kindEither:
		s.choose(dst, v, path, f)
	case kindAny:
		dst.SetBytes(bytes.Clone(v.raw))
	}
}

// Clean drops U+0000 from a text: PostgreSQL cannot store it, and nobody means it.
func Clean(s string) string {
	if strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\x00", "")
}

// fits reports whether the JSON value has the kind that the shape asks for.
func (s *shape) fits(v *value) bool {
	switch s.kind {
	case kindText:
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
		return s.either[0].fits(v) || s.either[1].fits(v)
	case kindAny:
	}
	return true
}

// orNull adds null to what a value may be where that is a list of words.
func (s *shape) orNull(fault string) string {
	if s.nullable && s.rules.enum != nil {
		return s.rules.oneOf() + ", null"
	}
	return fault
}

func (s *shape) wants() string {
	if s.nullable && s.rules.enum != nil {
		return s.orNull("")
	}
	if s.kind == kindEither {
		return s.wantsEither()
	}
	return map[kind]string{kindText: "must be a string", kindInteger: "must be an integer", kindNumber: "must be a number", kindBool: "must be true or false",
		kindList: "must be an array", kindObject: "must be an object", kindMap: "must be an object"}[s.kind]
}

// integer takes any number that is whole, however it is written: 5, 5.0 and 5e0 are the same number.
func (s *shape) integer(dst reflect.Value, v *value, path string, f *faults) {
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
	f.add(path, s.rules.number(float64(n)))
	dst.SetInt(n)
}
