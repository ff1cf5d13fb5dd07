package httpapi

import (
	"bytes"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// bind binds v into dst, whose type holds s as s.hold says. Faults are collected under path.
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
	b, err := marshal(decoded.Interface())
	if err != nil {
		f.add(path, "cannot be stored")
		return
	}
	dst.Addr().Interface().(raw).setJSON(b)
}

// bindValue binds a value that is not null into a plain Go value.
func (s *shape) bindValue(dst reflect.Value, v *value, path string, f *faults) {
	if !s.matchesKind(v) {
		f.add(path, s.expectation())
		return
	}
	switch s.kind {
	case kindText:
		text := StripNUL(string(unquote(v.raw)))
		if fault := s.rules.checkText(text); fault != "" {
			f.add(path, s.withNull(fault))
		}
		dst.SetString(s.rules.normalize(text))
	case kindInteger:
		s.bindInteger(dst, v, path, f)
	case kindNumber:
		n, _ := strconv.ParseFloat(string(v.raw), 64) // out of range gives an infinity, which the rules refuse
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

// StripNUL drops U+0000 from a text: PostgreSQL cannot store it, and nobody means it.
func StripNUL(s string) string {
	if strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\x00", "")
}

// matchesKind reports whether the JSON value has the kind that the shape asks for.
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

// withNull adds null to what a value may be where that is a list of words.
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
	return map[kind]string{kindText: "must be a string", kindInteger: "must be an integer", kindNumber: "must be a number", kindBool: "must be true or false",
		kindList: "must be an array", kindObject: "must be an object", kindMap: "must be an object",
		kindTime: timeExpectation, kindBytes: bytesExpectation}[s.kind]
}

// bindInteger takes any number that is whole, however it is written: 5, 5.0 and 5e0 are the same number.
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
