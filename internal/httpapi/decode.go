package httpapi

import (
	"encoding/json"
	"reflect"

	"parley"
)

// Decode binds a JSON text into the struct that dst points to, by the rules of request bodies, for texts that come another way
// than by HTTP. Members that the struct does not know are refused at every depth. Fails with VALIDATION_INVALID_BODY and dotted
// details, or with VALIDATION_INVALID_JSON.
func Decode(text json.RawMessage, dst any) error {
	v, err := parseJSON(text)
	if err != nil {
		return jsonError(err)
	}
	into := reflect.ValueOf(dst).Elem()
	s := newShape(into.Type(), "")
	s.makeStrict()
	if !s.matchesKind(&v) {
		return parley.NewErrorf(parley.CodeInvalidBody, "It %s.", s.expectation())
	}
	var f faults
	s.bind(into, &v, "", &f)
	return f.err()
}

// makeStrict makes every object of the shape strict.
func (s *shape) makeStrict() {
	s.strict = true
	for i := range s.fields {
		s.fields[i].shape.makeStrict()
	}
	for _, inner := range []*shape{s.elem, s.either[0], s.either[1]} {
		if inner != nil {
			inner.makeStrict()
		}
	}
}
